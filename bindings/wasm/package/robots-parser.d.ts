/**
 * The interface of robots-parser 3 with the answers of Verger. As there, a name of a crawler is its
 * literal token, without documented fallbacks.
 *
 * @module
 */

/**
 * Parses a robots.txt.
 *
 * @param url the URL of the robots.txt; both it and the questions may be relative
 * @param contents the file; bytes are better than text, because the engine detects the encoding
 */
export default function robotsParser(
  url: string | URL,
  contents: string | Uint8Array | null | undefined,
): Robots;

/** A parsed robots.txt. */
export interface Robots {
  /**
   * Returns whether an agent may fetch a URL; `undefined` for a URL of another origin, or of none
   * such as `data:`.
   */
  isAllowed(url: string | URL, ua?: string): boolean | undefined;

  /** Returns the opposite of `isAllowed`; also `true` for a URL of another origin. */
  isDisallowed(url: string | URL, ua?: string): boolean;

  /** Returns the line of the deciding rule, from 1; -1 if no rule decides. */
  getMatchingLineNumber(url: string | URL, ua?: string): number;

  /** Returns the crawl delay for an agent in seconds. */
  getCrawlDelay(ua?: string): number | undefined;

  /** Returns the values of `Sitemap`, as written. */
  getSitemaps(): string[];

  /** Returns the value of `Host` in lower case. */
  getPreferredHost(): string | null;

  /** Adds a rule after those of the file. */
  addRule(userAgents: string[], pattern: string, allow: boolean, lineNumber?: number): void;

  /** Sets the delay of agents. */
  setCrawlDelay(userAgents: string[], delayStr: string | number): void;

  /** Adds a sitemap after those of the file. */
  addSitemap(url: string): void;

  /** Sets the preferred host. */
  setPreferredHost(url: string): void;
}
