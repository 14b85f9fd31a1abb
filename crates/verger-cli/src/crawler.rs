//! The crawler of the arguments, and remarks on its tokens.
//!
//! The engine accepts any text as a token. A text with a version, such as `GPTBot/1.1`, is read as
//! a User-Agent header (REP-AMB-13), and a note lists its product tokens. Dialect `google` compares
//! the text literally, so no group can name it: a warning says so, and also for a header without a
//! product token. Dialects that search for the name of a group inside the text need no such
//! warning.

use std::ffi::OsString;
use std::fmt::Display;

use verger::dialect::{AgentMatch, AgentValue};
use verger::{Crawler, Dialect, ProductToken, Robots, TokenProblem, quoted};
use verger_analysis::named_crawlers;
use verger_json::NamedCrawler;
use verger_registry::Registry;

use crate::args::CrawlerArgs;
use crate::console::Messages;
use crate::error::Error;
use crate::limits::HEADER_TOKENS;

/// The crawler of the arguments; `None` if they name none.
pub(crate) fn from_args(
    args: &CrawlerArgs,
    dialect: &Dialect,
) -> Result<Option<NamedCrawler>, Error> {
    let text = |agent: &OsString| {
        agent.to_str().map(str::to_owned).ok_or_else(|| {
            let found = quoted(agent.as_encoded_bytes());
            Error::new(format!("expected an agent in UTF-8, but found {found}"))
        })
    };
    if let Some(token) = &args.token {
        return Ok(Some(NamedCrawler::token(text(token)?)));
    }
    let mut agents: Vec<String> = args.agents.iter().map(text).collect::<Result<_, _>>()?;
    Ok(match agents.len() {
        0 => None,
        _ if args.union => Some(NamedCrawler::union(agents, dialect)),
        1 => Some(NamedCrawler::agent(agents.remove(0), dialect)),
        _ => Some(NamedCrawler::chain(agents, dialect)),
    })
}

/// The crawler for a robots client.
///
/// # Errors
///
/// An agent has no product token, so no group can name it.
pub(crate) fn by_product_tokens(crawler: &NamedCrawler) -> Result<Crawler, Error> {
    for token in crawler.crawler().tokens() {
        Crawler::from_user_agent(token.as_str()).map_err(|error| Error::new(error.to_string()))?;
    }
    Ok(crawler.crawler().clone())
}

/// Whether an agent is empty or white space.
pub(crate) fn has_empty_token(crawler: &NamedCrawler) -> bool {
    crawler.words().iter().any(|word| word.trim().is_empty())
}

/// A remark on the text of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remark {
    /// The product tokens in the text.
    Note(String),
    /// A likely mistake.
    Warning(String),
}

impl Remark {
    /// Shows the remark. `place` precedes it.
    pub(crate) fn show(&self, place: impl Display, messages: &mut Messages) {
        match self {
            Self::Note(text) => messages.note(format_args!("{place}{text}")),
            Self::Warning(text) => messages.warning(format_args!("{place}{text}")),
        }
    }
}

/// Remarks on agents that are unusual, or similar to a known name; each with its agent. `files` are
/// the compared robots.txt, if they are known.
pub(crate) fn remarks<'a>(
    crawler: &'a NamedCrawler,
    files: &[&Robots],
    dialect: &'a Dialect,
) -> impl Iterator<Item = (&'a str, Remark)> + use<'a> {
    let agents = crawler.words();
    let remark = move |agent: &'a String| {
        let found = remark(&ProductToken::new(agent.as_str()), dialect, agents.len() == 1)?;
        Some((agent.as_str(), found))
    };
    agents.iter().filter_map(remark).chain(typo(crawler, files, dialect))
}

/// Shows the remarks on the agents of a crawler, and the caveat of a known one. Its tokens are part
/// of the output.
pub(crate) fn show_remarks(
    crawler: &NamedCrawler,
    files: &[&Robots],
    dialect: &Dialect,
    messages: &mut Messages,
) {
    remarks(crawler, files, dialect).for_each(|(_, remark)| remark.show("", messages));
    crawler.known().and_then(caveat).into_iter().for_each(|note| messages.note(note));
}

/// The note on a crawler with one token, if neither a known crawler nor a group has its name and it
/// probably means one that has.
fn typo<'a>(
    crawler: &'a NamedCrawler,
    files: &[&Robots],
    dialect: &Dialect,
) -> Option<(&'a str, Remark)> {
    let (None, [token]) = (crawler.known(), crawler.crawler().tokens()) else { return None };
    // Its remark suggests the name already.
    if problem(token, dialect, true).is_some() {
        return None;
    }
    let (token, registry) = (token.as_str(), Registry::bundled());
    let found_by = |file: &&'_ Robots| {
        let mut groups = file.groups_for(crawler.crawler()).filter_map(|group| group.found_by());
        groups.any(|agent| !agent.is_star())
    };
    if files.iter().any(found_by) {
        return None;
    }
    let question = registry.similar(token, named_crawlers(files))?.question();
    let group = if files.is_empty() { "" } else { " and no group" };
    let note = format!("no known crawler{group} has the name {}; {question}", quoted(token));
    Some((token, Remark::Note(note)))
}

/// The note on the tokens of a known crawler beyond its name.
pub(crate) fn fallback(known: &verger_registry::Crawler) -> Option<String> {
    Some(format!("{} {}", quoted(known.token()), known.fallback()?))
}

fn caveat(known: &verger_registry::Crawler) -> Option<String> {
    Some(format!("about {}: {}", quoted(known.token()), known.caveat()?))
}

/// The remark on a token; none on an ordinary one. `is_only`: it is the crawler's only token.
fn remark(token: &ProductToken, dialect: &Dialect, is_only: bool) -> Option<Remark> {
    if dialect.reads_headers
        && let Some(tokens) = header_tokens(token)
    {
        let (text, tokens) = (quoted(token.as_str()), listed(&tokens));
        return Some(Remark::Note(format!("{text} is read as a User-Agent header; its {tokens}")));
    }
    problem(token, dialect, is_only).map(Remark::Warning)
}

/// The product tokens of a User-Agent header (REP-AMB-13); `None` if the text is a product token or
/// contains none.
pub(crate) fn header_tokens(token: &ProductToken) -> Option<Crawler> {
    let is_header = matches!(token.problem(), Some(TokenProblem::NeverNamed { .. }));
    if is_header { Crawler::from_user_agent(token.as_str()).ok() } else { None }
}

fn problem(token: &ProductToken, dialect: &Dialect, is_only: bool) -> Option<String> {
    let text = token.as_str();
    let problem = token.problem()?;
    let so = if is_only { "so only `*` groups apply" } else { "so no group names it" };
    if text == "*" {
        return Some(format!("`*` is not the name of a crawler, {so}"));
    }
    let reads_part =
        dialect.agent_value == AgentValue::Whole || dialect.agent_match == AgentMatch::NameInToken;
    let cuts_names = dialect.agent_value == AgentValue::LeadingRun;
    let shown = quoted(text);
    if text.contains("://") {
        return Some(format!("{shown} is a URL, not a crawler, {so}; are agent and URL swapped?"));
    }
    match problem {
        // If names are cut, a line whose name is cut to nothing names it.
        TokenProblem::Empty if cuts_names => None,
        TokenProblem::Empty => Some(format!("the agent is empty, {so}")),
        TokenProblem::NeverNamed { .. } if reads_part => None,
        TokenProblem::NeverNamed { .. } if is_header(text) && header_tokens(token).is_none() => {
            Some(format!("found no product token in the User-Agent header {shown}, {so}"))
        }
        TokenProblem::NeverNamed { at } => Some(format!(
            "{shown} contains {}, which no name in a user-agent line can contain, {so}{}",
            character(text, at),
            suggestion(token, at)
        )),
        TokenProblem::Unusual { at } if cuts_names => Some(format!(
            "{shown} contains {}, at which this dialect ends the name in a user-agent line, {so}",
            character(text, at)
        )),
        TokenProblem::Unusual { at } => Some(format!(
            "{shown} contains {}; RFC 9309 permits letters, `-` and `_` only, so some parsers never \
             match it",
            character(text, at)
        )),
        _ => Some(format!("{shown} is unusual, {so}")),
    }
}

fn character(text: &str, at: usize) -> String {
    match text.get(at..).and_then(|rest| rest.chars().next()) {
        Some(' ') => "a space".to_owned(),
        Some(c) => quoted(c.encode_utf8(&mut [0; 4])),
        None => "something".to_owned(),
    }
}

/// Whether a text has the form of a User-Agent header.
fn is_header(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_whitespace() || c == '(')
}

/// A suggestion: the token before the version, or the tokens of a header.
fn suggestion(token: &ProductToken, at: usize) -> String {
    let text = token.as_str();
    match (header_tokens(token), &text[..at]) {
        (Some(tokens), _) if is_header(text) => format!("; its {}", listed(&tokens)),
        (_, "") => String::new(),
        (_, before) => format!("; did you mean {}?", quoted(before)),
    }
}

/// Product tokens as part of a sentence.
fn listed(crawler: &Crawler) -> String {
    let all = crawler.tokens();
    let shown: Vec<String> =
        all.iter().take(HEADER_TOKENS).map(|token| quoted(token.as_str())).collect();
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

    fn from(args: &[&str], dialect: &Dialect) -> NamedCrawler {
        let args = CrawlerArgs {
            agents: args.iter().map(OsString::from).collect(),
            ..CrawlerArgs::default()
        };
        from_args(&args, dialect).unwrap().unwrap()
    }

    #[test]
    fn one_agent_has_its_fallbacks_and_several_are_a_chain() {
        let tokens = |args: &[&str]| from(args, &Dialect::RFC9309).crawler().tokens().len();
        assert_eq!(tokens(&["googlebot-image"]), 2);
        assert_eq!(tokens(&["Googlebot-Image", "GPTBot"]), 2);
        let token = CrawlerArgs { token: Some("Googlebot-Image".into()), ..CrawlerArgs::default() };
        let token = from_args(&token, &Dialect::RFC9309).unwrap().unwrap();
        assert_eq!(token.crawler(), &Crawler::new("Googlebot-Image"));
    }

    #[test]
    fn a_known_crawler_has_notes() {
        let notes = |name| -> Vec<String> {
            let known = Registry::bundled().find(name).unwrap();
            fallback(known).into_iter().chain(caveat(known)).collect()
        };
        assert_eq!(
            notes("Applebot"),
            ["`Applebot` obeys a group for `Googlebot` if it has none of its own"]
        );
        assert_eq!(notes("Google-Extended").len(), 1);
        assert!(notes("GPTBot").is_empty());
        assert_eq!(
            notes("Google-Safety"),
            ["about `Google-Safety`: it does not follow robots.txt"]
        );
    }

    #[test]
    fn a_name_that_is_similar_to_a_known_one_has_a_note() {
        let robots =
            Robots::parse("User-agent: Googlebut\nUser-agent: OurOwnCrawler\nDisallow: /\n");
        let dialect = &Dialect::RFC9309;
        let note = |name, files: &[&Robots]| match typo(&from(&[name], dialect), files, dialect)?.1
        {
            Remark::Note(text) | Remark::Warning(text) => Some(text),
        };
        for name in
            ["*", "", "googlebot", "NaverBot", "ourowncrawler", "zzz", "Googlebut", "Googlbott"]
        {
            assert_eq!(note(name, &[&robots]), None, "{name}");
        }
        for (name, near) in [
            ("Gogglebot", "Googlebot"),
            ("Gogglebot/2.1", "Googlebot"),
            ("OurOwnCrawlr", "OurOwnCrawler"),
            ("ChatGPT", "GPTBot"),
        ] {
            let found = note(name, &[&robots, &robots]).expect(name);
            assert!(found.starts_with("no known crawler and no group has the name `"), "{found}");
            assert!(found.ends_with(&format!("; did you mean `{near}`?")), "{found}");
        }
        let found = note("Googlebut", &[]).expect("no file");
        assert_eq!(found, "no known crawler has the name `Googlebut`; did you mean `Googlebot`?");
    }

    #[test]
    fn unusual_tokens_have_remarks() {
        let crawler = from(&["a", "b/1", "c 2"], &Dialect::RFC9309);
        let unusual: Vec<&str> =
            remarks(&crawler, &[], &Dialect::RFC9309).map(|(token, _)| token).collect();
        assert_eq!(unusual, ["b/1", "c 2"]);
    }

    /// Checks the remark on a crawler's only token. In the expected text, `%` is the quoted token.
    #[track_caller]
    fn check(dialects: &[Dialect], token: &str, expected: &str) {
        let expected = expected.replace('%', &quoted(token));
        for dialect in dialects {
            let found = match remark(&ProductToken::new(token), dialect, true) {
                None => String::new(),
                Some(Remark::Note(text)) => format!("note: {text}"),
                Some(Remark::Warning(text)) => format!("warning: {text}"),
            };
            assert_eq!(found, expected, "{}", dialect.name);
        }
    }

    #[test]
    fn the_remark_on_a_token_depends_on_the_dialect() {
        let header = "Mozilla/5.0 (compatible; GPTBot/1.1)";
        check(&Dialect::PUBLISHED, "GPTBot", "");
        let readers: Vec<Dialect> =
            Dialect::PUBLISHED.into_iter().filter(|row| *row != Dialect::GOOGLE).collect();
        let one = "note: % is read as a User-Agent header; its product token is `GPTBot`";
        let two = "note: % is read as a User-Agent header; its product tokens are `my`, `bot`";
        for (token, note) in [("GPTBot/1.1", one), (header, one), ("my bot", two)] {
            check(&readers, token, note);
        }
        let warning = "warning: % contains `/`, which no name in a user-agent line can contain, so \
                       only `*` groups apply";
        let (meant, its) = ("; did you mean `GPTBot`?", "; its product token is `GPTBot`");
        check(&[Dialect::GOOGLE], "GPTBot/1.1", &format!("{warning}{meant}"));
        check(&[Dialect::GOOGLE], header, &format!("{warning}{its}"));
        // These search for the name of a group inside the text, or for the text inside the name.
        let parts = [Dialect::KOSTER1996, Dialect::BOOK, Dialect::ORIG1994];
        check(&parts, "Mozilla/5.0", "");
        let unusual = "RFC 9309 permits letters, `-` and `_` only, so some parsers never match it";
        let star = "warning: `*` is not the name of a crawler, so only `*` groups apply";
        check(&[Dialect::RFC9309, Dialect::BOOK], "*", star);
        for (token, expected) in [
            (
                "a b c d e f g",
                "note: % is read as a User-Agent header; its product tokens are `a`, `b`, `c`, `d`, \
                 `e` and 2 more",
            ),
            (
                "Mozilla/5.0 (X11)",
                "warning: found no product token in the User-Agent header %, so only `*` groups apply",
            ),
            (
                "https://h.example/",
                "warning: % is a URL, not a crawler, so only `*` groups apply; are agent and URL \
                 swapped?",
            ),
            ("/", warning),
            ("\x1b", &format!("warning: % contains %; {unusual}")),
            ("MJ12bot", &format!("warning: % contains `1`; {unusual}")),
            ("", "warning: the agent is empty, so only `*` groups apply"),
        ] {
            check(&[Dialect::RFC9309], token, expected);
        }
        let cut = "warning: % contains `1`, at which this dialect ends the name in a user-agent \
                   line, so only `*` groups apply";
        check(&[Dialect::GOOGLE], "MJ12bot", cut);
        check(&[Dialect::GOOGLE], "", "");
    }

    #[test]
    fn the_warning_about_one_of_several_tokens_says_that_no_group_names_it() {
        let warning = problem(&ProductToken::new("b/1"), &Dialect::GOOGLE, false);
        assert!(warning.unwrap().contains("contain, so no group names it; did you mean `b`?"));
    }
}
