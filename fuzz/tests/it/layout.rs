//! Files beside the code: dictionaries, seeds, folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use verger_fuzz::{TARGETS, seeds};
use verger_naive::{Bug, check, check_with};
use verger_testkit::suite;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeSet::new() };
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.map(|entry| name(entry.expect("a folder that can be read"))).collect()
}

#[test]
fn every_target_has_a_binary_and_a_dictionary() {
    let expected = |ending: &str| -> BTreeSet<String> {
        TARGETS.iter().map(|target| format!("{}{ending}", target.name)).collect()
    };
    assert_eq!(names(&folder("fuzz_targets")), expected(".rs"));
    assert_eq!(names(&folder("dictionaries")), expected(".dict"));
    let mut regressions = names(&folder("regressions"));
    regressions.remove("README.md");
    assert!(regressions.is_subset(&expected("")));
}

/// libFuzzer does not explain errors in a dictionary.
#[test]
fn dictionaries_are_well_formed() {
    for target in TARGETS {
        let path = folder("dictionaries").join(format!("{}.dict", target.name));
        let text = fs::read_to_string(&path).expect("a dictionary");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let word = line.strip_prefix('"').and_then(|line| line.strip_suffix('"'));
            let word = word.unwrap_or_else(|| panic!("{}: {line}", target.name));
            assert!(is_word(word.as_bytes()), "{}: {line}", target.name);
        }
    }
}

/// Printable ASCII, with `\\`, `\"` and `\xHH`.
fn is_word(word: &[u8]) -> bool {
    match word {
        [] => true,
        [b'\\', b'\\' | b'"', rest @ ..] => is_word(rest),
        [b'\\', b'x', high, low, rest @ ..] => {
            high.is_ascii_hexdigit() && low.is_ascii_hexdigit() && is_word(rest)
        }
        [b'\\' | b'"', ..] => false,
        [octet, rest @ ..] => matches!(octet, 0x20..=0x7E) && is_word(rest),
    }
}

/// Good seeds reach the mistakes of parsers: each mistake of the naive matcher changes its answer
/// for one of them.
#[test]
fn seeds_detect_every_planted_mistake() {
    let seeds = seeds::make(&suite::load(&folder("../testdata")).expect("the suite loads"));
    let seeds: Vec<Vec<u8>> = seeds
        .into_iter()
        .filter(|((target, _), _)| *target == "check_against_naive")
        .map(|(_, seed)| seed)
        .filter(|seed| seed.starts_with(b"chain\t"))
        .collect();
    for bug in Bug::ALL {
        let detects = seeds.iter().any(|seed| {
            let mut parts = seed.splitn(3, |&octet| octet == b'\n');
            let mut next = || parts.next().unwrap_or_default();
            let (crawler, url, robots) = (String::from_utf8_lossy(next()), next(), next());
            let tokens: Vec<&str> = crawler.split('\t').skip(1).collect();
            let sound = check(robots, &tokens, url);
            sound != check_with(robots, &tokens, url, Some(bug))
        });
        assert!(detects, "no seed detects: {bug:?}");
    }
}
