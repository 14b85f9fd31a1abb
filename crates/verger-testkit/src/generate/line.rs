//! Lines: a key, a separator and a value, with the variations found on the Web.

use super::draft::Draft;
use super::form::Form;

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    UserAgent,
    Allow,
    Disallow,
}

/// Writes a line.
pub(super) fn record(draft: &mut Draft, key: Key, value: &[u8]) -> Vec<u8> {
    let key = spelt(draft, key);
    let key = cased(draft, key);
    let mut line = Vec::new();
    if draft.uses(Form::SpaceIndented) {
        line.extend(space(draft));
    }
    pad(draft, &mut line, b" ");
    line.extend(key.as_bytes());
    if draft.uses(Form::CommentCutsKey) {
        line.extend(b" # ");
    }
    separator(draft, &mut line, value);
    comment(draft, &mut line);
    if line.len() > BUFFER {
        draft.record(Form::LineOverLong);
    }
    line
}

/// A key, spelt correctly or not.
fn spelt(draft: &mut Draft, key: Key) -> &'static str {
    const TYPOS: [(Form, &str); 5] = [
        (Form::KeyDissallow, "dissallow"),
        (Form::KeyDissalow, "dissalow"),
        (Form::KeyDisalow, "disalow"),
        (Form::KeyDiasllow, "diasllow"),
        (Form::KeyDisallaw, "disallaw"),
    ];
    let (right, begins, near): (_, &[_], &[_]) = match key {
        Key::UserAgent => (
            "User-agent",
            &["user-agents", "useragent-x", "user agent s"],
            &["user_agent", "user  agent", "user-agen", "agent"],
        ),
        Key::Allow => ("Allow", &["allowed", "allow-all", "allow "], &["alow", "allo", "permit"]),
        Key::Disallow => (
            "Disallow",
            &["disallowed", "disallow all", "dissallowx"],
            &["dis-allow", "disallo", "disable", "nodisallow"],
        ),
    };
    if draft.uses(Form::KeyOnlyBegins) {
        return draft.pick(begins);
    }
    if draft.uses(Form::KeyNearMiss) {
        return draft.pick(near);
    }
    if draft.uses(Form::KeyMarkup) {
        return if key == Key::Disallow { "<p>Disallow" } else { "<br>Allow" };
    }
    if key == Key::UserAgent {
        return match () {
            () if draft.uses(Form::KeyUserAgentJoined) => "Useragent",
            () if draft.uses(Form::KeyUserAgentSpaced) => "User agent",
            () => right,
        };
    }
    if key == Key::Disallow
        && let Some((_, typo)) = TYPOS.into_iter().find(|&(form, _)| draft.uses(form))
    {
        return typo;
    }
    if draft.uses(Form::KeyEmpty) { "" } else { right }
}

fn cased(draft: &mut Draft, key: &str) -> String {
    match () {
        () if draft.uses(Form::KeyUpperCase) => key.to_uppercase(),
        () if draft.uses(Form::KeyMixedCase) => key
            .chars()
            .enumerate()
            .map(
                |(at, c)| if at % 2 == 0 { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() },
            )
            .collect(),
        () if draft.chance(30) => key.to_lowercase(),
        () => key.to_owned(),
    }
}

/// Everything between the key and a comment.
fn separator(draft: &mut Draft, line: &mut Vec<u8>, value: &[u8]) {
    if draft.uses(Form::ColonMissing) {
        line.extend(gap(draft));
        line.extend(value);
        if draft.uses(Form::ColonMissingThreeWords) {
            line.extend(b" /x");
        } else if draft.uses(Form::ColonMissingInValue) {
            line.extend(b":x");
        }
        return;
    }
    if draft.uses(Form::SpaceBeforeColon) {
        line.extend(space(draft));
    }
    line.push(b':');
    if draft.uses(Form::ColonDoubled) {
        line.push(b':');
    }
    pad(draft, line, b" ");
    if !draft.uses(Form::SpaceNone) {
        line.extend(gap(draft));
    }
    if draft.uses(Form::CommentForValue) {
        line.extend(b"# ");
    }
    if draft.uses(Form::Nul) {
        let at = draft.below(value.len() + 1);
        line.extend(&value[..at]);
        line.push(0);
        line.extend(&value[at..]);
    } else {
        line.extend(value);
    }
    if draft.uses(Form::SpaceTrailing) {
        line.extend(space(draft));
    }
    pad(draft, line, b" *a/");
}

fn comment(draft: &mut Draft, line: &mut Vec<u8>) {
    if draft.uses(Form::CommentGlued) {
        line.extend(b"#x: /y");
    } else if draft.uses(Form::CommentTrailing) {
        line.extend(draft.pick(&[b" # x: /y".as_slice(), b"\t#", b"  #Disallow: /"]));
    }
}

/// White space where it is usual: often one space.
fn gap(draft: &mut Draft) -> Vec<u8> {
    const OTHERS: [Form; 3] =
        [Form::SpaceTab, Form::SpaceVerticalTabOrFormFeed, Form::SpaceNoBreak];
    match draft.uses_one(&OTHERS) {
        Some(Form::SpaceTab) => b"\t".to_vec(),
        Some(Form::SpaceVerticalTabOrFormFeed) => draft.pick(&[[0x0B], [0x0C]]).to_vec(),
        Some(_) => "\u{A0}".as_bytes().to_vec(),
        None => b" ".to_vec(),
    }
}

/// One or more pieces of white space.
pub(super) fn space(draft: &mut Draft) -> Vec<u8> {
    (0..=draft.below(2)).flat_map(|_| gap(draft)).collect()
}

/// Occasionally makes a line so long that a reader with a buffer of [`BUFFER`] bytes cuts it, in or
/// near the next part.
fn pad(draft: &mut Draft, line: &mut Vec<u8>, with: &[u8]) {
    if draft.has(Form::LineOverLong) || !draft.tries(Form::LineOverLong) {
        return;
    }
    let octet = draft.pick(with);
    let length = if draft.chance(20) { BUFFER + 300 } else { BUFFER - 24 + draft.below(40) };
    line.resize(length.max(line.len()), octet);
}

/// Size of the line buffer of Google's library, in bytes.
const BUFFER: usize = 16_663;
