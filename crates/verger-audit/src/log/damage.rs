//! Lines that are no requests, but may be parts of such lines.

use memchr::{memchr, memchr2, memmem};
use serde::de::IgnoredAny;

use super::request::address;

/// The number of words of a text.
pub(super) fn words(text: &[u8]) -> usize {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}

/// The part before the first quotation mark of the first line with a request. Other lines begin in
/// the same way.
#[derive(Clone, Copy)]
pub(super) struct Head {
    /// Its words; `None` without a mark.
    words: Option<usize>,
    /// Whether the first of them is an address.
    has_address: bool,
}

impl Head {
    pub(super) fn of(line: &[u8]) -> Self {
        Self { words: words_before_quote(line), has_address: address(first_word(line)).is_some() }
    }

    /// Whether a line that is not in the format is the beginning of one, perhaps with another one
    /// after it: it begins in the same way, but a quotation mark is missing or not closed, or it is
    /// no object. Servers escape the marks of clients.
    pub(super) fn is_cut(self, line: &[u8]) -> bool {
        let Some(most) = self.words else { return !first_word(line).is_empty() };
        let Some(quote) = memchr(b'"', line) else {
            let is_of_address = |it: &u8| it.is_ascii_hexdigit() || b".:[]".contains(it);
            return (1..=most).contains(&words(line))
                && (!self.has_address || first_word(line).iter().all(is_of_address));
        };
        let is_no_object = |text: &[u8]| {
            serde_json::from_str::<IgnoredAny>(&String::from_utf8_lossy(text)).is_err()
        };
        let object = quote.checked_sub(1).filter(|at| line[*at] == b'{');
        words_before_quote(line) == self.words
            && (has_open_quote(line) || object.is_some_and(|at| is_no_object(&line[at..])))
    }
}

/// Whether a line without a clear address or time begins with another one, which was cut before its
/// first quotation mark: there is another address before the mark, or one after other digits. A
/// field of proxies is a list with commas.
pub(super) fn is_glued(line: &[u8]) -> bool {
    let head = memchr(b'"', line).map_or(line, |quote| &line[..quote]);
    if head.contains(&b',') {
        return false;
    }
    let is_end = |word: &&[u8]| {
        word.len() <= MOST_GLUED && (0..word.len()).any(|at| address(&word[at..]).is_some())
    };
    let found = head.split(u8::is_ascii_whitespace).filter(is_end).count();
    let first = first_word(line);
    found > 1 || found == 1 && address(first).is_none() && is_end(&first)
}

/// The longest word in which an address is searched: a cut time or address, and an address. So a
/// hostile line takes linear time.
const MOST_GLUED: usize = 80;

/// The number of words before the first quotation mark; `None` without one.
fn words_before_quote(line: &[u8]) -> Option<usize> {
    memchr(b'"', line).map(|quote| words(&line[..quote]))
}

fn first_word(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

fn has_open_quote(line: &[u8]) -> bool {
    let (mut is_open, mut rest) = (false, line);
    while let Some(at) = memchr2(b'"', b'\\', rest) {
        let is_mark = rest[at] == b'"';
        is_open ^= is_mark;
        rest = rest.get(at + if is_mark { 1 } else { 2 }..).unwrap_or_default();
    }
    is_open
}

/// Whether it is a message of the error log of nginx (`[error] 29#29: …`) or of Apache
/// (`[core:error] [pid 29…`), of which the request has another line, or one of `HAProxy` about a
/// connection (`] frontend/1: SSL handshake failure`), which has no request.
pub(super) fn is_of_error_log(line: &[u8]) -> bool {
    memmem::find_iter(line, b"] ").any(|at| {
        let (head, rest) = (&line[..at], &line[at + 2..]);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_pid = rest.starts_with(b"[pid ") || digits > 0 && rest.get(digits) == Some(&b'#');
        let name = first_word(rest);
        is_pid && head.last().is_some_and(u8::is_ascii_lowercase)
            || name.ends_with(b":") && name.contains(&b'/')
    })
}
