//! Fixes: edits of the text that remove a finding.

use verger::Span;

/// A change of the text that removes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// The change in words, as an imperative: ``write `Disallow` ``.
    pub title: String,
    /// Whether the change can be applied without looking at it.
    pub safety: Safety,
    /// The edits, in the order of the text. They do not overlap.
    pub edits: Vec<Edit>,
}

/// Whether a fix changes the meaning of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a fix changes the meaning, or it does not")]
pub enum Safety {
    /// No crawler gets another answer, in any published dialect.
    Safe,
    /// Some crawlers may get another answer: probably the one that the author meant.
    Unsafe,
}

impl Safety {
    /// `safe` or `unsafe`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// A replacement of a part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an edit is a place and a text")]
pub struct Edit {
    /// The bytes that are replaced; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: Vec<u8>,
}

impl Fix {
    /// A fix of one edit.
    pub fn replace(
        safety: Safety,
        title: impl Into<String>,
        span: Span,
        text: impl Into<Vec<u8>>,
    ) -> Self {
        Self { title: title.into(), safety, edits: vec![Edit { span, text: text.into() }] }
    }

    /// The part of the text that the fix changes.
    pub fn span(&self) -> Span {
        let start = self.edits.first().map_or(0, |edit| edit.span.start);
        Span { start, end: self.edits.last().map_or(start, |edit| edit.span.end) }
    }
}

/// Applies fixes to a text, and returns it with the number of applied fixes.
///
/// Of fixes that change the same place, the first in the text counts. Lint the result again for the
/// others.
///
/// # Examples
///
/// ```
/// use verger::Span;
/// use verger_lint::fix::{Fix, Safety, apply};
///
/// let fix = Fix::replace(Safety::Safe, "write `Allow`", Span { start: 0, end: 5 }, "Allow");
/// assert_eq!(apply(b"ALLOW: /", [&fix]), (b"Allow: /".to_vec(), 1));
/// ```
pub fn apply<'f>(text: &[u8], fixes: impl IntoIterator<Item = &'f Fix>) -> (Vec<u8>, usize) {
    let mut fixes: Vec<&Fix> = fixes.into_iter().collect();
    fixes.sort_by_key(|fix| (fix.span().start, fix.span().end));
    let (mut out, mut done, mut applied) = (Vec::with_capacity(text.len()), 0, 0);
    for fix in fixes {
        if applied > 0 && fix.span().start < done {
            continue;
        }
        for edit in &fix.edits {
            out.extend_from_slice(&text[done..edit.span.start]);
            out.extend_from_slice(&edit.text);
            done = edit.span.end;
        }
        applied += 1;
    }
    out.extend_from_slice(&text[done..]);
    (out, applied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_fixes_are_applied_once() {
        let fix = |start, end, text: &str| {
            Fix::replace(Safety::Safe, "", Span { start, end }, text.as_bytes())
        };
        let fixes = [fix(4, 6, ""), fix(2, 4, "y"), fix(0, 3, "x")];
        assert_eq!(apply(b"abcdef", &fixes), (b"xd".to_vec(), 2));
        // Insertions at one place follow each other.
        let fixes = [fix(1, 1, "d"), fix(1, 1, "e")];
        assert_eq!(apply(b"ab", &fixes), (b"adeb".to_vec(), 2));
    }
}
