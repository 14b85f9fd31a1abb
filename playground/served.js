// Verdicts of the service: for an origin without rules in force, the file alone decides nothing.

import { SERVICE_URL } from "./limits.js";
import { ServiceError } from "./service.js";

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
  const answers = new Map();
  const crawler = { agent: name === "*" ? OTHER : name };
  await ask(service, crawler, sent, dialect, answers);
  return found.map((url) => {
    if (url === null) return { allowed: false, reason: "not_a_url", line: null };
    const answer = answers.get(url) ?? { error: { message: "the URL is too long" } };
    if (answer.error !== undefined) {
      return { allowed: false, reason: "refused", line: null, message: answer.error.message };
    }
    const { allowed, reason, rule } = answer;
    // Only a clear yes allows.
    return { allowed: allowed === true, reason, line: rule?.line ?? null, answer };
  });
}

/** Asks for URLs. Those that the service rejects get its reason, and the others are asked again. */
async function ask(service, crawler, urls, dialect, answers) {
  if (urls.length === 0) return;
  try {
    const found = await service.check(crawler, urls, dialect);
    for (const [at, url] of urls.entries()) answers.set(url, found[at]);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // Without an answer, each cell says so.
    const { errors = [] } = error.status === 422 ? error.problem : {};
    const wrong = new Map();
    for (const { pointer = "", detail } of errors) {
      const at = /^\/urls\/(\d+)$/.exec(pointer)?.[1];
      if (at !== undefined) wrong.set(urls[Number(at)], detail);
    }
    for (const url of wrong.size > 0 ? wrong.keys() : urls) {
      answers.set(url, { error: { message: wrong.get(url) ?? error.message } });
    }
    const rest = wrong.size > 0 ? urls.filter((url) => !wrong.has(url)) : [];
    await ask(service, crawler, rest, dialect, answers);
  }
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
