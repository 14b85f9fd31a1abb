// The question for the token of the service. The page keeps it in memory only.

import { button, fill, make } from "./dom.js";

/** Shows the question. The result is a token, or `null` if the dialog is closed. */
export function askToken(dialog, isWrong) {
  return new Promise((resolve) => {
    const input = make("input", {
      type: "password",
      id: "token-text",
      name: "token",
      autocomplete: "off",
      spellcheck: "false",
      required: true,
      "aria-describedby": "token-hint",
    });
    let token = null;
    const submit = (event) => {
      event.preventDefault();
      token = input.value.trim();
      // A header has printable ASCII characters only.
      if (!/^[!-~]+$/.test(token)) {
        input.setCustomValidity("Expected printable ASCII characters without spaces.");
        input.reportValidity();
        token = null;
        return;
      }
      dialog.close();
    };
    input.addEventListener("input", () => input.setCustomValidity(""));
    fill(
      dialog,
      make(
        "form",
        { submit },
        make(
          "div",
          { class: "dialog-head" },
          make("h2", { id: "token-title" }, "Token"),
          isWrong &&
            make("p", { class: "problem", role: "alert" }, "The service rejects this token."),
          make("label", { for: "token-text" }, "A line of the token file of the service"),
          input,
          make(
            "p",
            { class: "hint", id: "token-hint" },
            "It stays in the memory of this page until you close or reload it.",
          ),
        ),
        make(
          "div",
          { class: "dialog-foot" },
          button("Cancel", () => dialog.close(), { class: "quiet" }),
          make("button", { type: "submit", class: "primary" }, "Use"),
        ),
      ),
    );
    dialog.addEventListener(
      "close",
      () => {
        fill(dialog);
        resolve(token);
      },
      { once: true },
    );
    dialog.showModal();
    input.focus();
  });
}
