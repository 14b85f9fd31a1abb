//! End of a body: misleading lengths and chunks (H044 to H056).

use crate::server::{Answer, RULES, Script, Step, chunked, gzip};

use super::{Claim, Class, Entry};

pub(super) fn entries() -> Vec<Entry> {
    let chunks =
        |text: &str| Answer::new(200).field("Transfer-Encoding", "chunked").head().then_text(text);
    let length =
        |length: &str| Answer::new(200).field("Content-Length", length).head().then_text(RULES);
    let mut all: Vec<Entry> = [
        ("H044", "a chunk size of 68 bits", chunks("FFFFFFFFFFFFFFFFF\r\nx")),
        ("H046", "a negative chunk size", chunks("-5\r\nhello\r\n0\r\n\r\n")),
        ("H047", "chunks that end in the middle", chunks("5\r\nUser-")),
        ("H049", "a length beyond the body", length("1000")),
        ("H050", "a length of 99 TB", length("99999999999999")),
        ("H051", "a negative length", length("-1")),
        ("H052", "a length with a sign", length("+28")),
        (
            "H053",
            "two lengths",
            Answer::new(200)
                .field("Content-Length", "5")
                .field("Content-Length", "28")
                .head()
                .then_text(RULES),
        ),
        (
            "H054",
            "a length and chunks",
            Answer::new(200)
                .field("Content-Length", "5")
                .field("Transfer-Encoding", "chunked")
                .head()
                .then_text(chunked(RULES, 100)),
        ),
        (
            "H055",
            "a transfer coding besides chunked",
            Answer::new(200)
                .field("Transfer-Encoding", "gzip, chunked")
                .head()
                .then_text(chunked(&gzip(RULES), 100)),
        ),
        (
            "H056",
            "an unknown transfer coding",
            Answer::new(200).field("Transfer-Encoding", "xchunked").head().then_text(RULES),
        ),
    ]
    .map(|(id, what, script)| Entry::http(id, what, script, &[Class::Unreachable]))
    .into();
    let zeros = chunks("").then(Step::Times(vec![b'0'; 1000], 10_000));
    all.push(Entry::http(
        "H045",
        "a chunk size of ten million zeros",
        zeros,
        &[Class::Unreachable],
    ));
    all.push(short_length(length("5")));
    all
}

/// By RFC 9112 the message is complete and the remaining bytes do not belong to it. A client that
/// sees them may reject the whole response.
fn short_length(script: Script) -> Entry {
    Entry::http(
        "H048",
        "a length short of the body: the message is complete, and more follows",
        script,
        &[Class::Unreachable, Class::Rules],
    )
    .claim(Claim::Body(b"User-".to_vec()))
}
