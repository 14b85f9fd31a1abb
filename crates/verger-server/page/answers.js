// Parts of answers, for both engines.

import { LISTED } from "./limits.js";

/** The engine ends lines at CR, LF and CRLF (REP-SYNTAX-4). */
export function unixLines(text) {
  return text.replace(/\r\n?/g, "\n");
}

/** The listed rules and groups of an explanation, and the numbers of the others. */
export function listed(contenders, groups) {
  const first = contenders.toSorted(decidingFirst);
  return {
    contenders: first.slice(0, LISTED),
    omittedContenders: Math.max(0, first.length - LISTED),
    groups: groups
      .slice(0, LISTED)
      .map(({ line, agents }) => ({ line, agents: agents.slice(0, LISTED) })),
    omittedGroups: Math.max(0, groups.length - LISTED),
  };
}

function decidingFirst(first, second) {
  return Number(second.standing === "decides") - Number(first.standing === "decides");
}
