// The service that serves this page, if there is one: requests to it, and its token.

import { RETRIES, SERVICE_TIME, WAIT } from "./limits.js";

/** The address of the service, from the page itself; empty on a static page. */
const ADDRESS = document.querySelector('meta[name="verger-service"]').content;

/** A problem document of the service, or a request without a response. */
export class ServiceError extends Error {
  /**
   * @param {string} message
   * @param {number} status 0 without a response
   * @param {object} [problem] the document (RFC 9457)
   */
  constructor(message, status, problem = {}) {
    super(message);
    this.status = status;
    this.problem = problem;
  }
}

class Service {
  #base;
  /** In memory only: a reload of the page forgets it. */
  #token = null;
  /** The question for a token, which concurrent requests share. */
  #asking = null;
  /** Asks for a token; `null` if nobody gives one. Set by the page. */
  askToken = async () => null;

  constructor(base) {
    this.#base = base;
  }

  /** The record of an origin with its file and its versions; `null` without one. */
  async record(origin) {
    try {
      return (await this.send(`${pathOf(origin)}?body=true`)).json;
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }

  /** An earlier file of an origin. */
  async version(origin, sha256) {
    const { json } = await this.send(`${pathOf(origin)}?version=${encodeURIComponent(sha256)}`);
    return bytesOf(json, "body");
  }

  /** Makes the service fetch robots.txt, even if its record is fresh. */
  async refresh(origin) {
    await this.#complete(`${pathOf(origin)}/refresh`, { wait_ms: WAIT });
  }

  /**
   * Answers for URLs of any origins. The service fetches what it does not know. A URL whose fetch
   * takes too long has the reason `pending`.
   *
   * @param {object} crawler `agent` or `agents`
   * @param {string[]} urls
   * @returns {Promise<object[]>} answers as in the JSON contract
   */
  check(crawler, urls, dialect) {
    return this.#complete("v1/check", { ...crawler, urls, dialect, wait_ms: WAIT });
  }

  /** Repeats a question until the answer is complete. */
  async #complete(path, question) {
    for (let tries = 1; ; tries += 1) {
      const { json, status, retryAfter } = await this.send(path, question);
      if (status !== 202 || tries === RETRIES) return json;
      await pause(retryAfter);
    }
  }

  /** Sends a question, or a request without one. A busy service is asked again. */
  async send(path, question, signal = null, tries = 1) {
    const token = this.#token;
    const headers = {};
    if (token !== null) headers.authorization = `Bearer ${token}`;
    if (question !== undefined) headers["content-type"] = "application/json";
    const response = await this.#request(path, {
      method: question === undefined ? "GET" : "POST",
      headers,
      body: question === undefined ? undefined : JSON.stringify(question),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.any([signal, AbortSignal.timeout(SERVICE_TIME)].filter(Boolean)),
    });
    const json = await response.json().catch(() => ({}));
    if (response.status === 401) {
      // Another request may have got one meanwhile.
      if (this.#token === token && !(await this.#askOnce(token !== null))) {
        throw new ServiceError("the service needs a token", 401, json);
      }
      return this.send(path, question, signal, tries);
    }
    const retryAfter = Number(response.headers.get("retry-after")) || 1;
    if (response.status === 503 && tries < RETRIES) {
      await pause(retryAfter);
      return this.send(path, question, signal, tries + 1);
    }
    if (!response.ok) {
      throw new ServiceError(json.detail ?? `status ${response.status}`, response.status, json);
    }
    return { json, status: response.status, retryAfter };
  }

  async #request(path, options) {
    try {
      return await fetch(new URL(path, new URL(this.#base, location.href)), options);
    } catch (error) {
      const text =
        error.name === "TimeoutError"
          ? `the service did not answer within ${SERVICE_TIME / 1_000} seconds`
          : "the service cannot be reached";
      throw new ServiceError(text, 0);
    }
  }

  /** Asks for a token; whether there is one. */
  async #askOnce(isWrong) {
    this.#asking ??= this.askToken(isWrong).finally(() => {
      this.#asking = null;
    });
    const token = await this.#asking;
    if (token !== null) this.#token = token;
    return token !== null;
  }
}

function pause(seconds) {
  return new Promise((resolve) => setTimeout(resolve, 1_000 * seconds));
}

function pathOf(origin) {
  return `v1/origins/${encodeURIComponent(origin)}`;
}

const encoder = new TextEncoder();

/** The bytes of a foreign text in JSON; none without it. */
export function bytesOf(keys, key) {
  const exact = keys[`${key}_b64`];
  if (exact === undefined) return encoder.encode(keys[key]);
  return Uint8Array.from(atob(exact), (character) => character.charCodeAt(0));
}

/**
 * Asks for URLs. Those that the service rejects get its reason, and the others are asked again.
 *
 * @param {string[]} urls
 * @param {(urls: string[]) => Promise<object[]>} ask
 * @returns {Promise<Map<string, object>>} answers by URL, some of them an `error`: of the URL itself
 *   (`isWrong`), or of the request
 */
export async function answersTo(urls, ask) {
  const answers = new Map();
  for (let rest = urls; rest.length > 0; ) {
    try {
      const found = await ask(rest);
      for (const [at, url] of rest.entries()) answers.set(url, found[at]);
      break;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { errors = [] } = error.status === 422 ? error.problem : {};
      const asked = rest;
      for (const { pointer = "", detail } of errors) {
        const at = /^\/urls\/(\d+)$/.exec(pointer)?.[1];
        if (at !== undefined) answers.set(asked[at], { error: { message: detail, isWrong: true } });
      }
      rest = asked.filter((url) => !answers.has(url));
      if (rest.length < asked.length) continue;
      // Without an answer, each cell says so.
      for (const url of asked) answers.set(url, { error: { message: error.message } });
      break;
    }
  }
  return answers;
}

/** `null` on a static page, which sends nothing. */
export const service = ADDRESS === "" ? null : new Service(ADDRESS);
