//! Comparison of the interfaces of the engine: each must give the same answer.
//!
//! The library's `check` and `explain` are the reference. Another [`Adapter`] answers the same
//! generated questions, in every published dialect, for single tokens, chains and unions.

use verger::dialect::UrlSplit;
use verger::{Dialect, Reason, Verdict};

use crate::generate::case;
use crate::suite::{Adapter, AdapterAnswer, AdapterOutcome, Case, Library, NamedCrawler};
use verger_naive as naive;

/// Result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// Number of answered questions.
    pub answered: usize,
    /// Number of questions refused because of an invalid host or port.
    pub refused: usize,
    /// The first different answers, with their questions.
    pub differences: Vec<String>,
}

/// Kinds of URL that an interface accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urls {
    /// Any bytes.
    Bytes,
    /// UTF-8 only.
    Text,
}

/// Compares an interface on generated cases, each in every published dialect.
pub fn agreement(adapter: &mut dyn Adapter, urls: Urls, seed: u64, cases: u64) -> Agreement {
    compare(adapter, urls, (seed, cases), question)
}

/// The same for questions with mistakes: swapped arguments, URLs without a scheme, headers instead
/// of product tokens (REP-AMB-13, REP-AMB-62).
pub fn agreement_on_misuse(adapter: &mut dyn Adapter, seed: u64, cases: u64) -> Agreement {
    compare(adapter, Urls::Text, (seed, cases), |seed, index| misused(question(seed, index), index))
}

fn compare(
    adapter: &mut dyn Adapter,
    urls: Urls,
    (seed, cases): (u64, u64),
    question: impl Fn(u64, u64) -> Case,
) -> Agreement {
    const ENOUGH: usize = 5;
    let mut found = Agreement::default();
    for index in 0..cases {
        let mut case = question(seed, index);
        if urls == Urls::Text {
            case.url = String::from_utf8_lossy(&case.url).into_owned().into_bytes();
        }
        for dialect in Dialect::PUBLISHED {
            let expected = Library.answer(&case, dialect);
            let answer = adapter.answer(&case, dialect);
            match (&expected, &answer) {
                (AdapterOutcome::Answer(expected), AdapterOutcome::Answer(answer))
                    if same(expected, answer) =>
                {
                    found.answered += 1;
                }
                (AdapterOutcome::Answer(_), AdapterOutcome::Broken(message))
                    if is_refusal(&case.url, dialect, message) =>
                {
                    found.refused += 1;
                }
                _ => found.differences.push(format!(
                    "case {index} of seed {seed}, dialect {dialect}\nrobots: \"{}\"\n{:?}\n\
                     url: \"{}\"\nlibrary: {expected:?}\n{}: {answer:?}",
                    case.robots.escape_ascii(),
                    case.crawler,
                    case.url.escape_ascii(),
                    adapter.name(),
                )),
            }
            if found.differences.len() == ENOUGH {
                return found;
            }
        }
    }
    found
}

/// Converts a verdict of the engine to an answer of the naive matcher, if it has an equivalent.
pub fn to_naive_answer(verdict: &Verdict<'_>) -> Option<naive::NaiveAnswer> {
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
    Some(naive::NaiveAnswer { allowed: verdict.is_allowed(), line, reason })
}

/// Tokens that no file contains: one more than the 16 that the engine compares with each user-agent
/// line.
const NOBODY: [&str; 17] = [
    "no-a", "no-b", "no-c", "no-d", "no-e", "no-f", "no-g", "no-h", "no-i", "no-j", "no-k", "no-l",
    "no-m", "no-n", "no-o", "no-p", "no-q",
];

/// A generated case in the format of the suite. The kinds of crawler alternate.
fn question(seed: u64, index: u64) -> Case {
    let generated = case(seed, index);
    let mut tokens = generated.tokens;
    if tokens.is_empty() {
        tokens.push(String::new());
    }
    let crawler = match index % 4 {
        0 => NamedCrawler::Token(tokens.swap_remove(0)),
        1 => NamedCrawler::Chain(tokens),
        2 => NamedCrawler::Union(tokens),
        _ => NamedCrawler::Chain(NOBODY.map(str::to_owned).into_iter().chain(tokens).collect()),
    };
    Case {
        file: String::new(),
        name: String::new(),
        why: String::new(),
        clause: Vec::new(),
        source: Vec::new(),
        contested: None,
        robots: generated.robots,
        crawler,
        url: generated.url,
        repeat: None,
        expect: std::collections::BTreeMap::new(),
    }
}

/// Compares answers. An interface need not report lines and reasons.
fn same(expected: &AdapterAnswer, answer: &AdapterAnswer) -> bool {
    expected.allowed == answer.allowed
        && (answer.line.is_none() || answer.line == expected.line)
        && (answer.reason.is_none() || answer.reason == expected.reason)
}

/// Whether an interface refused a URL with an invalid host or port, which the library does not
/// read.
fn is_refusal(url: &[u8], dialect: Dialect, message: &str) -> bool {
    let may_have_host = dialect.url_split == UrlSplit::Generic && !matches!(url, [b'/' | b'?', ..]);
    let mut reasons =
        vec!["missing a host", "the host is neither", "expected a host", "expected a port"];
    if url.ends_with(b" ") && !url.iter().skip(b"https://".len()).any(|byte| b"/?#".contains(byte))
    {
        // Without a path, the white space at the end belongs to the host.
        reasons.push("expected no white space");
    }
    may_have_host
        && message.contains("bad URL")
        && reasons.iter().any(|reason| message.contains(reason))
}

/// Adds a mistake to a question. The kinds of mistake alternate.
fn misused(mut case: Case, index: u64) -> Case {
    let url = String::from_utf8_lossy(&case.url).into_owned();
    let path = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let path = path.map_or(&*url, |rest| rest.find('/').map_or("", |slash| &rest[slash..]));
    let tokens = match &mut case.crawler {
        NamedCrawler::Chain(tokens) | NamedCrawler::Union(tokens) => tokens.as_mut_slice(),
        NamedCrawler::Token(token) => core::slice::from_mut(token),
    };
    let asked = match index / 4 % 16 {
        // Swapped arguments.
        0 => std::mem::replace(&mut tokens[0], url.clone()),
        // Without a scheme.
        1 => format!("shop.example{path}"),
        2 => format!("shop.example:8080{path}"),
        3 => format!("localhost{path}"),
        4 => path.trim_start_matches('/').to_owned(),
        // With a broken scheme or host.
        5 => format!("https:/shop.example{path}"),
        6 => format!("https:{path}"),
        7 => format!("https://{path}"),
        8 => format!("://shop.example{path}"),
        9 => format!("foo:{path}"),
        // With white space, or only white space.
        10 => format!(" {url}"),
        11 => format!("\t{path} "),
        12 => String::new(),
        // A line of a robots.txt, and URLs that have no robots.txt.
        13 => format!("Disallow: {path}"),
        14 => format!("file://{path}"),
        _ => url.clone(),
    };
    case.url = asked.into_bytes();
    let written = |token: &str| match index / 64 % 8 {
        0 => format!("{token}/1.2"),
        1 => format!("Mozilla/5.0 (compatible; {token}/1.2; +https://bots.example/{token})"),
        2 => format!("{token} (+https://bots.example/)"),
        3 => format!(
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; {token}) Chrome/120 Safari/537.36"
        ),
        4 => format!(" {token}"),
        5 => format!("{token}; x"),
        6 => format!("https://bots.example/{token}"),
        _ => token.to_owned(),
    };
    for token in tokens {
        *token = written(token);
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An interface that allows everything.
    struct AllowAll;

    impl Adapter for AllowAll {
        fn name(&self) -> &'static str {
            "meek"
        }

        fn answer(&mut self, _case: &Case, _dialect: Dialect) -> AdapterOutcome {
            AdapterOutcome::Answer(AdapterAnswer { allowed: true, line: None, reason: None })
        }
    }

    #[test]
    fn a_different_answer_is_detected() {
        let found = agreement(&mut AllowAll, Urls::Text, 1, 100);
        assert_eq!((found.differences.len(), found.refused), (5, 0));
    }

    #[test]
    fn only_invalid_hosts_may_be_refused_and_never_for_google() {
        let refused = "bad URL `https://[/`: the host is neither a name nor an address";
        assert!(is_refusal(b"https://[/", Dialect::RFC9309, refused));
        assert!(!is_refusal(b"https://[/", Dialect::RFC9309, "the program died"));
        assert!(!is_refusal(b"https://[/", Dialect::GOOGLE, refused));
        assert!(!is_refusal(b"/[", Dialect::RFC9309, refused));
        assert!(!is_refusal(
            b"a/b",
            Dialect::RFC9309,
            "bad URL `a/b`: missing a scheme such as `https://`"
        ));
    }

    #[test]
    fn misuse_of_all_kinds_is_generated() {
        let reasons = (0..2_000).map(|index| {
            let case = misused(question(3, index), index);
            let AdapterOutcome::Answer(answer) = Library.answer(&case, Dialect::RFC9309) else {
                panic!()
            };
            answer.reason.unwrap_or_default()
        });
        let mut counted = std::collections::BTreeMap::<String, usize>::new();
        reasons.for_each(|reason| *counted.entry(reason).or_default() += 1);
        for reason in ["not_a_url", "no_robots_for_scheme", "rule", "no_rule_matches", "no_group"] {
            assert!(counted.get(reason).is_some_and(|&count| count > 20), "{reason}: {counted:?}");
        }
    }
}
