// Hostile texts, and the search for traces of them on the page.

export const MARKUP = [
  "<script>attacked=1</script>",
  "<img src=x onerror=attacked=1>",
  "<svg onload=attacked=1>",
  '"><iframe srcdoc="<script>parent.attacked=1</script>">',
  "'-attacked=1-'",
  "</textarea><script>attacked=1</script>",
  "javascript:attacked=1",
  "{{constructor.constructor('attacked=1')()}}",
  "<base href=https://evil.example/>",
  "<meta http-equiv=refresh content=0;url=https://evil.example/>",
  "<style>*{background:url(https://evil.example/)}</style>",
  "`<b>`",
];

export const INVISIBLE =
  "/\u202e\u2066\u200b\u200d\u0007\u001b[2J\u009b\u007f\u2028\ufeff\u{e0041}\u0301\u3164\u00a0";

/** Problems that hostile text has caused on the page. */
export async function problems(page) {
  return page.evaluate(async () => {
    // `text.test.mjs` compares it with the engine.
    const { visible } = await import(new URL("./text.js", location.href).href);
    const isActive = (text) => visible(text.replaceAll("\n", "")) !== text.replaceAll("\n", "");
    const found = [];
    if (globalThis.attacked !== undefined) found.push("a script ran");
    const foreign = document.querySelectorAll(
      "body :is(script, iframe, object, embed, base, meta, style, svg, b:not(.then b))",
    );
    for (const element of foreign) found.push(element.outerHTML);
    for (const image of document.querySelectorAll("img")) {
      if (image.getAttribute("src") !== "verger.svg") found.push(image.outerHTML);
    }
    for (const element of document.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        if (name.startsWith("on") || name === "style") found.push(`attribute ${name}`);
        if (isActive(value)) found.push(`${name}: ${escape(value)}`);
      }
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (isActive(data) && parentElement.tagName !== "TEXTAREA") found.push(escape(data));
    }
    return found;
  });
}
