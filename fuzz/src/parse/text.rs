//! The decoded text, compared with the bytes.

use verger::dialect::ByteOrderMark;
use verger::parse::Encoding;
use verger::{Dialect, Robots};

/// Checks a text by the encoding and size rules of the dialect.
pub(super) fn check(bytes: &[u8], robots: &Robots, dialect: &Dialect) {
    let text = robots.text();
    let limit = dialect.byte_limit.unwrap_or(usize::MAX);
    assert!(text.len() <= limit, "{dialect}: {} bytes", text.len());

    let is_utf_16 = matches!(robots.encoding(), Encoding::Utf16Le | Encoding::Utf16Be);
    if is_utf_16 && dialect.utf16 {
        assert!(std::str::from_utf8(text).is_ok(), "{dialect}: decoded to something else");
        // Two bytes become at most three, also a final single one.
        assert!(text.len() <= bytes.len() / 2 * 3 + 3, "{dialect}");
        assert_eq!(super::start(robots), 0, "{dialect}: the mark is gone already");
    } else {
        assert!(bytes.starts_with(text), "{dialect}: another text");
        assert_eq!(robots.is_truncated(), bytes.len() > limit, "{dialect}");
        assert_eq!(super::start(robots), mark(text, dialect), "{dialect}: byte order mark");
    }
    if robots.is_truncated() {
        // REP-AMB-22: whole lines; the last one perhaps without its end.
        let is_end = |octet: Option<&u8>| matches!(octet, None | Some(b'\n' | b'\r'));
        let only_its_end_is_cut =
            text.len() == limit && (is_utf_16 && dialect.utf16 || is_end(bytes.get(limit)));
        assert!(is_end(text.last()) || only_its_end_is_cut, "{dialect}: half a line");
    } else if !is_utf_16 {
        assert_eq!(text, bytes, "{dialect}");
    }
}

/// Number of removed bytes of the mark (REP-SYNTAX-3, REP-AMB-39).
fn mark(text: &[u8], dialect: &Dialect) -> usize {
    let lengths = match dialect.byte_order_mark {
        ByteOrderMark::DropPartial => 1..=3,
        ByteOrderMark::DropWhole => 3..=3,
        _ => 0..=0,
    };
    let mark = "\u{feff}".as_bytes();
    lengths.rev().find(|&length| text.starts_with(&mark[..length])).unwrap_or(0)
}
