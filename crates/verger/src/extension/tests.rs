//! Records of a file, and those that apply to a crawler.

use alloc::vec;
use alloc::vec::Vec;

use super::{Extension, RecordKind};
use crate::{Dialect, Robots};

#[track_caller]
fn check(dialect: Dialect, text: &str, expected: &[(&str, Option<usize>, bool)]) {
    let robots = dialect.parse(text);
    let found: Vec<_> = robots
        .records()
        .map(|record| {
            let key = core::str::from_utf8(record.key()).expect("ASCII keys");
            (key, record.group(), record.is_before_agents())
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_record_belongs_to_a_group_or_to_none() {
    let text = "x: 1\nDisallow: /\nUser-agent: a\ny: 1\n\nz: 1\nDisallow: /\nUser-agent: b\nw: 1\n";
    check(
        Dialect::RFC9309,
        text,
        &[("x", None, true), ("y", Some(0), false), ("z", Some(0), false), ("w", Some(1), false)],
    );
    check(
        Dialect::KOSTER1996,
        text,
        &[("x", None, true), ("y", Some(0), false), ("z", None, false), ("w", Some(1), false)],
    );
    check(
        Dialect::ORIG1994,
        text,
        &[("x", None, true), ("y", Some(1), false), ("z", None, false), ("w", Some(2), false)],
    );
}

#[test]
fn a_rate_belongs_to_the_agent_lines_directly_above_it() {
    let robots = Robots::parse(
        "User-agent: bingbot\nCrawl-delay: 1\n\nUser-agent: msnbot\n# x\n\nUser-agent: Slurp\n\
         Request-rate: 1/9\nCrawl-delay: 20\njunk\nUser-agent: *\nDisallow: /login\n\
         Visit-time: 0100-0200\nContent-Signal: search=no\n",
    );
    let lines = |crawler: &str| -> Vec<usize> {
        robots.records_for(crawler).map(|record| record.position().line).collect()
    };
    assert_eq!(lines("bingbot"), [2, 14]);
    assert_eq!(lines("msnbot"), [8, 9, 14]);
    assert_eq!(lines("slurp"), [8, 9, 14]);
    assert_eq!(lines("other"), [13, 14]);
    let agents: Vec<Vec<_>> = robots
        .records()
        .map(|record| record.agents().map(|agent| agent.position().line).collect())
        .collect();
    let all = [1, 4, 7, 11].to_vec();
    let expected = [vec![1], vec![4, 7], vec![4, 7], vec![11], all];
    assert_eq!(agents, expected);
}

#[test]
fn a_rate_is_found_by_every_agent_line_that_names_the_crawler() {
    let robots = Robots::parse(
        "User-agent: a\nCrawl-delay: 1\nUser-agent: *\nUser-agent: A\nCrawl-delay: 2\nAllow: /\n\
         User-agent: b\nUser-agent: a\nAllow: /\nCrawl-delay: 3\n",
    );
    let values = |crawler: &crate::Crawler| -> Vec<&[u8]> {
        robots.records_for(crawler).map(|record| record.value()).collect()
    };
    let crawler = crate::Crawler::new;
    assert_eq!(values(&crawler("a")), [b"1", b"2", b"3"]);
    assert_eq!(values(&crawler("b")), [b"3"]);
    assert_eq!(values(&crawler("c")), [b"2"]);
    assert_eq!(values(&crate::Crawler::union(["c", "b"])), [b"3"]);
    assert!(values(&crawler("c").without_star()).is_empty());
}

#[test]
fn a_star_in_a_crawlers_text_names_no_agent() {
    let robots = Dialect::BOOK.parse("User-agent: *\nCrawl-delay: 1\nContent-Usage: search=n\n");
    assert_eq!(robots.records_for("Examp***leBot").count(), 2);
}

#[test]
fn only_the_records_of_its_groups_are_for_a_crawler() {
    let robots = Robots::parse(
        "User-agent: a\nx: 1\nSitemap: s\nAllow: /\nUser-agent: b\ny: 1\nAllow: /\n\
         User-agent: a\nz: 1\n",
    );
    let keys: Vec<_> = robots.records_for("a").map(|record| record.key()).collect();
    assert_eq!(keys, [b"x", b"z"]);
    assert_eq!(robots.records_for("c").count(), 0);
}

#[test]
fn a_robot_version_has_two_or_three_numbers() {
    let read = |value: &'static str| Extension::parse(RecordKind::RobotVersion, value.as_bytes());
    for value in ["1.0", "2.0.13"] {
        assert_eq!(read(value), Ok(Extension::RobotVersion(value.as_bytes())));
    }
    for value in ["", "2", "2.", ".1", "1.0.0.0", "v1.0", "1.99999", "+1.0", "1. 0"] {
        assert!(read(value).is_err(), "{value}");
    }
}
