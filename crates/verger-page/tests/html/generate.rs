//! Generated pages with difficult input for tokenizers.
//!
//! The elements of [`page`] are nested correctly, those of [`tangled`] are not.

use fastrand::Rng;

/// The page of a seed.
pub(crate) fn page(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let mut page = String::new();
    if random.bool() {
        page.push_str("<!doctype html>");
    }
    if random.bool() {
        page.push_str("<html><head>");
    }
    for _ in 0..random.usize(1..6) {
        piece(&mut random, &mut page, 0);
    }
    if random.u8(..8) == 0 {
        page.push_str(UNFINISHED[random.usize(..UNFINISHED.len())]);
    }
    page
}

fn piece(random: &mut Rng, page: &mut String, depth: usize) {
    match random.u8(..12) {
        0..4 => meta(random, page),
        4 | 5 if depth < 4 => {
            let (open, close) = AROUND[random.usize(..AROUND.len())];
            page.push_str(open);
            for _ in 0..random.usize(..3) {
                piece(random, page, depth + 1);
            }
            page.push_str(close);
        }
        6 if depth < 4 => {
            let name = ["span", "div", "section", "p", "mytag"][random.usize(..5)];
            let mark = [" data-nosnippet", " DATA-NoSnippet=false", " a", ""][random.usize(..4)];
            page.extend(["<", name, mark, ">"]);
            // A `p` is closed by many elements, so it contains text only.
            if name == "p" {
                page.push('x');
            } else {
                piece(random, page, depth + 1);
            }
            page.extend(["</", name, ">"]);
        }
        _ => page.push_str(BETWEEN[random.usize(..BETWEEN.len())]),
    }
}

fn meta(random: &mut Rng, page: &mut String) {
    let any = |random: &mut Rng, all: &[&'static str]| all[random.usize(..all.len())];
    let name = any(random, &["robots", "ROBOTS", " robots ", "rob&#x6f;ts", "rob&#111ts"]);
    let content = any(
        random,
        &[
            "noindex",
            "no&#105;ndex, a&comma;b",
            "a&amp;b&copy=c&copy;&lt;d&gt",
            "max-snippet:5\r\n,\rx",
            "&NotEqualTilde;&#0;&#x80;&#x110000;\u{e9}日",
            "",
            "<meta name=robots>",
            "-->]]></script>",
        ],
    );
    let quote = any(random, &["\"", "'"]);
    let space = any(random, &[" ", "\n", "\t\r\n", "/", " x "]);
    let tag = any(random, &["<meta", "<META", "<mEtA"]);
    let end = any(random, &[">", "/>", " >", " content=late>", " name=late x=y>"]);
    let (first, second) = (("name", name), ("content", content));
    let (first, second) = if random.bool() { (first, second) } else { (second, first) };
    page.extend([tag, space, first.0, "=", quote, first.1, quote]);
    page.extend([space, second.0, " = ", quote, second.1, quote, end]);
}

/// A page of tags in any order, mostly nested incorrectly.
pub(crate) fn tangled(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let mut page = String::from("<!doctype html><html><body>");
    for _ in 0..random.usize(1..14) {
        page.push_str(TANGLED[random.usize(..TANGLED.len())]);
    }
    page
}

/// Elements that hide their content, and others.
const AROUND: [(&str, &str); 18] = [
    ("<template>", "</template>"),
    ("<TEMPLATE a><b>", "</b></template >"),
    ("<!--", "-->"),
    ("<!-- a -- >", "--!>"),
    ("<script>", "</script>"),
    ("<script><!--<script>", "</script>--></script>"),
    ("<style>", "</style>"),
    ("<title>", "</title>"),
    ("<textarea>", "</textarea>"),
    ("<noscript>", "</noscript>"),
    ("<xmp>", "</xmp>"),
    ("<iframe>", "</iframe>"),
    ("<noembed>", "</noembed>"),
    ("<b><i>", "</i></b>"),
    ("<ul><li>", "</li></ul>"),
    ("<a href='<meta>'>", "</a>"),
    ("<svg><title>", "</title></svg>"),
    ("<?php ", "?>"),
];

const BETWEEN: [&str; 16] = [
    "x",
    "\r\n",
    "\u{e9}日\u{1f600}",
    "<br>",
    "<meta>",
    "<meta name=robots>",
    "<meta content=noindex>",
    "<meta property=robots content=noindex>",
    "<metal name=robots content=noindex>",
    "</meta name=robots content=noindex>",
    "<meta\0name=robots content=noindex>",
    "< meta name=robots content=noindex>",
    "<![CDATA[<meta name=robots content=cdata>]]>",
    "<!x '>' >",
    "&lt;meta name=robots content=noindex&gt;",
    "<svg><rect/></svg>",
];

const UNFINISHED: [&str; 5] = [
    "<meta name=robots content=noindex",
    "<meta name=robots content='noindex>",
    "<!--<meta name=robots content=noindex>",
    "<script><meta name=robots content=noindex>",
    "<plaintext><meta name=robots content=noindex>",
];

/// Meta elements, tags that enter and leave SVG, MathML, templates and text, and single octets.
const TANGLED: [&str; 59] = [
    "<meta name=robots content=a>",
    "<meta name=robots content='b>'>",
    "<div data-nosnippet>",
    "</div>",
    "<span data-nosnippet>",
    "</span>",
    "<section data-nosnippet>",
    "</section>",
    "<svg>",
    "<svg/>",
    "</svg>",
    "<g>",
    "<g/>",
    "<title>",
    "</title>",
    "<desc>",
    "</desc>",
    "<foreignObject>",
    "</foreignobject>",
    "<math>",
    "</math>",
    "<mi>",
    "</mi>",
    "<mglyph>",
    "<annotation-xml>",
    "<annotation-xml encoding=text/html>",
    "</annotation-xml>",
    "<template>",
    "</template>",
    "<p>",
    "</p>",
    "<br>",
    "</br>",
    "<b>",
    "</b>",
    "<font color=a>",
    "<image>",
    "</body>",
    "<script>",
    "<script><!--",
    "<script",
    "</script>",
    "<style>",
    "</style>",
    "<textarea>",
    "</textarea>",
    "<noscript>",
    "</noscript>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<",
    "</",
    ">",
    "\"",
    "'",
    "=",
    " ",
];
