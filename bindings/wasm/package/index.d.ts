/**
 * A robots.txt parser with verdicts that name the deciding line.
 *
 * Pass the bytes of a response, not a decoded string: the engine detects the encoding itself.
 *
 * @module
 */

/** Text as bytes, or as a string, which is read as its UTF-8 bytes. */
export type Text = string | Uint8Array | ArrayBuffer | ArrayBufferView;

/**
 * An absolute URL, or a path with an optional query. Any other text is disallowed with reason
 * `"not_a_url"`.
 */
export type Url = Text | URL;

/**
 * A product token (`"GPTBot"`), a whole User-Agent header, or a crawler. Functions throw a
 * `TypeError` for text that begins as a URL or path, which is the next argument.
 *
 * This module reads a text literally: `"Googlebot-Image"` does not obey the group for `Googlebot`.
 * `crawlerFor` of `verger/tools` returns a crawler with its documented fallbacks.
 */
export type Agent = string | CrawlerTokens;

/** A published reading of the protocol. */
export type Dialect =
  | "rfc9309"
  | "google"
  | "koster1996"
  | "book"
  | "orig1994"
  | "rep2019"
  | "yandex"
  | "baidu"
  | "bing";

/** All dialects. The first is the default. */
export const DIALECTS: readonly Dialect[];

export interface ParseOptions {
  /** Default: `"rfc9309"`. */
  readonly dialect?: Dialect;
}

/** The source of a WebAssembly module. */
export type ModuleSource =
  | URL
  | string
  | Response
  | Promise<Response>
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | WebAssembly.Module;

/**
 * Starts the module. Further calls do nothing.
 *
 * Node.js, Deno, Bun and Cloudflare Workers start it at the import. Elsewhere functions throw an
 * error before the promise is fulfilled.
 *
 * @param source the file `native/engine.wasm` of this package, if a bundler does not find it
 * @throws {Error} the module cannot be loaded, or belongs to another version of this package
 */
export function init(source?: ModuleSource): Promise<void>;

/**
 * Parses a robots.txt. It never fails; `diagnostics` and `lint` of `verger/tools` list problems.
 *
 * @throws {RangeError} the dialect is unknown
 * @throws {TypeError} an option is unknown, or an argument has another type
 */
export function parse(robotsTxt: Text, options?: ParseOptions): Robots;

/**
 * Returns whether an agent may fetch a URL, for a single question about a file.
 *
 * @throws {RangeError} the dialect is unknown
 * @throws {TypeError} an option is unknown, or an argument has another type
 */
export function isAllowed(robotsTxt: Text, agent: Agent, url: Url, options?: ParseOptions): boolean;

/**
 * Compiles the rules of a robots.txt for an agent. `Robots.policy` compiles a parsed file.
 *
 * @throws {RangeError} the dialect is unknown
 * @throws {TypeError} an option is unknown, or an argument has another type
 */
export function compilePolicy(robotsTxt: Text, agent: Agent, options?: ParseOptions): Policy;

/**
 * Returns the URL of the robots.txt that applies to a URL.
 *
 * @throws {TypeError} `url` is not absolute, or has no robots.txt, such as a `data:` URL
 */
export function robotsUrl(url: string | URL): string;

/** The product tokens of a crawler. A `Crawler` is checked; a plain object is not. */
export interface CrawlerTokens {
  /** The product tokens, the most specific first. */
  readonly tokens: readonly string[];
  /** Whether the groups of all tokens apply together. Otherwise those of the first that is named. */
  readonly isUnion?: boolean;
  /** Whether the group for `*` never applies. */
  readonly ignoresStar?: boolean;
  /** Whether the crawler ignores robots.txt, as its operator states. */
  readonly ignoresRobots?: boolean;
}

/** A crawler: product tokens by which groups of a robots.txt name it. */
export class Crawler implements CrawlerTokens {
  /**
   * @param agent a User-Agent header, or a bare product token (REP-AMB-13)
   * @throws {RangeError} there is no product token in it
   */
  constructor(agent: string);

  /**
   * Returns a crawler that obeys the groups of the first token that any group names.
   *
   * @throws {RangeError} no group can name one of the tokens
   * @throws {TypeError} a token is not a string
   */
  static chain(tokens: Iterable<string>): Crawler;

  /**
   * Returns a crawler that obeys the groups of all its tokens together.
   *
   * @throws {RangeError} no group can name one of the tokens
   * @throws {TypeError} a token is not a string
   */
  static union(tokens: Iterable<string>): Crawler;

  /** Returns this crawler without the fallback to the group for `*`. */
  withoutStar(): Crawler;

  readonly tokens: readonly string[];
  readonly isUnion: boolean;
  readonly ignoresStar: boolean;
  readonly ignoresRobots: boolean;
}

/**
 * A parsed robots.txt.
 *
 * Its memory is freed some time after the object is unreachable, at once by `free()` or at the end
 * of a block by `using`. Call one of them in loops without `await`.
 */
export class Robots implements Disposable {
  /** See `parse`. */
  constructor(robotsTxt: Text, options?: ParseOptions);

  /** Returns whether an agent may fetch a URL. The fastest way to check one URL. */
  isAllowed(agent: Agent, url: Url): boolean;

  /** Returns the verdict for a URL, with the deciding rule and its line. */
  check(agent: Agent, url: Url): Verdict;

  /**
   * Returns the line of the deciding rule, from 1; `null` if no rule decides. Faster than `check`,
   * because it creates no object.
   */
  decidingLine(agent: Agent, url: Url): number | null;

  /** Returns the verdict with every rule that matched. */
  explain(agent: Agent, url: Url): Explanation;

  /** Returns for each URL whether an agent may fetch it. */
  areAllowed(agent: Agent, urls: Iterable<Url>): boolean[];

  /**
   * Returns one byte for each line of URLs: 1 if the agent may fetch it, else 0. The fastest way to
   * check many URLs.
   */
  areLinesAllowed(agent: Agent, lines: Text): Uint8Array<ArrayBuffer>;

  /** Returns the rules for an agent, compiled. */
  policy(agent: Agent): Policy;

  /** Returns the groups that apply to an agent. */
  groupsFor(agent: Agent): Group[];

  /** Returns the records that apply to an agent. */
  recordsFor(agent: Agent): RobotsRecord[];

  /** Returns the crawl delay for an agent in seconds, `null` without one (REP-AMB-4). */
  crawlDelay(agent: Agent): number | null;

  /** Returns the request rates for an agent, by `Request-rate` and `Max-Crawl-Rate`. */
  requestRates(agent: Agent): RequestRate[];

  /** Returns the times of the day at which an agent is asked to visit; empty: any time. */
  visitTimes(agent: Agent): TimeWindow[];

  /** Returns the licence URLs for an agent. */
  licenses(agent: Agent): string[];

  /**
   * Returns the absolute URLs of the sitemaps of a site, given any URL of it. Relative values are
   * resolved; invalid ones are left out.
   *
   * @throws {TypeError} `url` has no robots.txt
   */
  sitemapUrls(url: string | URL): string[];

  /** The values of `Sitemap`, as written. */
  readonly sitemaps: string[];
  /** The values of `Agentmap`, as written. */
  readonly agentmaps: string[];
  /** The values of `Schemamap`, as written. */
  readonly schemamaps: string[];
  /** The main mirror (`Host`). */
  readonly host: string | null;
  /** The groups, in the order of the file. */
  readonly groups: Group[];
  /** The lines that are neither user-agent lines nor rules, in the order of the file. */
  readonly records: RobotsRecord[];
  /**
   * The text as parsed: the bytes of the file, or for UTF-16 their UTF-8 form, cut at the size
   * limit. Spans refer to it.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The dialect. */
  readonly dialect: Dialect;
  /** Whether the size limit of the dialect cut the file. */
  readonly truncated: boolean;

  /** Frees the memory. The object cannot be used again. */
  free(): void;
  [Symbol.dispose](): void;
}

/** The rules of a robots.txt for one agent, compiled: for repeated checks, and to be stored. */
export class Policy implements Disposable {
  /**
   * Reads the bytes of a policy.
   *
   * @throws {RangeError} the bytes are damaged, or of another version
   */
  constructor(bytes: Uint8Array | ArrayBuffer);

  /** Returns whether the agent may fetch a URL. */
  isAllowed(url: Url): boolean;

  /** Returns the verdict for a URL. Its group has no index. */
  check(url: Url): PolicyVerdict;

  /** Returns for each URL whether the agent may fetch it. */
  areAllowed(urls: Iterable<Url>): boolean[];

  /** Returns one byte for each line of URLs: 1 if the agent may fetch it, else 0. */
  areLinesAllowed(lines: Text): Uint8Array<ArrayBuffer>;

  /** Returns a smaller policy with the same answers, without patterns and lines. */
  withoutExplanation(): Policy;

  /** The policy as bytes, the same on every platform. */
  readonly bytes: Uint8Array<ArrayBuffer>;

  /** Frees the memory. The object cannot be used again. */
  free(): void;
  [Symbol.dispose](): void;
}

/** The reason of a verdict, a name that stays the same. */
export type Reason =
  | "rule"
  | "no_rule_matches"
  | "no_group"
  | "robots_txt_itself"
  | "unavailable"
  | "no_robots_for_scheme"
  | "crawler_ignores_robots"
  | "not_a_url";

/** The answer for one URL. */
export interface Verdict {
  /** Whether the agent may fetch the URL. */
  allowed: boolean;
  /** The reason. */
  reason: Reason;
  /** The deciding rule; `null` if no rule decided. */
  rule: Rule | null;
  /** The line of the deciding rule, from 1; `null` if no rule decided. */
  line: number | null;
  /** The group of the deciding rule, or the group that applies without a matching rule. */
  group: GroupPlace | null;
  /** The verdict in a sentence, with foreign text escaped. */
  text: string;
}

/** The answer of a policy. */
export interface PolicyVerdict extends Omit<Verdict, "group"> {
  /** As in `Verdict`; `null` also without explanation. */
  group: { line: number } | null;
}

/** The place of a group. */
export interface GroupPlace {
  /** The index in `Robots.groups`. */
  index: number;
  /** The line on which it begins, from 1. */
  line: number;
}

/** A rule: `Allow` or `Disallow` with its pattern. */
export interface Rule {
  kind: "allow" | "disallow";
  /** The pattern as written; bytes that are not UTF-8 are shown as `\xNN`. */
  pattern: string;
  /** The line, from 1. */
  line: number;
  /** The column of the pattern in bytes, from 1. */
  column: number;
  /** First byte of the pattern, and the byte after the last one, in `Robots.bytes`. */
  span: [start: number, end: number];
}

/** A group: agents and their rules. */
export interface Group extends GroupPlace {
  /** Its user-agent lines. */
  agents: GroupAgent[];
  /** Its rules. */
  rules: Rule[];
}

/** A user-agent line. */
export interface GroupAgent {
  /** The value as written. */
  value: string;
  /** The name in the value, as the dialect reads it. */
  name: string;
  /** The line, from 1. */
  line: number;
}

/** A verdict with every rule that matched. */
export interface Explanation {
  /** The verdict, equal to that of `Robots.check`. */
  verdict: Verdict;
  /** The text that rules were compared with, in normal form; `null` if no rule was compared. */
  target: string | null;
  /** The rules that matched, in the order of the file. */
  contenders: Contender[];
}

/** A rule that matched, and why it won or lost. */
export interface Contender {
  rule: Rule;
  group: GroupPlace;
  /** The length that is compared: octets of the pattern in normal form. */
  length: number;
  standing: "decides" | "shorter" | "later" | "loses_tie" | "repeats";
  /** The rule and its standing in a sentence, with foreign text escaped. */
  text: string;
}

/** A line with a key that is neither a user-agent line nor a rule, such as `Sitemap`. */
export interface RobotsRecord {
  /** The usual spelling of the key: `"Crawl-delay"`; empty for an unknown key. */
  kind: string;
  /** The key as written. */
  key: string;
  /** The value as written; bytes that are not UTF-8 are shown as `\xNN`. */
  value: string;
  /** The line, from 1. */
  line: number;
  /** The index of its group; `null` outside of groups. */
  group: number | null;
}

/** A number of documents in a time. */
export interface RequestRate {
  documents: number;
  seconds: number;
  /** The times of the day; `null` means always. */
  window: TimeWindow | null;
}

/** Times of the day in minutes since midnight UTC. */
export interface TimeWindow {
  from: number;
  to: number;
}
