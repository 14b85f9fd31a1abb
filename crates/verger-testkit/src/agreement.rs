//! Do all faces of the engine give the same answer?
//!
//! The library's `check` and `explain` are the reference; another [`Adapter`] is asked the same
//! generated questions, in every published dialect, for single tokens, chains and unions.

use verger::dialect::UrlSplit;
use verger::{Dialect, Reason, Verdict};

use crate::generate::case;
use crate::naive;
use crate::suite::{Adapter, Answer, Asker, Case, Library, Outcome};

/// What a comparison found.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// Questions that were answered.
    pub answered: usize,
    /// Questions that the other face refused because their URL is none; only text that is neither a
    /// path nor a plain URL may be refused.
    pub refused: usize,
    /// The first questions that were answered differently, in full.
    pub differences: Vec<String>,
}

/// Which URLs a face can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urls {
    /// Any bytes.
    Bytes,
    /// UTF-8 only.
    Text,
}

/// Asks a face so many generated cases, each in every published dialect.
pub fn agreement(face: &mut dyn Adapter, urls: Urls, seed: u64, cases: u64) -> Agreement {
    const ENOUGH: usize = 5;
    let mut found = Agreement::default();
    for index in 0..cases {
        let mut case = question(seed, index);
        if urls == Urls::Text {
            case.url = String::from_utf8_lossy(&case.url).into_owned().into_bytes();
        }
        for dialect in Dialect::PUBLISHED {
            let expected = Library.answer(&case, dialect);
            let answer = face.answer(&case, dialect);
            match (&expected, &answer) {
                (Outcome::Answer(expected), Outcome::Answer(answer)) if same(expected, answer) => {
                    found.answered += 1;
                }
                (_, Outcome::Broken(message)) if is_refusal(&case.url, &dialect, message) => {
                    found.refused += 1;
                }
                _ => found.differences.push(format!(
                    "case {index} of seed {seed}, dialect {dialect}\nrobots: \"{}\"\n{:?}\n\
                     url: \"{}\"\nlibrary: {expected:?}\n{}: {answer:?}",
                    case.robots.escape_ascii(),
                    case.asker,
                    case.url.escape_ascii(),
                    face.name(),
                )),
            }
            if found.differences.len() == ENOUGH {
                return found;
            }
        }
    }
    found
}

/// A verdict of the engine in the words of the naive matcher, if it has words for it.
pub fn in_naive_words(verdict: &Verdict<'_>) -> Option<naive::Answer> {
    let reason = match verdict.reason() {
        Reason::Rule => naive::Reason::Rule,
        Reason::NoRuleMatches => naive::Reason::NoRuleMatches,
        Reason::NoGroup => naive::Reason::NoGroup,
        Reason::RobotsTxtItself => naive::Reason::RobotsTxtItself,
        Reason::NoRobotsForScheme => naive::Reason::NoRobotsForScheme,
        Reason::NotAUrl => naive::Reason::NotAUrl,
        _ => return None,
    };
    let line = verdict.rule().map(|rule| rule.position().line);
    Some(naive::Answer { allowed: verdict.is_allowed(), line, reason })
}

/// Tokens that no file names; more than the one-shot follows without allocating.
const NOBODY: [&str; 17] = [
    "no-a", "no-b", "no-c", "no-d", "no-e", "no-f", "no-g", "no-h", "no-i", "no-j", "no-k", "no-l",
    "no-m", "no-n", "no-o", "no-p", "no-q",
];

/// A generated case as the suite has them. Each kind of crawler takes its turn.
fn question(seed: u64, index: u64) -> Case {
    let generated = case(seed, index);
    let mut tokens = generated.tokens;
    if tokens.is_empty() {
        tokens.push(String::new());
    }
    let asker = match index % 4 {
        0 => Asker::Token(tokens.swap_remove(0)),
        1 => Asker::Chain(tokens),
        2 => Asker::Union(tokens),
        _ => Asker::Chain(NOBODY.map(str::to_owned).into_iter().chain(tokens).collect()),
    };
    Case {
        file: String::new(),
        name: String::new(),
        why: String::new(),
        clause: Vec::new(),
        source: Vec::new(),
        contested: None,
        robots: generated.robots,
        asker,
        url: generated.url,
        repeat: None,
        expect: std::collections::BTreeMap::new(),
    }
}

/// A face need not tell lines and reasons.
fn same(expected: &Answer, answer: &Answer) -> bool {
    expected.allowed == answer.allowed
        && (answer.line.is_none() || answer.line == expected.line)
        && (answer.reason.is_none() || answer.reason == expected.reason)
}

/// Whether a face refused a text that it may take for no URL.
fn is_refusal(url: &[u8], dialect: &Dialect, message: &str) -> bool {
    let may_be_none = dialect.url_split == UrlSplit::Generic && !matches!(url, [b'/' | b'?', ..]);
    may_be_none && message.contains("bad URL")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A face that allows everything.
    struct Meek;

    impl Adapter for Meek {
        fn name(&self) -> &'static str {
            "meek"
        }

        fn answer(&mut self, _case: &Case, _dialect: Dialect) -> Outcome {
            Outcome::Answer(Answer { allowed: true, line: None, reason: None })
        }
    }

    #[test]
    fn a_face_with_another_answer_is_found_out() {
        let found = agreement(&mut Meek, Urls::Text, 1, 100);
        assert_eq!((found.differences.len(), found.refused), (5, 0));
    }

    #[test]
    fn only_a_text_that_is_no_path_may_be_refused_and_never_for_google() {
        let refused = "bad URL `a/b`: expected a scheme";
        assert!(is_refusal(b"a/b", &Dialect::RFC9309, refused));
        assert!(!is_refusal(b"a/b", &Dialect::RFC9309, "the program died"));
        assert!(!is_refusal(b"a/b", &Dialect::GOOGLE, refused));
        assert!(!is_refusal(b"/a/b", &Dialect::RFC9309, refused));
    }
}
