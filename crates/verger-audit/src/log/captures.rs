//! Header fields that `HAProxy` captured.

use super::escape::hex_unescaped;
use super::fields::{Field, Parts};
use super::request::{address, is_product};

/// The User-Agent header and the host among the header fields of a request, whose names are not in the log:
/// each is the only text of its form. Neither is known if two texts have it.
pub(crate) fn read_captures<'l>(text: &'l [u8], parts: &mut Parts<'l>) {
    if let Some(agent) = only(text, is_product) {
        parts.set(Field::Agent, hex_unescaped(agent, b'#'));
    }
    if let Some(host) = only(text, is_host) {
        parts.set(Field::Host, host);
    }
}

/// The wanted text, if it is the only one. A `|` in a text is escaped.
fn only(text: &[u8], is_wanted: fn(&[u8]) -> bool) -> Option<&[u8]> {
    let mut found = text.split(|byte| *byte == b'|').filter(|text| is_wanted(text));
    found.next().filter(|_| found.next().is_none())
}

fn is_host(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b".-:".contains(byte);
    text.contains(&b'.')
        && text.iter().all(is_name)
        && text.iter().any(u8::is_ascii_alphabetic)
        && address(text).is_none()
}
