//! Policies compared with their files, and evaluation of forged bytes.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::head::{HEAD, Head};
use super::{Policy, PolicyError, VERSION};
use crate::{Dialect, Robots};

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % most
    }

    fn word(&mut self, letters: &[&str], longest: usize) -> String {
        (0..self.below(longest + 1)).map(|_| letters[self.below(letters.len())]).collect()
    }
}

const AGENT: &str = "bot";

/// A count, reduced under Miri, which takes a thousand times as long.
const fn many(whole: usize, under_miri: usize) -> usize {
    if cfg!(miri) { under_miri } else { whole }
}

fn robots(dialect: Dialect, rules: &[String]) -> Robots {
    dialect.parse(&format!("User-agent: *\n{}\n", rules.join("\n")))
}

/// Compares the verdicts of a policy and its robots.txt for all of these paths.
#[track_caller]
fn agree(robots: &Robots, paths: impl IntoIterator<Item = String>) {
    let policy = robots.policy(AGENT);
    assert_eq!(robots.dialect().policy(robots.text(), AGENT), policy);
    let bytes = policy.as_bytes().to_vec();
    let decoded = Policy::from_bytes(&bytes).expect("a policy is one");
    for path in paths {
        let expected = robots.check(AGENT, &path).to_string();
        let dialect = robots.dialect();
        assert_eq!(policy.check(&path).to_string(), expected, "{dialect}: {path}");
        assert_eq!(decoded.check(&path).to_string(), expected, "{dialect}: {path}");
    }
}

#[test]
fn policies_of_random_rules_agree_with_their_files() {
    const LETTERS: &[&str] = &["a", "b", "/", "*", "%61", "é", "index.htm"];
    let mut chance = Random(1);
    for round in 0..many(120, 2) {
        // One list in three is long enough for an index.
        let count = [5, 30, many(1_000, 20)][round % 3];
        let rules: Vec<String> = (0..count)
            .map(|_| {
                let key = ["Allow", "Disallow"][chance.below(2)];
                let end = ["", "", "$", "*"][chance.below(4)];
                format!("{key}: /{}{end}", chance.word(LETTERS, 8))
            })
            .collect();
        let paths: Vec<String> = (0..many(60, 1))
            .map(|_| format!("/{}", chance.word(&["a", "b", "/", "é"], 12)))
            .collect();
        for dialect in Dialect::PUBLISHED {
            agree(&robots(dialect, &rules), paths.iter().cloned());
        }
    }
}

#[test]
fn walks_in_wide_deep_and_large_trees_reach_the_right_leaf() {
    // All octets, or one in ten.
    let octets = || (1..=255_u8).step_by(many(1, 25));
    let wide = octets().map(|octet| format!("Disallow: /%{octet:02X}x{octet}"));
    let deep = (1..many(600, 20)).map(|depth| format!("Allow: /{}", "a".repeat(depth)));
    let large =
        (0..many(9_000, 30)).map(|at| format!("Disallow: /{at}/some/{}/page", at * 7_919 % 10_007));
    let rules: Vec<String> = wide.chain(deep).chain(large).collect();
    let robots = robots(Dialect::RFC9309, &rules);
    let wide = octets().map(|octet| format!("/%{octet:02x}x{octet}{octet}"));
    let deep = (0..many(700, 30)).step_by(7).map(|depth| format!("/{}b", "a".repeat(depth)));
    let large = (0..many(9_000, 30))
        .step_by(37)
        .map(|at| format!("/{at}/some/{}/page", at * 7_919 % 10_007));
    agree(&robots, wide.chain(deep).chain(large).chain(["/".to_owned()]));
}

#[test]
fn all_lists_of_wildcards_on_a_path_are_compared() {
    let depths = many(40, 10);
    let rules: Vec<String> = (0..depths)
        .flat_map(|depth| {
            let prefix = "a".repeat(depth);
            [format!("Disallow: /{prefix}*x{depth}$"), format!("Allow: /{prefix}*yy{}", depth % 7)]
        })
        .collect();
    let paths = || (0..depths).map(|at| format!("/{}/x{at}", "a".repeat(depths - at)));
    for dialect in Dialect::PUBLISHED {
        let robots = robots(dialect, &rules);
        agree(&robots, paths().chain(paths().map(|path| path.replace('x', "yy"))));
    }
}

#[test]
fn equal_patterns_are_written_once() {
    let rules =
        |rules: &[&str]| -> Vec<String> { rules.iter().map(|&rule| rule.to_owned()).collect() };
    let once = rules(&["Disallow: /*a*b", "Disallow: /*%61**b", "Allow: /*a*b$"]);
    let often: Vec<String> = (0..100).flat_map(|_| once.clone()).collect();
    let length = |rules: &[String]| {
        let policy = robots(Dialect::RFC9309, rules).policy(AGENT).without_explanation();
        policy.as_bytes().len()
    };
    assert_eq!(length(&often), length(&once));
    let alike = rules(&["Disallow: /*a", "Allow: /*a", "Disallow: /*a*", "Allow: /*%61$"]);
    for dialect in Dialect::PUBLISHED {
        agree(&robots(dialect, &alike), ["/a", "/ba", "/ab", "/"].map(str::to_owned));
    }
}

#[test]
fn long_lists_of_wildcards_are_searched_with_and_without_their_index() {
    let rules: Vec<String> = (0..many(5_000, 85))
        .map(|at| match at % 5 {
            0 => format!("Disallow: *word{at}$"),
            1 => format!("Allow: /*word{at}*x"),
            2 => format!("Disallow: /*a{at:03}*b{at:03}"),
            3 => format!("Disallow: /*?p{at}="),
            _ => format!("Allow: /*{}", ["q", "r", "st", "uvw"][at % 4]),
        })
        .collect();
    let robots = robots(Dialect::GOOGLE, &rules);
    let paths = (0..many(5_000, 85)).step_by(many(61, 83)).flat_map(|at| {
        [
            format!("/a/word{at}"),
            format!("/b/word{at}/x"),
            format!("/a{at:03}/b{at:03}"),
            format!("/c?p{at}=1"),
            format!("/q{at}"),
        ]
    });
    // The same octets repeatedly, until the index gives up.
    let again = format!("/{}", "word1a0012".repeat(many(3_000, 5)));
    agree(&robots, paths.chain([again, "/".to_owned()]));
}

/// A fingerprint of policies: FNV-1a.
fn sum(bytes: &[u8]) -> u64 {
    let add = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, add)
}

#[test]
fn bytes_are_the_same_on_every_machine_and_change_only_with_the_version() {
    let at = |at: usize| match at % 8 {
        0 => format!("Allow: /é/{at}"),
        1 => format!("Disallow: /{at}/index.html"),
        _ => format!("Disallow: /*w{at}*x{at}$"),
    };
    // Literals, wildcards with an index, numbers of several bytes, and the explanation.
    let rules: Vec<String> = (0..96).map(at).collect();
    let sums = [Dialect::RFC9309, Dialect::GOOGLE, Dialect::ORIG1994]
        .map(|dialect| sum(robots(dialect, &rules).policy(AGENT).as_bytes()));
    assert_eq!(
        (VERSION, sum(&sums.map(u64::to_be_bytes).concat())),
        (2, 14_053_461_057_732_479_518)
    );
}

#[test]
fn every_flipped_bit_and_every_cut_is_detected() {
    let text = "User-agent: *\nDisallow: /a*b\nAllow: /a\nDisallow: /é$\nAllow: /index.html\n";
    let policy = Dialect::GOOGLE.parse(text).policy(AGENT);
    let bytes = policy.as_bytes();
    for bit in (0..bytes.len() * 8).step_by(many(1, 7)) {
        let mut changed = bytes.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(Policy::from_bytes(&changed).is_err(), "bit {bit}");
    }
    for length in 0..bytes.len() {
        assert!(Policy::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    let longer = [bytes, &[0]].concat();
    assert_eq!(Policy::from_bytes(&longer), Err(PolicyError::Damaged));
}

#[test]
fn the_error_names_the_kind_of_invalid_bytes() {
    let policy = Robots::parse("User-agent: *\nDisallow: /\n").policy(AGENT);
    let mut bytes = policy.as_bytes().to_vec();
    assert_eq!(Policy::from_bytes(bytes.clone().into_boxed_slice()), Ok(policy));
    bytes[4] = VERSION + 1;
    let error = Policy::from_bytes(&bytes).expect_err("another version");
    assert_eq!(error, PolicyError::Version(VERSION + 1));
    assert_eq!(error.to_string(), "expected a policy of version 2, but found version 3");
    assert_eq!(Policy::from_bytes(b"VRG"), Err(PolicyError::NoPolicy));
    assert_eq!(Policy::from_bytes(b"VRGPx"), Err(PolicyError::Damaged));
    assert_eq!(Policy::from_bytes(&[7; 100]), Err(PolicyError::NoPolicy));
}

#[test]
fn forged_bytes_are_evaluated_to_an_end() {
    let mut rules: Vec<String> = (0..100).map(|at| format!("Disallow: /*w{at}x*y{at}")).collect();
    rules.extend((0..40).map(|at| format!("Allow: /{at}/x{at}$")));
    let robots = robots(Dialect::RFC9309, &rules);
    let policy = robots.policy(AGENT);
    let head = Head::check(policy.as_bytes()).expect("a policy is one");
    let mut chance = Random(2);
    let paths = ["/", "/w1x/y1", "/5/x5", "/w99x?w98x?w97x?y97", "//////"];
    for round in 0..many(20_000, 3) {
        let mut parts = policy.as_bytes()[HEAD..].to_vec();
        for _ in 0..=chance.below(4) {
            let at = chance.below(parts.len());
            parts[at] = [parts[at].rotate_left(3) ^ 0x55, 0xff, 0, 0x80][round % 4];
        }
        let split = chance.below(parts.len());
        let (_, sealed) = head.seal(&parts[..split], &parts[split..]);
        let forged = Policy::from_bytes(&sealed).expect("it has the right sum");
        for path in paths {
            let _shown = forged.check(path).to_string();
        }
    }
}

#[test]
fn verdicts_without_a_rule_need_no_bytes() {
    let policy = Robots::parse("User-agent: other\nDisallow: /\n").policy(AGENT);
    assert_eq!(policy.as_bytes().len(), HEAD);
    assert_eq!(policy.check("/x").to_string(), "allowed: no group applies to this crawler");
    let ignoring = crate::Crawler::new(AGENT).without_robots();
    let ignoring = Robots::parse("User-agent: *\nDisallow: /\n").policy(&ignoring);
    assert_eq!(ignoring.as_bytes().len(), HEAD);
    assert!(ignoring.is_allowed("/x"));
}

#[test]
fn targets_of_any_length_are_brought_into_normal_form() {
    let robots = Robots::parse("User-agent: *\nDisallow: /*~end$\n");
    let policy = robots.policy(AGENT);
    for length in [0, 100, many(crate::limits::TARGET_BYTES, 500), many(100_000, 1_000)] {
        let path = format!("/{}%7Eend", "%61".repeat(length / 3));
        assert!(!policy.is_allowed(&path), "{length}");
        assert!(policy.is_allowed(&format!("{path}s")), "{length}");
    }
}
