//! Is this text a token that a group can name?
//!
//! Any text is asked for. One with a version, such as `GPTBot/1.1`, is read as a User-Agent header
//! (REP-AMB-13): a note says which product tokens are looked for. Dialect `google` takes it as it is, and
//! then no group names it: a warning says so, and also of a text that holds no product token. Dialects that
//! look for the name of a group inside of a text need no such warning.

use std::fmt::Display;

use verger::dialect::{AgentMatch, AgentValue};
use verger::{Crawler, Dialect, ProductToken, TokenProblem};

use crate::console::Talk;
use crate::limits::HEADER_TOKENS;
use crate::quote::quoted;

/// A remark on the text of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remark {
    /// How it is read.
    Note(String),
    /// Why it may not be what was meant.
    Warning(String),
}

impl Remark {
    /// Says it after the place that it is about.
    pub(crate) fn say(&self, place: impl Display, talk: &mut Talk) {
        match self {
            Self::Note(text) => talk.note(format_args!("{place}{text}")),
            Self::Warning(text) => talk.warning(format_args!("{place}{text}")),
        }
    }
}

/// The remark on a token in a dialect; none on an ordinary one. `is_alone`: no other token is asked for
/// beside it.
pub(crate) fn remark(token: &ProductToken, dialect: &Dialect, is_alone: bool) -> Option<Remark> {
    if dialect.reads_headers
        && let Some(names) = names_in(token)
    {
        let (text, names) = (quoted(token.as_str()), listed(&names));
        return Some(Remark::Note(format!("{text} is read as a User-Agent header; its {names}")));
    }
    problem(token, dialect, is_alone).map(Remark::Warning)
}

/// The product tokens in a text that is none (REP-AMB-13); `None` for a product token, and for a text that
/// holds no product token.
pub(crate) fn names_in(token: &ProductToken) -> Option<Crawler> {
    let is_header = matches!(token.problem(), Some(TokenProblem::NeverNamed { .. }));
    if is_header { Crawler::from_user_agent(token.as_str()).ok() } else { None }
}

fn problem(token: &ProductToken, dialect: &Dialect, is_alone: bool) -> Option<String> {
    let text = token.as_str();
    let problem = token.problem()?;
    let so = if is_alone { "so only `*` groups apply" } else { "so no group names it" };
    if text == "*" {
        return Some(format!(
            "`*` is no crawler's name: it stands for all whom no group names, {so}"
        ));
    }
    let reads_part =
        dialect.agent_value == AgentValue::Whole || dialect.agent_match == AgentMatch::NameInToken;
    let cuts_names = dialect.agent_value == AgentValue::LeadingRun;
    let shown = quoted(text);
    if text.contains("://") {
        return Some(format!("{shown} is a URL and no crawler, {so}; are agent and URL swapped?"));
    }
    match problem {
        // Where names are cut, a line whose name is cut to nothing names it.
        TokenProblem::Empty if cuts_names => None,
        TokenProblem::Empty => Some(format!("the agent is empty, {so}")),
        TokenProblem::NeverNamed { .. } if reads_part => None,
        TokenProblem::NeverNamed { .. } if is_header(text) && names_in(token).is_none() => Some(
            format!("no crawler's product token was found in the User-Agent header {shown}, {so}"),
        ),
        TokenProblem::NeverNamed { at } => Some(format!(
            "{shown} holds {}, which no user-agent line's name can hold, {so}{}",
            character(text, at),
            meant(token, at)
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

/// Whether a text has the parts of a User-Agent header.
fn is_header(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_whitespace() || c == '(')
}

/// The token that may have been meant: the one before the version, or those of a whole header.
fn meant(token: &ProductToken, at: usize) -> String {
    let text = token.as_str();
    match (names_in(token), &text[..at]) {
        (Some(names), _) if is_header(text) => format!("; its {}", listed(&names)),
        (_, "") => String::new(),
        (_, before) => format!("; did you mean {}?", quoted(before)),
    }
}

/// The product tokens in a few words, in their order.
fn listed(names: &Crawler) -> String {
    let all = names.tokens();
    let shown: Vec<String> =
        all.iter().take(HEADER_TOKENS).map(|name| quoted(name.as_str())).collect();
    let more = match all.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match &*shown {
        [one] => format!("product token is {one}"),
        many => format!("product tokens are {}{more}", many.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: &Dialect, token: &str, expected: Option<&str>) {
        let expected = expected.map(|text| Remark::Warning(text.to_owned()));
        assert_eq!(remark(&ProductToken::new(token), dialect, true), expected);
    }

    #[track_caller]
    fn check_note(dialect: &Dialect, token: &str, expected: &str) {
        let expected = Some(Remark::Note(expected.to_owned()));
        assert_eq!(remark(&ProductToken::new(token), dialect, true), expected);
    }

    #[test]
    fn a_note_says_which_product_tokens_of_a_header_are_looked_for() {
        let header = "Mozilla/5.0 (compatible; GPTBot/1.1)";
        let of_header = "`Mozilla/5.0 (compatible; GPTBot/1.1)` is read as a User-Agent header; its \
                         product token is `GPTBot`";
        for row in Dialect::PUBLISHED.iter().filter(|row| **row != Dialect::GOOGLE) {
            check(row, "GPTBot", None);
            check_note(
                row,
                "GPTBot/1.1",
                "`GPTBot/1.1` is read as a User-Agent header; its product token is `GPTBot`",
            );
            check_note(row, header, of_header);
            check_note(
                row,
                "my bot",
                "`my bot` is read as a User-Agent header; its product tokens are `my`, `bot`",
            );
        }
        check_note(
            &Dialect::RFC9309,
            "a b c d e f g",
            "`a b c d e f g` is read as a User-Agent header; its product tokens are `a`, `b`, `c`, `d`, \
             `e` and 2 more",
        );
    }

    #[test]
    fn google_is_warned_of_a_version_or_a_header_with_what_may_be_meant() {
        let row = &Dialect::GOOGLE;
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
                 hold, so only `*` groups apply; its product token is `GPTBot`",
            ),
        );
    }

    #[test]
    fn a_text_without_a_product_token_is_warned_of() {
        let row = &Dialect::RFC9309;
        check(
            row,
            "Mozilla/5.0 (X11)",
            Some(
                "no crawler's product token was found in the User-Agent header `Mozilla/5.0 (X11)`, so only `*` \
                 groups apply",
            ),
        );
        let url = "`https://h.example/` is a URL and no crawler, so only `*` groups apply; are agent and URL swapped?";
        check(row, "https://h.example/", Some(url));
        check(
            row,
            "/",
            Some(
                "`/` holds `/`, which no user-agent line's name can hold, so only `*` groups apply",
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
        // They look for the name of a group inside of the text, or for the text inside of the name.
        for row in [Dialect::KOSTER1996, Dialect::BOOK, Dialect::ORIG1994] {
            check(&row, "Mozilla/5.0", None);
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
        let told = problem(&ProductToken::new("b/1"), &Dialect::GOOGLE, false);
        assert!(told.unwrap().contains("hold, so no group names it; did you mean `b`?"));
    }
}
