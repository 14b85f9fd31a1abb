//! The crawler of the arguments.

use std::ffi::OsString;

use verger::{Crawler, Dialect, VENDORS};
pub(crate) use verger_json::NamedCrawler as Asker;

use crate::agent_text::{self, Remark, names_in};
use crate::args::CrawlerArgs;
use crate::error::Error;
use crate::names::did_you_mean;
use crate::quote::quoted;

/// The crawler of the arguments; `None` if they name none.
pub(crate) fn of_args(args: &CrawlerArgs) -> Result<Option<Asker>, Error> {
    of_names(args.crawler.as_deref(), &args.agents, args.union)
}

/// The crawler with a known name, or else with these product tokens.
pub(crate) fn of_names(
    crawler: Option<&str>,
    agents: &[OsString],
    union: bool,
) -> Result<Option<Asker>, Error> {
    if let Some(name) = crawler {
        return named(name).map(Some);
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
    let tokens = tokens.collect::<Result<_, _>>()?;
    Ok(Some(if union { Asker::union(tokens) } else { Asker::chain(tokens) }))
}

/// The crawler by its product tokens, for a robots client. It gets the same answers in every dialect
/// that reads headers.
///
/// # Errors
///
/// An agent has no product token, so no group can name it.
pub(crate) fn named_crawler(asker: &Asker) -> Result<Crawler, Error> {
    let crawler = asker.crawler();
    if crawler.check_tokens().is_ok() {
        return Ok(crawler.clone());
    }
    let mut tokens = Vec::new();
    for agent in crawler.tokens() {
        let read = Crawler::from_user_agent(agent.as_str());
        let read = read.map_err(|error| Error::new(error.to_string()))?;
        tokens.extend(read.tokens().iter().map(|token| token.as_str().to_owned()));
    }
    Ok(if crawler.is_union() { Crawler::union(tokens) } else { Crawler::chain(tokens) })
}

/// The crawler with the product tokens of each User-Agent header in place of the header (REP-AMB-13). An agent without
/// a product token stays as it is.
pub(crate) fn with_headers_read(asker: Asker) -> Asker {
    let given = asker.crawler().tokens();
    if asker.vendor().is_some() || given.iter().all(|token| names_in(token).is_none()) {
        return asker;
    }
    let mut tokens = Vec::new();
    for token in given {
        let read = names_in(token).unwrap_or_else(|| Crawler::new(token.as_str()));
        tokens.extend(read.tokens().iter().map(|token| token.as_str().to_owned()));
    }
    if asker.crawler().is_union() { Asker::union(tokens) } else { Asker::chain(tokens) }
}

/// Whether some agent is an empty text, or white space.
pub(crate) fn has_empty_token(asker: &Asker) -> bool {
    asker.crawler().tokens().iter().any(|token| token.as_str().trim().is_empty())
}

/// A vendor's crawler.
fn named(name: &str) -> Result<Asker, Error> {
    Asker::named(name).ok_or_else(|| {
        let name_shown = quoted(name);
        let known = known_names(name);
        let hint = format!("{known}; `--agent` asks for any other by its product token");
        let message = format!("expected the name of a known crawler, but found {name_shown}");
        Error::new(message).with_hint(hint)
    })
}

/// The agents that are unusual in a dialect, each with a remark. The tokens of a vendor's crawler are not
/// the user's.
pub(crate) fn remarks<'a>(
    asker: &'a Asker,
    dialect: &'a Dialect,
) -> impl Iterator<Item = (&'a str, Remark)> {
    let given = if asker.vendor().is_none() { asker.crawler().tokens() } else { &[] };
    let is_alone = given.len() == 1;
    given.iter().filter_map(move |token| {
        Some((token.as_str(), agent_text::remark(token, dialect, is_alone)?))
    })
}

/// The known names nearest to an unknown one, and where all of them stand.
pub(crate) fn known_names(unknown: &str) -> String {
    let near = did_you_mean(unknown, VENDORS.iter().map(|vendor| vendor.name));
    let near = near.map(|near| format!("{near} ")).unwrap_or_default();
    format!("{near}`verger check --help` lists the known names")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_refused_with_near_ones() {
        let error = named("Googlbot\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            r"expected the name of a known crawler, but found `Googlbot\n`"
        );
        let hint = error.hint().unwrap();
        assert!(hint.starts_with("did you mean `Googlebot`"), "{hint}");
        assert!(hint.contains("`verger check --help` lists the known names"), "{hint}");
    }

    #[test]
    fn the_unusual_tokens_are_told() {
        let asker = Asker::chain(vec!["a".into(), "b/1".into(), "c 2".into()]);
        let told: Vec<&str> = remarks(&asker, &Dialect::RFC9309).map(|(token, _)| token).collect();
        assert_eq!(told, ["b/1", "c 2"]);
        assert_eq!(remarks(&named("Googlebot").unwrap(), &Dialect::RFC9309).count(), 0);
    }
}
