//! Lines that are no requests, but may be parts of such lines.

use memchr::{memchr, memchr2, memmem};
use serde::de::IgnoredAny;

/// The number of words of a text.
pub(super) fn words(text: &[u8]) -> usize {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}

/// The number of words before the first quotation mark; `None` without one.
pub(super) fn words_before_quote(line: &[u8]) -> Option<usize> {
    memchr(b'"', line).map(|quote| words(&line[..quote]))
}

/// Whether a line that is not in the format is the beginning of one, perhaps with another one after
/// it: it begins in the same way, but a quotation mark is not closed, or it is no object. Servers
/// escape the marks of clients.
pub(super) fn is_cut(line: &[u8], usual: Option<usize>) -> bool {
    let Some(quote) = memchr(b'"', line).filter(|_| words_before_quote(line) == usual) else {
        return false;
    };
    let is_no_object =
        |text: &[u8]| serde_json::from_str::<IgnoredAny>(&String::from_utf8_lossy(text)).is_err();
    let object = quote.checked_sub(1).filter(|at| line[*at] == b'{');
    has_open_quote(line) || object.is_some_and(|at| is_no_object(&line[at..]))
}

/// Whether the first line of a log is the rest of one, whose beginning may be in a log before it.
pub(super) fn is_rest(line: &[u8], usual: Option<usize>) -> bool {
    let words = words_before_quote(line);
    words.is_some() && (has_open_quote(line) || words < usual)
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
/// (`[core:error] [pid 29…`): the request has another line.
pub(super) fn is_of_error_log(line: &[u8]) -> bool {
    memmem::find_iter(line, b"] ").any(|at| {
        let (head, rest) = (&line[..at], &line[at + 2..]);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_pid = rest.starts_with(b"[pid ") || digits > 0 && rest.get(digits) == Some(&b'#');
        is_pid && head.last().is_some_and(u8::is_ascii_lowercase)
    })
}
