//! Rules: patterns from a small vocabulary, and patterns similar to other patterns.

use super::draft::Draft;
use super::form::Form;
use super::octet::Octet;
use super::spell::{respelt, sample};

/// A rule of the file.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// Whether it allows; otherwise it disallows.
    pub(crate) allow: bool,
    /// As written.
    pub(crate) pattern: Vec<u8>,
}

/// Few and similar words, so that several rules match one URL.
const WORDS: [&str; 16] = [
    "a", "b", "ab", "aab", "A", "1", "p", "fish", "fish.php", "private", "~joe", "x.gif", "q=1",
    "cgi-bin", "index", "-_",
];

/// Generates a rule, often similar to an earlier one.
pub(super) fn rule(draft: &mut Draft, before: &[Rule]) -> Rule {
    if !before.is_empty() && draft.chance(50) {
        near(draft, before)
    } else {
        let allow = draft.chance(25);
        Rule { allow, pattern: fresh(draft) }
    }
}

/// A rule similar to an earlier one.
fn near(draft: &mut Draft, before: &[Rule]) -> Rule {
    let Rule { allow, pattern } = before[draft.below(before.len())].clone();
    if draft.uses(Form::PatternTie) {
        let pattern = respelt(draft, &pattern, 25, b"/*$");
        return Rule { allow: !allow, pattern };
    }
    if draft.uses(Form::RuleRepeated) {
        return Rule { allow, pattern };
    }
    let pattern = match draft.below(8) {
        0 => shorter(draft, pattern),
        1 => [&pattern, draft.pick(&WORDS).as_bytes()].concat(),
        2 => [&pattern, b"/".as_slice(), draft.pick(&WORDS).as_bytes()].concat(),
        3 => with_star(draft, pattern),
        4 => respelt(draft, &pattern, 30, b"/*$"),
        5 => [pattern.strip_suffix(b"$").unwrap_or(&pattern), draft.pick(&ENDS)].concat(),
        6 => cased(draft, pattern),
        _ => pattern,
    };
    Rule { allow: draft.chance(32), pattern }
}

const ENDS: [&[u8]; 5] = [b"$", b"*", b"/", b"?", b"*$"];

fn shorter(draft: &mut Draft, mut pattern: Vec<u8>) -> Vec<u8> {
    let length = draft.below(pattern.len() + 1);
    pattern.truncate(length.max(1));
    pattern
}

/// Replaces an octet by a star.
fn with_star(draft: &mut Draft, mut pattern: Vec<u8>) -> Vec<u8> {
    if pattern.len() > 1 {
        let at = 1 + draft.below(pattern.len() - 1);
        pattern[at] = b'*';
    }
    pattern
}

fn cased(draft: &mut Draft, mut pattern: Vec<u8>) -> Vec<u8> {
    if let Some(octet) = pattern.last_mut() {
        *octet ^= if octet.is_ascii_alphabetic() && draft.chance(80) { 0x20 } else { 0 };
    }
    pattern
}

/// A new pattern.
fn fresh(draft: &mut Draft) -> Vec<u8> {
    if draft.tries(Form::PatternIndexHtml) {
        let page = draft.pick(&["index.html", "index.htm", "index.htmlx", "index.htm?a"]);
        return [start(draft), page.as_bytes().to_vec()].concat();
    }
    if draft.tries(Form::PatternRobotsTxt) {
        return b"/robots.txt".to_vec();
    }
    if draft.tries(Form::PatternOfUrl) {
        return [b"http://h.example".to_vec(), path(draft)].concat();
    }
    let mut pattern = path(draft);
    if draft.tries(Form::PatternLeadingStar) {
        pattern[0] = b'*';
    } else if pattern.len() > 1 && draft.tries(Form::PatternWithoutSlash) {
        pattern.remove(0);
    }
    if draft.tries(Form::PatternLong) {
        let length = 1020 + draft.below(12);
        pattern.resize(length, b'a');
    }
    pattern
}

fn start(draft: &mut Draft) -> Vec<u8> {
    match draft.below(4) {
        0 => b"/".to_vec(),
        1 => b"/*/".to_vec(),
        _ => [b"/", draft.pick(&WORDS).as_bytes(), b"/"].concat(),
    }
}

fn path(draft: &mut Draft) -> Vec<u8> {
    let mut path = b"/".to_vec();
    for segment in 0..draft.below(4) {
        if segment > 0 {
            path.push(draft.pick(b"///?-&"));
        }
        path.extend(draft.pick(&WORDS).as_bytes());
        inner(draft, &mut path);
    }
    inner(draft, &mut path);
    for octet in Octet::ALL {
        let form = Form::in_rule(octet);
        if !matches!(octet, Octet::Star | Octet::Dollar) && draft.tries(form) {
            let sample = sample(octet, draft);
            insert(draft, &mut path, &sample);
        }
    }
    end(draft, &mut path);
    path
}

/// Operators inside a pattern.
fn inner(draft: &mut Draft, path: &mut Vec<u8>) {
    let stars: &[u8] = match () {
        () if draft.tries(Form::PatternDoubledStar) => b"**",
        () if draft.tries(Form::PatternInnerStar) || draft.chance(6) => b"*",
        () if draft.tries(Form::PatternInnerDollar) => b"$",
        () => return,
    };
    path.extend(stars);
    path.extend(draft.pick(&WORDS).as_bytes());
}

/// Operators at the end of a pattern.
fn end(draft: &mut Draft, path: &mut Vec<u8>) {
    const ENDINGS: [(Form, &[u8]); 5] = [
        (Form::PatternTrailingStar, b"*"),
        (Form::PatternStarDollar, b"*$"),
        (Form::PatternDollar, b"$"),
        (Form::PatternDoubledDollar, b"$$"),
        (Form::PatternDollarStar, b"$*"),
    ];
    if let Some((_, ending)) = ENDINGS.into_iter().find(|&(form, _)| draft.tries(form)) {
        path.extend(ending);
    } else if draft.chance(25) {
        path.extend(draft.pick(&ENDS));
    }
}

/// Records the forms of a pattern.
pub(super) fn record_forms(draft: &mut Draft, pattern: &[u8]) {
    for octet in Octet::all_in(pattern) {
        draft.record(Form::in_rule(octet));
    }
    let behind_first = pattern.get(1..).unwrap_or_default();
    let holds = |part: &[u8]| pattern.windows(part.len()).any(|window| window == part);
    let forms = [
        (Form::PatternWithoutSlash, !pattern.is_empty() && !b"/*".contains(&pattern[0])),
        (Form::PatternOfUrl, pattern.starts_with(b"http://")),
        (Form::PatternLeadingStar, pattern.starts_with(b"*")),
        (Form::PatternDoubledStar, holds(b"**")),
        (Form::PatternInnerStar, behind_first.iter().rev().skip(1).any(|&octet| octet == b'*')),
        (Form::PatternTrailingStar, behind_first.ends_with(b"*")),
        (Form::PatternStarDollar, pattern.ends_with(b"*$")),
        (Form::PatternDollar, pattern.ends_with(b"$")),
        (Form::PatternInnerDollar, pattern.iter().rev().skip(1).any(|&octet| octet == b'$')),
        (Form::PatternDoubledDollar, pattern.ends_with(b"$$")),
        (Form::PatternDollarStar, pattern.ends_with(b"$*")),
        (Form::PatternIndexHtml, holds(b"/index.htm")),
        (Form::PatternRobotsTxt, pattern == b"/robots.txt"),
        (Form::PatternLong, pattern.len() > 1024),
    ];
    for (form, occurs) in forms {
        if occurs {
            draft.record(form);
        }
    }
}

/// Inserts a text anywhere after the first octet.
pub(super) fn insert(draft: &mut Draft, path: &mut Vec<u8>, text: &[u8]) {
    let at = 1 + draft.below(path.len());
    path.splice(at..at, text.iter().copied());
}
