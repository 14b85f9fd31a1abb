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
use verger::{Crawler, Dialect, ProductToken, Robots, TokenProblem, VENDORS, Vendor};
use verger_analysis::{named_crawlers, unnamed_crawler};
use verger_json::NamedCrawler;
use verger_json::diff::OTHERS;
use verger_registry::Registry;

use crate::args::CrawlerArgs;
use crate::console::Messages;

use crate::error::Error;
use crate::limits::HEADER_TOKENS;
use crate::sentence::{did_you_mean, quoted};

/// The crawler of the arguments; `None` if they name none.
pub(crate) fn from_args(args: &CrawlerArgs) -> Result<Option<NamedCrawler>, Error> {
    from_names(args.crawler.as_deref(), &args.agents, args.union)
}

/// The crawler with a known name, or with these product tokens.
pub(crate) fn from_names(
    name: Option<&str>,
    agents: &[OsString],
    union: bool,
) -> Result<Option<NamedCrawler>, Error> {
    if let Some(name) = name {
        return known(name).map(Some);
    }
    if agents.is_empty() {
        return Ok(None);
    }
    let tokens = agents.iter().map(|agent| {
        agent.to_str().map(str::to_owned).ok_or_else(|| {
            let found = quoted(agent.as_encoded_bytes());
            Error::new(format!("expected an agent in UTF-8, but found {found}"))
        })
    });
    Ok(Some(with_tokens(tokens.collect::<Result<_, _>>()?, union)))
}

/// The crawler with a name, with its documented fallbacks; `*` is one that no group of the files names.
pub(crate) fn of_name_or_star(name: &str, files: &[&Robots]) -> Crawler {
    if name == OTHERS { unnamed_crawler(files) } else { Registry::bundled().rules_of(name) }
}

/// The crawler with a name, and the name. Only the name itself is the token of a crawler that the engine does
/// not know and that ignores robots.txt.
pub(crate) fn named_by(name: &str) -> NamedCrawler {
    NamedCrawler::named(name).unwrap_or_else(|| {
        let tokens = Registry::bundled()
            .rules_of(name)
            .tokens()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>();
        with_tokens(if tokens.is_empty() { vec![name.to_owned()] } else { tokens }, false)
    })
}

/// A note on a name that neither a known crawler nor a group has, if it is similar to one that has.
pub(crate) fn typo_note(name: &str, files: &[&Robots]) -> Option<String> {
    let named = named_crawlers(files);
    let registry = Registry::bundled();
    let is_known = name == OTHERS
        || registry.find(name).is_some()
        || Crawler::named(name).is_some()
        || named.iter().any(|known| known.eq_ignore_ascii_case(name));
    if is_known {
        return None;
    }
    let tokens = registry.crawlers().iter().map(verger_registry::Crawler::token);
    let near = did_you_mean(name, tokens.chain(named))?;
    Some(format!("no known crawler and no group has the name {}; {near}", quoted(name)))
}

fn with_tokens(tokens: Vec<String>, union: bool) -> NamedCrawler {
    if union { NamedCrawler::union(tokens) } else { NamedCrawler::chain(tokens) }
}

/// The crawler of a vendor.
fn known(name: &str) -> Result<NamedCrawler, Error> {
    NamedCrawler::named(name).ok_or_else(|| {
        let hint = match Registry::bundled().find(name) {
            Some(crawler) => format!("use `{}`", flags(crawler)),
            None => {
                format!("{}; `--agent` takes the product token of any crawler", known_names(name))
            }
        };
        let message = format!("expected the name of a known crawler, but found {}", quoted(name));
        Error::new(message).with_hint(hint)
    })
}

/// The flags that choose a known crawler, with its documented fallbacks.
pub(crate) fn flags(crawler: &verger_registry::Crawler) -> String {
    let token = crawler.token();
    if Vendor::named(token).is_some() {
        return format!("--crawler {token}");
    }
    let agents: Vec<String> = crawler.tokens().iter().map(|it| format!("--agent {it}")).collect();
    if agents.is_empty() { format!("--agent {token}") } else { agents.join(" ") }
}

/// Known names that are similar to an unknown one, and the command that lists all.
pub(crate) fn known_names(unknown: &str) -> String {
    let near = did_you_mean(unknown, VENDORS.iter().map(|vendor| vendor.name));
    let near = near.map(|near| format!("{near} ")).unwrap_or_default();
    format!("{near}`verger check --help` lists the known names")
}

/// Replaces each User-Agent header by its product tokens (REP-AMB-13). An agent without a product
/// token is unchanged.
pub(crate) fn with_headers_read(crawler: NamedCrawler) -> NamedCrawler {
    let agents = crawler.crawler().tokens();
    if crawler.vendor().is_some() || agents.iter().all(|agent| header_tokens(agent).is_none()) {
        return crawler;
    }
    let mut tokens = Vec::new();
    for agent in agents {
        let read = header_tokens(agent).unwrap_or_else(|| Crawler::new(agent.as_str()));
        tokens.extend(read.tokens().iter().map(|token| token.as_str().to_owned()));
    }
    with_tokens(tokens, crawler.crawler().is_union())
}

/// The crawler by its product tokens, for a robots client. It gets the same answers in every
/// dialect that reads headers.
///
/// # Errors
///
/// An agent has no product token, so no group can name it.
pub(crate) fn by_product_tokens(crawler: &NamedCrawler) -> Result<Crawler, Error> {
    for agent in crawler.crawler().tokens() {
        Crawler::from_user_agent(agent.as_str()).map_err(|error| Error::new(error.to_string()))?;
    }
    Ok(with_headers_read(crawler.clone()).crawler().clone())
}

/// Whether an agent is empty or white space.
pub(crate) fn has_empty_token(crawler: &NamedCrawler) -> bool {
    crawler.crawler().tokens().iter().any(|token| token.as_str().trim().is_empty())
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

/// Remarks on unusual agents, each with its agent. The tokens of a vendor's crawler have none.
pub(crate) fn remarks<'a>(
    crawler: &'a NamedCrawler,
    dialect: &'a Dialect,
) -> impl Iterator<Item = (&'a str, Remark)> {
    let agents = if crawler.vendor().is_none() { crawler.crawler().tokens() } else { &[] };
    let is_only = agents.len() == 1;
    agents.iter().filter_map(move |agent| Some((agent.as_str(), remark(agent, dialect, is_only)?)))
}

/// Shows the remarks on the agents of a crawler.
pub(crate) fn show_remarks(crawler: &NamedCrawler, dialect: &Dialect, messages: &mut Messages) {
    remarks(crawler, dialect).for_each(|(_, remark)| remark.show("", messages));
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
        _ => Some(format!("{shown} {problem}")),
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

    #[test]
    fn an_unknown_name_is_refused_with_similar_ones() {
        let error = known("Googlbot\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            r"expected the name of a known crawler, but found `Googlbot\n`"
        );
        let hint = error.hint().unwrap();
        assert!(hint.starts_with("did you mean `Googlebot`"), "{hint}");
        assert!(hint.contains("`verger check --help` lists the known names"), "{hint}");
    }

    #[test]
    fn a_crawler_that_the_engine_does_not_know_has_a_hint_with_its_tokens() {
        let hint = |name| known(name).unwrap_err().hint().map(str::to_owned);
        assert_eq!(hint("perplexitybot").as_deref(), Some("use `--agent PerplexityBot`"));
        let chain = "use `--agent YandexImages --agent Yandex`";
        assert_eq!(hint("YandexImages").as_deref(), Some(chain));
        assert_eq!(hint("naverbot").as_deref(), Some("use `--crawler Yeti`"));
    }

    #[test]
    fn a_name_that_is_similar_to_a_known_one_has_a_note() {
        let robots = Robots::parse("User-agent: OurOwnCrawler\nDisallow: /\n");
        let note = |name| typo_note(name, &[&robots]);
        for name in ["*", "googlebot", "NaverBot", "ourowncrawler", "zzz"] {
            assert_eq!(note(name), None, "{name}");
        }
        let found = note("Gogglebot").unwrap();
        let expected =
            "no known crawler and no group has the name `Gogglebot`; did you mean `Googlebot`";
        assert!(found.starts_with(expected), "{found}");
        assert!(note("OurOwnCrawlr").unwrap().ends_with("did you mean `OurOwnCrawler`?"));
    }

    #[test]
    fn a_name_has_the_fallbacks_of_the_registry() {
        let tokens = |name| {
            Registry::bundled()
                .rules_of(name)
                .tokens()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(tokens("Googlebot-News"), ["Googlebot-News", "Googlebot"]);
        assert_eq!(tokens("yandeximages"), ["YandexImages", "Yandex"]);
        assert_eq!(tokens("naverbot"), ["naverbot"]);
        assert!(Registry::bundled().rules_of("Google-Read-Aloud").ignores_robots());
    }

    #[test]
    fn unusual_tokens_have_remarks() {
        let crawler = NamedCrawler::chain(vec!["a".into(), "b/1".into(), "c 2".into()]);
        let unusual: Vec<&str> =
            remarks(&crawler, &Dialect::RFC9309).map(|(token, _)| token).collect();
        assert_eq!(unusual, ["b/1", "c 2"]);
        assert_eq!(remarks(&known("Googlebot").unwrap(), &Dialect::RFC9309).count(), 0);
    }

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
    fn a_note_lists_the_product_tokens_of_a_header() {
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
    fn google_warns_of_a_version_or_a_header_with_a_suggestion() {
        let row = &Dialect::GOOGLE;
        check(row, "GPTBot", None);
        check(
            row,
            "GPTBot/1.1",
            Some(
                "`GPTBot/1.1` contains `/`, which no name in a user-agent line can contain, so only `*` \
                 groups apply; did you mean `GPTBot`?",
            ),
        );
        check(
            row,
            "Mozilla/5.0 (compatible; GPTBot/1.1)",
            Some(
                "`Mozilla/5.0 (compatible; GPTBot/1.1)` contains `/`, which no name in a user-agent line \
                 can contain, so only `*` groups apply; its product token is `GPTBot`",
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
                "found no product token in the User-Agent header `Mozilla/5.0 (X11)`, so only `*` \
                 groups apply",
            ),
        );
        let url = "`https://h.example/` is a URL, not a crawler, so only `*` groups apply; are agent and URL swapped?";
        check(row, "https://h.example/", Some(url));
        check(
            row,
            "/",
            Some(
                "`/` contains `/`, which no name in a user-agent line can contain, so only `*` groups apply",
            ),
        );
        check(
            row,
            "\x1b",
            Some(
                r"`\x1b` contains `\x1b`; RFC 9309 permits letters, `-` and `_` only, so some parsers never match it",
            ),
        );
    }

    #[test]
    fn a_star_and_an_empty_text_name_no_crawler() {
        let star = "`*` is not the name of a crawler, so only `*` groups apply";
        check(&Dialect::RFC9309, "*", Some(star));
        check(&Dialect::BOOK, "*", Some(star));
        check(&Dialect::RFC9309, "", Some("the agent is empty, so only `*` groups apply"));
    }

    #[test]
    fn the_names_that_groups_can_have_depend_on_the_dialect() {
        // These search for the name of a group inside the text, or for the text inside the name.
        for row in [Dialect::KOSTER1996, Dialect::BOOK, Dialect::ORIG1994] {
            check(&row, "Mozilla/5.0", None);
        }
        check(
            &Dialect::RFC9309,
            "MJ12bot",
            Some(
                "`MJ12bot` contains `1`; RFC 9309 permits letters, `-` and `_` only, so some parsers \
                 never match it",
            ),
        );
        check(
            &Dialect::GOOGLE,
            "MJ12bot",
            Some(
                "`MJ12bot` contains `1`, at which this dialect ends the name in a user-agent line, so \
                 only `*` groups apply",
            ),
        );
        check(&Dialect::GOOGLE, "", None);
    }

    #[test]
    fn the_warning_about_one_of_several_tokens_says_that_no_group_names_it() {
        let warning = problem(&ProductToken::new("b/1"), &Dialect::GOOGLE, false);
        assert!(warning.unwrap().contains("contain, so no group names it; did you mean `b`?"));
    }
}
