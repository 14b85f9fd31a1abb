//! Is this text a token that a group can name?
//!
//! Any text is asked for as it is. What is said here is a warning: `GPTBot/1.1` looks like the crawler's
//! name, and no group names it. Dialects differ: some look only at a token's first word, or look for
//! the name of a group inside of it, and there such a text does what it seems to.

use verger::dialect::{AgentMatch, AgentValue};
use verger::{Crawler, Dialect, ProductToken, TokenProblem};

use crate::limits::HEADER_TOKENS;
use crate::quote::quoted;

/// What is to be said of a token in a dialect; nothing of an ordinary one. `is_alone`: no other token is
/// asked for beside it.
pub(crate) fn problem(token: &ProductToken, dialect: &Dialect, is_alone: bool) -> Option<String> {
    let text = token.as_str();
    let problem = token.problem()?;
    let so = if is_alone { "so only `*` groups apply" } else { "so no group names it" };
    if text == "*" {
        return Some(format!(
            "`*` is no crawler's name: it stands for all whom no group names, {so}"
        ));
    }
    let reads_part = dialect.short_tokens
        || dialect.agent_value == AgentValue::Whole
        || dialect.agent_match == AgentMatch::NameInToken;
    let cuts_names = dialect.agent_value == AgentValue::LeadingRun;
    let shown = quoted(text);
    match problem {
        // Where names are cut, a line whose name is cut to nothing names it.
        TokenProblem::Empty if cuts_names => None,
        TokenProblem::Empty => Some(format!("the agent is empty, {so}")),
        TokenProblem::NeverNamed { .. } if reads_part => None,
        TokenProblem::NeverNamed { at } => Some(format!(
            "{shown} holds {}, which no user-agent line's name can hold, {so}{}",
            character(text, at),
            meant(text, at)
        )),
        TokenProblem::Unusual { at } if cuts_names => Some(format!(
            "{shown} holds {}, at which this dialect ends a user-agent line's name, {so}",
            character(text, at)
        )),
        TokenProblem::Unusual { at } => Some(format!(
            "{shown} holds {}, which is none of RFC 9309's letters, `-` and `_`, so some parsers never \
             match it",
            character(text, at)
        )),
        _ => Some(format!("{shown} {problem}")),
    }
}

fn character(text: &str, at: usize) -> String {
    match text.get(at..).and_then(|rest| rest.chars().next()) {
        Some(' ') => "a blank".to_owned(),
        Some(c) => quoted(c.encode_utf8(&mut [0; 4])),
        None => "something".to_owned(),
    }
}

/// The token that may have been meant: the one before the version, or those of a whole header.
fn meant(text: &str, at: usize) -> String {
    let is_header = text.contains(|c: char| c.is_ascii_whitespace() || c == '(');
    let tokens = is_header.then(|| Crawler::from_header(text, None)).flatten();
    if let Some(header) = tokens {
        let tokens = header.tokens().iter().map(|token| quoted(token.as_str()));
        let shown: Vec<String> = tokens.take(HEADER_TOKENS).collect();
        return match &*shown {
            [one] => format!("; its product token is {one}"),
            many => format!("; its product tokens are {}", many.join(", ")),
        };
    }
    match &text[..at] {
        "" => String::new(),
        before => format!("; did you mean {}?", quoted(before)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: &Dialect, token: &str, expected: Option<&str>) {
        assert_eq!(problem(&ProductToken::new(token), dialect, true).as_deref(), expected);
    }

    #[test]
    fn a_version_or_a_header_is_told_with_what_may_be_meant() {
        let row = &Dialect::RFC9309;
        check(row, "GPTBot", None);
        check(
            row,
            "GPTBot/1.1",
            Some(
                "`GPTBot/1.1` holds `/`, which no user-agent line's name can hold, so only `*` groups \
                 apply; did you mean `GPTBot`?",
            ),
        );
        check(
            row,
            "Mozilla/5.0 (compatible; GPTBot/1.1)",
            Some(
                "`Mozilla/5.0 (compatible; GPTBot/1.1)` holds `/`, which no user-agent line's name can \
                 hold, so only `*` groups apply; its product tokens are `Mozilla`, `GPTBot`",
            ),
        );
        check(
            row,
            "my bot",
            Some(
                "`my bot` holds a blank, which no user-agent line's name can hold, so only `*` groups \
                 apply; did you mean `my`?",
            ),
        );
        check(
            row,
            "\x1b",
            Some(
                r"`\x1b` holds `\x1b`, which is none of RFC 9309's letters, `-` and `_`, so some parsers never match it",
            ),
        );
    }

    #[test]
    fn a_star_and_an_empty_text_name_nobody() {
        let star = "`*` is no crawler's name: it stands for all whom no group names, so only `*` groups apply";
        check(&Dialect::RFC9309, "*", Some(star));
        check(&Dialect::BOOK, "*", Some(star));
        check(&Dialect::RFC9309, "", Some("the agent is empty, so only `*` groups apply"));
    }

    #[test]
    fn dialects_differ_in_what_a_group_can_name() {
        for row in [Dialect::KOSTER1996, Dialect::BOOK, Dialect::ORIG1994] {
            check(&row, "GPTBot/1.1", None);
            let robots = row.parse("User-agent: GPTBot\nDisallow: /\n");
            assert!(!robots.check("GPTBot/1.1", "/x").is_allowed(), "{row}");
        }
        check(
            &Dialect::RFC9309,
            "MJ12bot",
            Some(
                "`MJ12bot` holds `1`, which is none of RFC 9309's letters, `-` and `_`, so some parsers \
                 never match it",
            ),
        );
        check(
            &Dialect::GOOGLE,
            "MJ12bot",
            Some(
                "`MJ12bot` holds `1`, at which this dialect ends a user-agent line's name, so only `*` \
                 groups apply",
            ),
        );
        check(&Dialect::GOOGLE, "", None);
    }

    #[test]
    fn beside_others_it_is_only_not_named() {
        let told = problem(&ProductToken::new("b/1"), &Dialect::RFC9309, false);
        assert!(told.unwrap().contains("hold, so no group names it; did you mean `b`?"));
    }
}
