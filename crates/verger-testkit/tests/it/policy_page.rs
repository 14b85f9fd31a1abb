//! `docs/policy-format.md` shows the bytes that the compiler writes.

use std::fs;
use std::path::Path;

use verger::Robots;

/// The text of the first block of a kind.
fn block<'p>(page: &'p str, kind: &str) -> &'p str {
    let (_, rest) =
        page.split_once(&format!("```{kind}\n")).expect("there is a block of this kind");
    rest.split_once("```").expect("a block ends").0
}

#[test]
fn the_example_of_the_page_equals_the_compiled_policy() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policy-format.md");
    let page = fs::read_to_string(path).unwrap();
    let octets = |line: &str| -> Vec<u8> {
        let hex = line.split("  ").next().unwrap_or_default();
        hex.split_whitespace().map(|octet| u8::from_str_radix(octet, 16).unwrap()).collect()
    };
    let shown: Vec<u8> = block(&page, "hex").lines().flat_map(octets).collect();
    let policy = Robots::parse(block(&page, "text")).policy("ExampleBot");
    assert_eq!(shown, policy.as_bytes());
}
