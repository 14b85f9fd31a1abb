// Causes of different answers of Verger and robots-parser.

import { Model } from "./model.js";

const isHeader = (agent) => /[^a-z_-]/i.test(agent);

/** All causes, in the order in which they are tried: from the bytes of the file to the decision. */
export const CAUSES = [
  {
    name: "utf-16",
    clause: "REP-AMB-20",
    choice: "utf16",
    text: "robots-parser gets text that was decoded as UTF-8, and finds no rules in UTF-16. Verger decodes it.",
  },
  {
    name: "size-limit",
    clause: "REP-SYNTAX-8",
    choice: "limit",
    text: "robots-parser reads files of any size. Verger reads the first 500 KiB.",
  },
  {
    name: "not-utf-8",
    clause: "REP-SYNTAX-1",
    choice: "notUtf8",
    text: "robots-parser gets U+FFFD for bytes that are not UTF-8. Verger compares the bytes.",
  },
  {
    name: "white-space",
    clause: "REP-AMB-42",
    choice: "space",
    text: "robots-parser trims all white space of Unicode, such as U+00A0. Verger trims that of ASCII, and NULs at the end of a line.",
  },
  {
    name: "missing-colon",
    clause: "REP-AMB-41",
    choice: "colon",
    text: "robots-parser ignores lines without a colon. Verger reads those of two words: `disallow /x`.",
  },
  {
    name: "misspelt-key",
    clause: "REP-AMB-40",
    choice: "misspelt",
    text: "robots-parser ignores misspelt keys such as `Dissalow`. Verger accepts them.",
  },
  {
    name: "other-line-ends-agents",
    clause: "REP-AGENT-12",
    choice: "otherLinesEnd",
    text: "For robots-parser every line with a key ends a list of user-agent lines, such as `Sitemap` or `Crawl-delay`. For Verger only a rule ends it.",
  },
  {
    name: "group-without-rules",
    clause: "REP-AGENT-13",
    choice: "ruleless",
    text: "robots-parser drops a group without rules, and the group for `*` applies. For Verger it allows everything.",
  },
  {
    name: "first-word",
    clause: "REP-AMB-11",
    choice: "exactName",
    applies: (agent) => !isHeader(agent),
    text: "robots-parser takes the value of a user-agent line up to `/` for the name. Verger takes the first word.",
  },
  {
    name: "user-agent-header",
    clause: "REP-AMB-13",
    choice: "exactName",
    applies: isHeader,
    text: "The agent is no product token. robots-parser compares the text before `/`. Verger looks for product tokens, as in a User-Agent header.",
  },
  {
    name: "robots-txt",
    clause: "REP-MATCH-6",
    choice: "robotsTxt",
    text: "For robots-parser `/robots.txt` is a path like any other. Verger always allows it.",
  },
  {
    name: "empty-query",
    clause: "REP-MATCH-1",
    choice: "emptyQuery",
    text: "robots-parser drops the `?` of an empty query. Verger compares it.",
  },
  {
    name: "escapes",
    clause: "REP-MATCH-20",
    choice: "literal",
    text: "robots-parser compares escapes letter by letter. For Verger `%61` is `a`, and an escape that stays counts three octets in the length of a rule.",
  },
];

/** The cause of an exception of robots-parser. */
export const RAISES = {
  name: "peer-throws",
  clause: "REP-SYNTAX-1",
  text: "robots-parser throws an error for this file or URL. Verger answers.",
};

/** The cause of differences that the model does not explain. */
export const UNEXPLAINED = {
  name: "unexplained",
  clause: "",
  text: "No cause in the table explains this difference. Please report it.",
};

/** The causes of the differences of one file. */
export class Analysis {
  #model;

  constructor(body) {
    this.#model = new Model(body);
  }

  /** One cause, several that explain the difference only together, or `UNEXPLAINED`. */
  causes(agent, url, ours, theirs) {
    const allowed = (choices) => this.#model.answer(new Set(choices), agent, url).allowed;
    const active = CAUSES.filter((cause) => cause.applies?.(agent) ?? true);
    let needed = active.map((cause) => cause.choice);
    if (allowed([]) !== ours || allowed(needed) !== theirs) return [UNEXPLAINED];
    const single = active.find((cause) => allowed([cause.choice]) === theirs);
    if (single !== undefined) return [single];
    for (const { choice } of [...active].reverse()) {
      const without = needed.filter((it) => it !== choice);
      if (allowed(without) === theirs) needed = without;
    }
    return active.filter((cause) => needed.includes(cause.choice));
  }

  free() {
    this.#model.free();
  }
}
