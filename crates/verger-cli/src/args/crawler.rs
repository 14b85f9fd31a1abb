//! The arguments that choose the crawler and the dialect.

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};
use verger::Dialect;
use verger_registry::Registry;

use super::named;

/// The crawler.
#[derive(Debug, Default, Args)]
pub(crate) struct CrawlerArgs {
    /// Name of the crawler, such as `GPTBot`; repeat it for your own list of fallback tokens
    ///
    /// A known crawler (`verger crawlers`) has the fallbacks and special rules that its operator
    /// documents: `Googlebot-Image` obeys the groups for `Googlebot` if it has none of its own, and
    /// `AdsBot-Google` ignores groups for `*`. A note says so. Any other name is a product token,
    /// the name in user-agent lines; upper and lower case are equal. A value with a version
    /// (`GPTBot/1.1`), or a full User-Agent header, is parsed as a header: its product tokens are
    /// tried in order, those in the comment first. Dialect `google` does not parse values, so only
    /// groups for `*` match a value with a version.
    ///
    /// Several values are product tokens without further fallbacks, most specific first: Verger
    /// uses the groups of the first one that appears in a user-agent line.
    #[arg(
        long = "agent",
        alias = "crawler",
        value_name = "NAME",
        value_parser = CrawlerName,
        hide_possible_values = true
    )]
    pub(crate) agents: Vec<OsString>,

    /// Product token of the crawler, without fallbacks, also if a crawler of this name has some
    #[arg(long, value_name = "TOKEN", conflicts_with = "agents")]
    pub(crate) token: Option<OsString>,

    /// Merge the groups of all `--agent` values, as Google's library does
    #[arg(long, requires = "agents", conflicts_with = "token")]
    pub(crate) union: bool,
}

/// The name of a crawler: any text. The known names are for completions.
#[derive(Clone, Debug)]
pub(crate) struct CrawlerName;

impl TypedValueParser for CrawlerName {
    type Value = OsString;

    fn parse_ref(
        &self,
        _command: &Command,
        _argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<OsString, clap::Error> {
        Ok(value.to_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let known = Registry::bundled().crawlers().iter();
        Some(Box::new(known.map(|crawler| PossibleValue::new(crawler.token()))))
    }
}

/// The dialect.
#[derive(Debug, Args)]
pub(crate) struct DialectArgs {
    /// Dialect of robots.txt: which specification or parser to follow
    ///
    /// Dialects differ in how they parse lines, select groups and normalise URLs. The longest
    /// matching rule decides; in `koster1996`, `book`, `orig1994` and `baidu`, the first one does.
    /// Failed fetches are the subject of the access profile (`--access`), not of the dialect.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = named(DIALECTS, |row| row.name),
        ignore_case = true,
        default_value = Dialect::default().name
    )]
    pub(crate) dialect: Dialect,
}

/// The published dialects in their order, each with a line of help.
pub(super) const DIALECTS: [(Dialect, &str); Dialect::PUBLISHED.len()] = [
    (Dialect::RFC9309, "RFC 9309 (2022), with Verger's choices where the RFC says nothing"),
    (Dialect::GOOGLE, "Google's open-source library, with identical results"),
    (Dialect::KOSTER1996, "Martijn Koster's Internet-Drafts of November and December 1996"),
    (Dialect::BOOK, "Section 9.4 of the book HTTP: The Definitive Guide (2002)"),
    (
        Dialect::ORIG1994,
        "The original 1994 standard; where it is vague, as implemented by Perl's WWW::RobotRules",
    ),
    (Dialect::REP2019, "The draft of July 2019 that became RFC 9309"),
    (Dialect::YANDEX, "Yandex's documentation"),
    (Dialect::BAIDU, "Baidu's documentation"),
    (Dialect::BING, "Bing's documentation"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_dialect_is_listed_in_order() {
        assert_eq!(DIALECTS.map(|(row, _)| row), Dialect::PUBLISHED);
    }
}
