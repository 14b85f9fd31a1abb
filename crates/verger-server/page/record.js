// The record of an origin as facts: how robots.txt was fetched, and how long the result is valid.

import { breakable, foreign, make, ruleText } from "./dom.js";
import { count, visible } from "./text.js";

/** Sentences for reasons without a deciding rule, if URLs are allowed or not; as the engine says. */
const REASONS = {
  unavailable: [
    "there is no robots.txt, or it is treated as missing",
    "access to robots.txt was denied, so everything is disallowed",
  ],
  unreachable: [
    "robots.txt cannot be fetched, so everything is allowed",
    "robots.txt cannot be fetched, so everything is disallowed until it can be",
  ],
  redirect_limit: [
    "robots.txt has too many redirects, so everything is allowed",
    "robots.txt has too many redirects, so everything is disallowed",
  ],
  pending: [null, "the fetch of robots.txt takes long; until it ends, nothing may be fetched"],
  busy: [null, "the service is busy; until it has an answer, nothing may be fetched"],
  no_rule_matches: ["no rule matches", null],
  no_group: ["no group applies to this crawler", null],
  robots_txt_itself: ["robots.txt itself may always be fetched", null],
  no_robots_for_scheme: ["URLs of this scheme have no robots.txt", null],
  crawler_ignores_robots: ["this crawler does not follow robots.txt", null],
};

/** The sentence of an answer without a rule, in lower case. */
export function reasonText({ allowed, reason }) {
  const found = REASONS[reason]?.[allowed ? 0 : 1];
  return found ?? `the reason is ${visible(String(reason), 40)}`;
}

/** The same for any answer, as nodes. */
export function answerNodes({ allowed, reason, rule }) {
  const verdict = allowed ? "allowed" : "disallowed";
  if (!rule) return [`${verdict}: ${reasonText({ allowed, reason })}`];
  return [`${verdict} by `, make("code", {}, foreign(ruleText(rule))), ` on line ${rule.line}`];
}

/** Reasons for the use of a file that may have expired. */
const STALE = {
  while_refreshing: "It is used while the service fetches it again.",
  during_outage: "It is from before an outage that continues.",
  not_refreshed: "The service could not fetch it again.",
};

/** The meaning of a record for all crawlers: badge and sentence. */
export function accessOf(answer) {
  const { decision = {}, allowed, unanswered } = answer;
  if (decision.access === "rules") {
    const text = `The rules of this file are in force. ${STALE[decision.stale] ?? ""}`.trim();
    return { name: "in-force", label: "rules", sentence: text };
  }
  const isAllowed = allowed === true;
  const text = `${isAllowed ? "Allowed" : "Disallowed"}: ${reasonText(answer)}.`;
  return {
    name: isAllowed ? "allowed" : "disallowed",
    label: isAllowed ? "✓ everything allowed" : "✕ everything disallowed",
    sentence: unanswered ? `${text} The site itself may be in order.` : text,
  };
}

/** The facts of a record, as terms and their descriptions. */
export function recordFacts({ decision = {} }, record) {
  const known = { ...decision, ...record };
  const { status, failure, hops = [], final_url: finalUrl, sha256, bytes } = known;
  const facts = [];
  const add = (name, ...value) =>
    facts.push(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  const isUnknown = status === undefined && failure === undefined;
  if (!isUnknown) {
    const isStatus = failure?.kind === "status";
    const parts = [
      status !== undefined && !isStatus && `status ${status}`,
      failure && foreign(failure.message),
    ];
    add(
      "Last response",
      parts.filter(Boolean).flatMap((part, at) => [at > 0 && ", ", part]),
    );
  }
  if (hops.length > 0) {
    add(
      "Redirects",
      make(
        "ol",
        { class: "hops" },
        hops.map((hop) => make("li", {}, breakable(hop.url), ` (${hop.status})`)),
        make("li", {}, "to ", breakable(finalUrl)),
      ),
    );
  }
  const time = (name, at) => at > 0 && add(name, timeElement(at));
  time("Last fetch", known.tried_at);
  time("File fetched", known.fetched_at);
  time("Fresh until", known.fresh_until);
  time("Next fetch", known.next_try);
  if (known.failing_since !== undefined) {
    add(
      "Outage",
      "since ",
      timeElement(known.failing_since),
      `, ${count(known.failures, "failed fetch", "failed fetches")}`,
    );
  }
  if (record?.body) add("Size", count(bytes, "byte"));
  if (record?.body) add("SHA-256", make("code", { class: "hash" }, sha256));
  const remarks = [
    known.html && "The body looks like an HTML page.",
    known.truncated && "The body was cut at the size limit.",
    known.downgraded && "A redirect led from https to http.",
  ].filter(Boolean);
  if (remarks.length > 0) add("Remarks", remarks.join(" "));
  add("Access profile", make("code", {}, foreign(decision.access_profile ?? "unknown")));
  if (record?.user_agent) add("Fetched by", make("code", {}, foreign(record.user_agent)));
  return facts;
}

/** A time in UTC, from seconds since 1970. */
export function timeElement(seconds) {
  const date = new Date(seconds * 1_000);
  // Beyond the dates of HTML, or of JavaScript (not a number).
  if (!(date.getUTCFullYear() <= 9_999)) return make("time", {}, `${seconds} s after 1970`);
  const text = date.toISOString();
  return make("time", { datetime: text }, `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`);
}
