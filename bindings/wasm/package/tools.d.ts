/**
 * The linter, the formatter, the comparison of files, and known crawlers.
 *
 * This module has a separate WebAssembly file, several times as large as that of `verger`.
 *
 * @module
 */

import type {
  Agent,
  CrawlerTokens,
  Dialect,
  GroupPlace,
  ModuleSource,
  ParseOptions,
  RobotsRecord,
  Rule,
  Text,
  Url,
  Verdict,
} from "./index.js";

export { DIALECTS } from "./index.js";

/** Starts the module, as `init` of `verger` does; its file is `native/tools.wasm`. */
export function init(source?: ModuleSource): Promise<void>;

export type Severity = "note" | "warning" | "error";

export interface LintOptions {
  /**
   * A ready choice of rules, dialects and severities. `select` and `portable` replace its lists,
   * the other options add to it.
   */
  readonly profile?: "google" | "bing" | "yandex" | "lighthouse" | "strict";
  /** Codes or categories of the rules to run. Default: all. */
  readonly select?: Iterable<string>;
  /** Codes or categories of the rules to skip. It outranks `select`. */
  readonly ignore?: Iterable<string>;
  /** Severities by code, instead of the default ones. */
  readonly severity?: Readonly<Record<string, Severity>>;
  /**
   * Dialects that must read the file as RFC 9309 does. Rules of category `"portability"` run only
   * for them.
   */
  readonly portable?: Iterable<Dialect>;
  /** A URL of the site, for rules about absolute URLs. */
  readonly origin?: string | URL;
  /** The time, for the age of the list of crawlers. Without it, the age does not count. */
  readonly now?: Date;
}

/**
 * Finds problems in a robots.txt: lines without effect, misspelt keys, repeated rules.
 *
 * A comment `# verger-lint: ignore repeated-rule` in the file suppresses findings.
 *
 * @throws {RangeError} a code, a category, a severity, a profile or a dialect is unknown, or the
 *   origin is not a URL of a site
 * @throws {TypeError} an option is unknown, or has another type
 */
export function lint(robotsTxt: Text, options?: LintOptions): LintReport;

/** The findings of a file. */
export interface LintReport {
  /** The findings, in the order of the file. */
  findings: LintFinding[];
  /** Rules with more findings, each with the number of those that are left out. */
  omitted: { code: string; count: number }[];
  /** The text that spans refer to: the file, or its UTF-8 form if it is in UTF-16. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The file with all safe fixes; `null` if there are none. */
  fixed: Uint8Array<ArrayBuffer> | null;
  /** The file with all fixes; `null` if there are none. */
  fixedUnsafely: Uint8Array<ArrayBuffer> | null;
}

/** A place in a file. */
export interface Place {
  /** The line, from 1. */
  line: number;
  /** The column in bytes, from 1. */
  column: number;
  /** First byte, and the byte after the last one. */
  span: [start: number, end: number];
}

/** A problem of a file. */
export interface LintFinding extends Place {
  /** The rule of the linter, a name that stays the same: `"repeated-rule"`. */
  code: string;
  severity: Severity;
  /** The subject of the rule: `"syntax"`, `"groups"`, `"rules"`, …. */
  category: string;
  /** The problem in one sentence. */
  message: string;
  /** Other places, and why they matter. */
  labels: (Place & { text: string })[];
  /** A URL that shows the problem. */
  url: string | null;
  /** A hint for the author. */
  help: string | null;
  /** A change that removes the problem. A safe one changes no answer, in any dialect. */
  fix: { title: string; safe: boolean } | null;
}

/** A rule of the linter. */
export interface LintRule {
  code: string;
  category: string;
  severity: Severity;
  /** The rule in one sentence. */
  summary: string;
  /** The page about it in Markdown. */
  page: string;
}

/** Returns all rules of the linter. */
export function lintRules(): LintRule[];

/**
 * Formats a robots.txt: one form of keys, spaces, blank lines and line ends.
 *
 * No verdict and no record changes, in any dialect. Comments and unknown lines keep their text. A
 * file in UTF-16 is returned unchanged.
 */
export function format(robotsTxt: Text): Formatted;

/** A formatted file. */
export interface Formatted {
  bytes: Uint8Array<ArrayBuffer>;
  /** Lines that stay as they are; line 0 is the whole file. */
  skipped: { line: number; reason: "meaning" | "proofs" | "unread" | "other" }[];
}

export interface DiffOptions extends ParseOptions {
  /** The dialect of the second file. Default: that of the first. */
  readonly dialectAfter?: Dialect;
  /**
   * Names of crawlers, which have their documented fallbacks, or User-Agent headers; `*` is every
   * crawler that no group names. Default: all that one of the files names, and `*`.
   */
  readonly agents?: Iterable<string>;
}

/**
 * Compares two files for all URLs and crawlers. Each change has a URL that shows it, one of the
 * shortest.
 */
export function diffFiles(before: Text, after: Text, options?: DiffOptions): FileComparison;

/** The differences between two files. */
export interface FileComparison {
  /** The text of the second file compared with that of the first. */
  text: "same" | "prepended" | "appended" | "changed" | "other";
  /** The first and the last line that are added at the start or the end; `null` otherwise. */
  addedLines: [first: number, last: number] | null;
  /** The compared crawlers. */
  crawlers: ComparedCrawler[];
  /** Crawlers with differences; those with the same differences are together. */
  differences: CrawlerDifferences[];
  /** Crawlers for which both files are proved to mean the same. */
  unchanged: string[];
  /** The number of crawlers that were not compared because there are too many. */
  notCompared: number;
  /** Changed records for all crawlers, such as sitemaps. */
  records: RecordChange[];
}

/** A crawler of a comparison. */
export interface ComparedCrawler {
  name: string;
  /** The product tokens by which groups are selected; none for `*`. */
  tokens: string[];
  /** A remark on a known crawler: it crawls nothing itself, or does not promise to obey robots.txt. */
  note: string | null;
}

/** Crawlers with the same differences. */
export interface CrawlerDifferences {
  /** Their names; `*` is every crawler that no group names. */
  crawlers: string[];
  /** The classes of URLs with another answer. Lines and groups are those of the first crawler. */
  changes: Change[];
  /** Why changes may be missing; `null` if the list is complete. */
  undecided: string | null;
  /** Whether the crawlers obey the groups for `*` in one of the files only. */
  switch: "to_own_groups" | "to_star" | null;
  groupsBefore: GroupPlace[];
  groupsAfter: GroupPlace[];
  /** Changed records of the groups that the crawlers obey. */
  records: RecordChange[];
}

/** The URLs that one rule decides before, and another one with the opposite answer after. */
export interface Change {
  /** Whether the URLs were disallowed and are now allowed, or the other way round. */
  direction: "opened" | "closed";
  /** One of these URLs, among the shortest, on `https://example.com`. */
  url: string;
  /** Path and query of the URL. */
  target: string;
  /** Whether no shorter URL with as few `//` shows the same. Otherwise the search was given up. */
  shortest: boolean;
  /** The verdict for the URL before. */
  before: Verdict;
  /** The verdict for the URL after. */
  after: Verdict;
}

/** A record that only one of the files has. */
export interface RecordChange {
  change: "added" | "removed";
  record: RobotsRecord;
}

/** Returns remarks about a file, in its order. They never change an answer. `lint` finds more. */
export function diagnostics(robotsTxt: Text, options?: ParseOptions): Diagnostic[];

/** A remark about a file. */
export interface Diagnostic extends Place {
  /** A short name that stays the same: `"missing-colon"`. */
  code: string;
  severity: Severity;
  message: string;
}

/**
 * Returns what the `Content-Signal` lines of a file state for an agent about a URL. An absent key is
 * not stated.
 */
export function contentSignals(
  robotsTxt: Text,
  agent: Agent,
  url: Url,
  options?: ParseOptions,
): ContentSignals;

/** Permitted uses of content. */
export interface ContentSignals {
  search?: "yes" | "no";
  "ai-input"?: "yes" | "no";
  "ai-train"?: "yes" | "no";
  use?: "immediate" | "reference" | "full";
}

/**
 * Returns the preferences of the `Content-Usage` lines of a file for an agent about a URL, by
 * category; `null` if the URL is disallowed. An absent key is not stated.
 */
export function contentUsage(
  robotsTxt: Text,
  agent: Agent,
  url: Url,
  options?: ParseOptions,
): Record<string, "y" | "n"> | null;

/** Returns a URL without the parameters that `Clean-param` of a file declares irrelevant. */
export function cleanUrl(robotsTxt: Text, url: string | URL, options?: ParseOptions): string;

/** Returns the rules that decide no URL, among those that an agent obeys. */
export function deadRules(
  robotsTxt: Text,
  agent: Agent,
  options?: ParseOptions,
): RuleFindings<DeadRule>;

/**
 * Returns the rules that can be removed without a change although they decide some URLs. Each of
 * them can be removed alone; not always all together.
 */
export function redundantRules(
  robotsTxt: Text,
  agent: Agent,
  options?: ParseOptions,
): RuleFindings<RedundantRule>;

/** Findings about rules, in the order of the file. All of them are proved. */
export interface RuleFindings<Finding> {
  found: Finding[];
  /** Rules that may also be a finding, each with the reason. */
  undecided: { rule: Rule; text: string }[];
}

/** A rule that decides no URL. */
export interface DeadRule {
  rule: Rule;
  /** It is empty, matches no URL, matches only `/robots.txt`, or others override it. */
  cause: "empty" | "matches_nothing" | "robots_txt" | "overridden" | "other";
  /** The rules that decide every URL that it matches; empty with another cause. */
  overriddenBy: Rule[];
}

/** A rule that decides some URLs as others would. */
export interface RedundantRule {
  rule: Rule;
  /** The rules that would decide the same. */
  becauseOf: Rule[];
  /** Whether URLs remain allowed because no other rule matches. */
  byDefault: boolean;
}

/** Counts URLs by the rules that decide them for an agent. */
export function coverage(
  robotsTxt: Text,
  agent: Agent,
  urls: Iterable<string | URL>,
  options?: ParseOptions,
): Coverage;

/** Numbers of URLs. */
export interface Coverage {
  total: number;
  allowed: number;
  disallowed: number;
  /** Allowed because no rule matches. */
  noRule: number;
  /** URLs of the robots.txt itself. */
  robotsTxt: number;
  /** Texts that are neither a URL nor a path. They count nowhere else. */
  notUrls: number;
  /** The rules that the agent obeys, in the order of the file. */
  rules: { rule: Rule; urls: number }[];
  /** Beginnings of paths that no rule mentions, the most frequent first. */
  unmentioned: { prefix: string; urls: number }[];
}

/** Returns all known crawlers, and the day on which they were last compared with their sources. */
export function knownCrawlers(): { date: string; crawlers: KnownCrawler[] };

/**
 * Returns the crawler of a name or a User-Agent header, for functions of module `verger`: a known
 * crawler with its documented fallbacks and special rules, or any other product token. The functions
 * of this module read a text in this way, too. `note` is a remark on a known crawler, as in
 * `ComparedCrawler`.
 */
export function crawlerFor(
  agent: string,
  options?: ParseOptions,
): Required<CrawlerTokens> & { note: string | null };

/**
 * Returns the crawlers whose tokens a User-Agent header contains: known ones first, then crawlers and
 * tools of which only token, operator, purpose and documentation are known.
 */
export function identifyCrawlers(userAgent: string): KnownCrawler[];

/** A known crawler, as its operator documents it. */
export interface KnownCrawler {
  /** The name by which robots.txt files name it. */
  token: string;
  aliases: string[];
  /** Its User-Agent headers. */
  userAgents: string[];
  operator: string | null;
  purpose: string;
  /** Whether the operator states that it obeys robots.txt. */
  obeysRobotsTxt: boolean | null;
  /** Its tokens, for `Robots.check` and the like. */
  crawler: Required<CrawlerTokens>;
  hasDocumentedTokens: boolean;
  /** The name of its access profile, `rfc9309` if none is documented. */
  accessProfile: string;
  /** Whether only name, operator, purpose and page are known. */
  isNameOnly: boolean;
  /** Domains of its host names. */
  reverseDns: string[];
  /** URLs of lists of its addresses. */
  ipRanges: string[];
  signatureAgent: string | null;
  /** The date on which it was retired. */
  retired: string | null;
  documentation: string | null;
  note: string | null;
  /** Where this was read. */
  source: CrawlerSource;
  /** The sources of single keys, where they differ from `source`. */
  sources: { readonly [key in CrawlerKey]?: CrawlerSource };
  /** The keys for which no text of the operator was found. */
  unconfirmed: CrawlerKey[];
}

/** A page, and its date. */
export interface CrawlerSource {
  url: string;
  date: string;
}

/** A key of a known crawler with a source. */
export type CrawlerKey =
  | "aliases"
  | "userAgents"
  | "operator"
  | "purpose"
  | "obeysRobotsTxt"
  | "crawler"
  | "accessProfile"
  | "reverseDns"
  | "ipRanges"
  | "signatureAgent"
  | "retired"
  | "documentation";
