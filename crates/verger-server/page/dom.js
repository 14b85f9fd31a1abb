// Elements. Text becomes text nodes only, so that foreign text is inert.

import { ESCAPES } from "./limits.js";
import { pieces, visible } from "./text.js";

/**
 * Makes an element. Properties are attributes; a function is a listener of the event with its name.
 *
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined | Function>} properties
 * @param {...(Node | string | null | undefined | false | Array)} children
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child != null && child !== false));
  return element;
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child != null && child !== false));
}

/** Foreign text: escapes are marked, and its direction does not leave it. */
export function foreign(text, properties = {}) {
  return make("bdi", { dir: "ltr", ...properties }, shown(text));
}

/** The nodes of foreign text. The first escapes are marked; marking all of a hostile text takes minutes. */
export function shown(text) {
  let marked = 0;
  const nodes = [];
  for (const piece of pieces(text)) {
    if (piece.isEscape && marked < ESCAPES) {
      marked += 1;
      nodes.push(make("span", { class: "escape" }, piece.text));
    } else if (typeof nodes.at(-1) === "string") {
      nodes.push(nodes.pop() + piece.text);
    } else {
      nodes.push(piece.text);
    }
  }
  return nodes;
}

/** Foreign text that can be broken at the ends of parts of a URL. */
export function breakable(text) {
  const parts = text.split(/(?<=[/?&])(?![/?&])/);
  return make(
    "bdi",
    { dir: "ltr" },
    parts.map((part, index) => [index > 0 && make("wbr"), shown(part)]),
  );
}

/** Code in a sentence, as in Markdown: between runs of backticks that are longer than those inside. */
const CODE = /(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/u;

/** A sentence of the engine, which has escaped foreign text. */
export function sentence(text) {
  return text
    .split(CODE)
    .filter((_, index) => index % 3 !== 1)
    .map((part, index) => (index % 2 === 0 ? part : code(part)));
}

function code(text) {
  // A text that begins or ends with a backtick has a space around it.
  const inner = /^ (.*`|`.*) $/u.exec(text)?.[1] ?? text;
  return make("code", {}, foreign(inner));
}

/** A rule as sentences of the engine show it. */
export function ruleText({ kind, pattern }) {
  const space = pattern === "" ? "" : " ";
  return `${kind === "allow" ? "Allow" : "Disallow"}:${space}${visible(pattern, QUOTED)}`;
}

/** Characters of a pattern in a sentence, as `QUOTED_CHARS` of the engine. */
const QUOTED = 200;

/** Whether fingers use the page: there is no pointer that hovers, and perhaps no keyboard. */
export const isTouch = matchMedia("(hover: none)").matches;

/** An element of the page. */
export function byId(id) {
  return document.getElementById(id);
}

/** A button with a visible text. */
export function button(text, click, properties = {}) {
  return make("button", { type: "button", ...properties, click }, text);
}

/** Text for screen readers only. */
export function hidden(text) {
  return make("span", { class: "hidden" }, text);
}

let announcement;

/** Announces a change to screen readers; only the last one of several at a time. */
export function announce(text) {
  clearTimeout(announcement);
  announcement = setTimeout(() => {
    byId("status").textContent = text;
  }, 250);
}

/** Closes the message, if it is an error. */
export function forgive() {
  if (byId("notice").querySelector(".error") !== null) fill(byId("notice"));
}

/**
 * Shows a message with a button that closes it; `null` closes it.
 *
 * @param {string | null} text
 * @param {"info" | "error"} kind
 * @param {[label: string, act: () => void][]} actions further buttons
 */
export function notify(text, kind = "info", actions = []) {
  const notice = byId("notice");
  if (text === null) {
    fill(notice);
    return;
  }
  const act = (run) => () => {
    run();
    // The button is gone. The next message has its place.
    (notice.querySelector("button") ?? byId("main").querySelector("button, input"))?.focus();
  };
  const buttons = actions.map(([label, run]) => button(label, act(run)));
  const close = button("Close", () => {
    fill(notice);
    byId("main").querySelector("button, input")?.focus();
  });
  fill(
    notice,
    make(
      "div",
      { class: `message ${kind}` },
      make("p", {}, shown(text)),
      make("div", { class: "tools" }, buttons, close),
    ),
  );
}
