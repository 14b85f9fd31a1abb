//! Target `extension_values`: records other than rules.
//!
//! Every typed parser, on the value of every line, returns a value in its documented range or an
//! error, and a value can be written and read back. The answers for a crawler come from the records
//! of its groups, as documented: the first delay, the strictest rate, the longest path and then any
//! `n`. A cleaned URL lacks only the named parameters.

mod answers;
mod clean;
mod rates;
mod statements;
mod values;

use crate::input::{Question, is_space, published};

/// Checks extensions.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let question = Question::read(bytes);
    let lines = question.robots.split(|octet| matches!(octet, b'\n' | b'\r'));
    for line in lines.chain([&question.url[..]]).take(MOST_LINES) {
        let colon = line.iter().position(|&octet| octet == b':');
        let value = colon.map_or(line, |colon| &line[colon + 1..]);
        values::check(trim(value));
        if colon.is_some() {
            values::check(trim(line));
        }
    }
    let url = String::from_utf8_lossy(&question.url);
    let crawler = question.crawler.to_crawler();
    for dialect in published() {
        let robots = dialect.parse(&question.robots);
        clean::check(&robots, &url);
        answers::check(&robots, &crawler);
        statements::check(&robots, &crawler, &question.url);
    }
}

/// Maximum number of lines; more add nothing new.
const MOST_LINES: usize = 24;

/// REP-AMB-42: white space is removed as in the parser.
fn trim(value: &[u8]) -> &[u8] {
    let is_other = |octet: &u8| !is_space(octet);
    let start = value.iter().position(is_other).unwrap_or(value.len());
    let end = value.iter().rposition(is_other).map_or(start, |last| last + 1);
    &value[start..end]
}
