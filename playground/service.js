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
      return (await this.#send(`${pathOf(origin)}?body=true`)).json;
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }

  /** An earlier file of an origin. */
  async version(origin, sha256) {
    const { json } = await this.#send(`${pathOf(origin)}?version=${encodeURIComponent(sha256)}`);
    return bytesOf(json);
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
      const { json, status, retryAfter } = await this.#send(path, question);
      if (status !== 202 || tries === RETRIES) return json;
      await new Promise((resolve) => setTimeout(resolve, 1_000 * retryAfter));
    }
  }

  async #send(path, question) {
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
      signal: AbortSignal.timeout(SERVICE_TIME),
    });
    const json = await response.json().catch(() => ({}));
    if (response.status === 401) {
      // Another request may have got one meanwhile.
      if (this.#token === token && !(await this.#askOnce(token !== null))) {
        throw new ServiceError("the service needs a token", 401, json);
      }
      return this.#send(path, question);
    }
    if (!response.ok) {
      throw new ServiceError(json.detail ?? `status ${response.status}`, response.status, json);
    }
    const retryAfter = Number(response.headers.get("retry-after")) || 1;
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

function pathOf(origin) {
  return `v1/origins/${encodeURIComponent(origin)}`;
}

const encoder = new TextEncoder();

/** The bytes of a file in JSON. */
export function bytesOf({ body = "", body_b64 }) {
  if (body_b64 === undefined) return encoder.encode(body);
  return Uint8Array.from(atob(body_b64), (character) => character.charCodeAt(0));
}

/** `null` on a static page, which sends nothing. */
export const service = ADDRESS === "" ? null : new Service(ADDRESS);
