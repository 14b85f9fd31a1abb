//! Pages with meta elements: ways to write one, to hide one, and to make the search long.

use super::check::AGENT;
use super::entry::{Entry, Layer};
use super::expect::Expect;
use super::recipe::{Recipe, made, repeat, text};

pub(super) fn entries() -> Vec<Entry> {
    let mut all: Vec<Entry> =
        PAGES.iter().map(|&(id, page, holds)| entry(id, page, vec![says(AGENT, holds)])).collect();
    all.extend([
        entry(
            "M086",
            b"<meta name=\"googlebot\" content=\"noindex\">",
            vec![says("googlebot", "noindex"), says(AGENT, "all")],
        ),
        // The whole name is one name, including the comma.
        entry(
            "M087",
            b"<meta name=\"googlebot,bingbot\" content=\"noindex\">",
            vec![says("googlebot", "all"), says("googlebot,bingbot", "noindex")],
        ),
    ]);
    all.extend(long());
    all
}

fn says(agent: &'static str, holds: &'static str) -> Expect {
    Expect::PageSays { agent, holds, stop: None }
}

fn entry(id: &'static str, page: &'static [u8], expect: Vec<Expect>) -> Entry {
    Entry::new(Layer::Meta, id, page.escape_ascii().to_string(), page.into(), expect)
}

/// Rows of id, page, and the directives that an HTML tree contains.
const PAGES: &[(&str, &[u8], &str)] = &[
    ("M074", b"<meta name=robots content=noindex>", "noindex"),
    ("M075", b"<META NAME=\"ROBOTS\" CONTENT=\"NOINDEX\">", "noindex"),
    ("M076", b"<meta content='noindex' name='robots'>", "noindex"),
    ("M077", b"<meta name=\"robots\"content=\"noindex\">", "noindex"),
    ("M078", b"<meta name = \"robots\" content = \"noindex\" />", "noindex"),
    ("M079", b"<meta name=\"robots\">", "all"),
    ("M080", b"<meta content=\"noindex\">", "all"),
    ("M081", b"<meta name=\"robots\" content=\"\">", "all"),
    ("M082", b"<meta name=\"robots\" content=\"noindex\" content=\"index\">", "noindex"),
    ("M083", b"<meta name=\"robots\" name=\"x\" content=\"noindex\">", "noindex"),
    ("M084", b"<meta property=\"robots\" content=\"noindex\">", "all"),
    ("M085", b"<meta http-equiv=\"robots\" content=\"noindex\">", "all"),
    ("M088", b"<meta name=\" robots \" content=\" noindex \">", "noindex"),
    ("M089", b"<meta name=\"robots\" content=\"no&#105;ndex\">", "noindex"),
    ("M090", b"<meta name=\"rob&#x6f;ts\" content=\"noindex\">", "noindex"),
    ("M091", b"<meta name=\"robots\" content=\"noindex", "all"),
    ("M092", b"<meta name=\"robots\" content=noindex", "all"),
    ("M093", b"<!-- <meta name=\"robots\" content=\"noindex\"> -->", "all"),
    ("M094", b"<script>\"<meta name=robots content=noindex>\"</script>", "all"),
    ("M095", b"<style><meta name=robots content=noindex></style>", "all"),
    ("M096", b"<noscript><meta name=robots content=noindex></noscript>", "all"),
    ("M097", b"<title><meta name=robots content=noindex></title>", "all"),
    ("M098", b"<textarea><meta name=robots content=noindex></textarea>", "all"),
    ("M099", b"<template><meta name=robots content=noindex></template>", "all"),
    ("M100", b"<svg><meta name=robots content=noindex></svg>", "noindex"),
    ("M101", b"<body><meta name=robots content=noindex>", "noindex"),
    ("M102", b"<iframe srcdoc=\"<meta name=robots content=noindex>\">", "all"),
    (
        "M103",
        b"<meta name=\"robots\" content=\"noindex\"><meta name=\"robots\" content=\"index\">",
        "noindex",
    ),
    ("M104", b"<meta\nname=\"robots\"\ncontent=\"noindex\">", "noindex"),
    ("M105", b"<meta\x00name=\"robots\" content=\"noindex\">", "all"),
    ("M106", b"<meta name=\"robots\" content=\"noindex\x00\">", "all"),
    ("M107", b"<meta name=\"ROB\xc4\xb0TS\" content=\"noindex\">", "all"),
    ("M108", b"<meta name=\"robots\" content=\"\xff\">", "all"),
    ("M109", b"<![CDATA[<meta name=robots content=noindex>]]>", "all"),
    ("M110", b"<plaintext><meta name=robots content=noindex>", "all"),
    ("M111", b"<html><head></head><meta name=robots content=noindex>", "noindex"),
];

const META: &[u8] = b"<meta name=robots content=noindex>";

/// The scan ends at its limits and reports that.
fn long() -> Vec<Entry> {
    let new = |id, what: &str, recipe: Recipe, holds, stop| {
        let expect = vec![Expect::PageSays { agent: AGENT, holds, stop }];
        Entry::new(Layer::Meta, id, what, recipe, expect)
    };
    let (bytes, depth) = (Some("bytes"), Some("depth"));
    let attributes = text(b"<meta ").then(repeat(b"a=1 ", 100_000));
    let value = text(b"<meta name=robots content=\"");
    vec![
        new(
            "M112",
            "1 000 000 nested elements before the tag",
            repeat(b"<div>", 1_000_000).then(META),
            "all",
            depth,
        ),
        new(
            "M113",
            "100 000 attributes on the tag",
            attributes.then(b"name=robots content=noindex>"),
            "noindex",
            None,
        ),
        new(
            "M114",
            "a value of 10 MB",
            value.clone().then(repeat(b"a", 10_000_000)).then(b"\">"),
            "all",
            bytes,
        ),
        new(
            "M115",
            "a comment of 10 MB before the tag",
            text(b"<!--").then(repeat(b"-", 10_000_000)).then(b"-->").then(META),
            "all",
            bytes,
        ),
        new(
            "M116",
            "a script of 10 MB that is not closed",
            text(b"<script>").then(repeat(b"x", 10_000_000)),
            "all",
            bytes,
        ),
        new("M117", "1 000 000 times <", repeat(b"<", 1_000_000), "all", None),
        new("M118", "1 000 000 times <meta", repeat(b"<meta", 1_000_000), "all", bytes),
        new(
            "M119",
            "1 000 000 character references",
            value.then(repeat(b"&amp;", 1_000_000)).then(b"\">"),
            "all",
            bytes,
        ),
        new(
            "M120",
            "the tag after 1 MB of head",
            text(b"<head>").then(repeat(b" ", 1_000_000)).then(META),
            "noindex",
            None,
        ),
        new("M121", "a page in UTF-16", made(utf16), "noindex", None),
    ]
}

fn utf16() -> Vec<u8> {
    let units = [0xfeff].into_iter().chain(META.iter().map(|&octet| u16::from(octet)));
    units.flat_map(u16::to_le_bytes).collect()
}
