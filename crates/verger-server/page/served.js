// Verdicts of the service: for an origin without rules in force, the file alone decides nothing.

import { SERVICE_URL } from "./limits.js";
import { answersTo } from "./service.js";

/** A crawler that no group names. */
const OTHER = "any-other-crawler";

/**
 * Answers of the service for crawlers and URLs, by URL and crawler.
 *
 * @param {object} service
 * @param {string} origin of paths
 * @param {string[]} crawlers their names
 * @param {string[]} urls
 * @param {string} dialect
 */
export async function* served(service, origin, crawlers, urls, dialect) {
  const columns = await Promise.all(
    crawlers.map((crawler) => column(service, origin, crawler, urls, dialect)),
  );
  for (const row of urls.keys()) yield { row, cells: columns.map((cells) => cells[row]) };
}

async function column(service, origin, name, urls, dialect) {
  const found = urls.map((text) => absolute(text, origin));
  const sent = [...new Set(found.filter((url) => url !== null && url.length <= SERVICE_URL))];
  const crawler = { agent: name === "*" ? OTHER : name };
  const answers = await answersTo(sent, (urls) => service.check(crawler, urls, dialect));
  return found.map((url) => {
    if (url === null) return { allowed: false, reason: "not_a_url", line: null };
    const answer = answers.get(url) ?? { error: { message: "the URL is too long" } };
    if (answer.error !== undefined) {
      return { allowed: false, reason: "refused", line: null, message: answer.error.message };
    }
    const { allowed, reason, rule, note } = answer;
    // Only a clear yes allows.
    return { allowed: allowed === true, reason, line: rule?.line ?? null, note, answer };
  });
}

/** The URL that a client sends; `null` for another text. */
function absolute(text, origin) {
  if (!text.startsWith("/") && !/^[a-z][a-z\d+.-]*:/i.test(text)) return null;
  try {
    const url = new URL(text.startsWith("/") ? origin + text : text);
    url.hash = "";
    return url.href;
  } catch {
    return null;
  }
}
