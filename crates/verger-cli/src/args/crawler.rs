//! The arguments that choose the crawler and the dialect.

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use verger::{Dialect, VENDORS};

/// The crawler.
#[derive(Debug, Args)]
pub(crate) struct CrawlerArgs {
    /// Product token of the crawler; repeat it for a list, most specific token first
    ///
    /// The name in user-agent lines, such as `GPTBot`, in upper or lower case. The first token of
    /// the list that a group names selects the groups. A text with a version, or a whole User-Agent
    /// header, is read as a header: its product tokens are tried in order, those in the comment
    /// first. Dialect `google` compares the text literally.
    #[arg(long = "agent", value_name = "TOKEN")]
    pub(crate) agents: Vec<OsString>,

    /// Apply the groups of all agents together, as Google's library does
    #[arg(long, requires = "agents", conflicts_with = "crawler")]
    pub(crate) union: bool,

    /// Name of a known crawler, with the fallback groups that its vendor documents
    ///
    /// `--help` lists the names.
    #[arg(
        long,
        long_help = crawler_help(),
        value_name = "NAME",
        value_parser = CrawlerName,
        hide_possible_values = true,
        conflicts_with = "agents"
    )]
    pub(crate) crawler: Option<String>,
}

/// The name of a known crawler. Any text is accepted, because Clap's error would not suggest
/// similar names. The known names are for completions.
#[derive(Clone, Debug)]
pub(crate) struct CrawlerName;

impl TypedValueParser for CrawlerName {
    type Value = String;

    fn parse_ref(
        &self,
        _command: &Command,
        _argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        // No known name contains the replacement character.
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(VENDORS.iter().map(|vendor| PossibleValue::new(vendor.name))))
    }
}

/// The long help of `--crawler`, with every known name.
fn crawler_help() -> String {
    let names: Vec<&str> = VENDORS.iter().map(|vendor| vendor.name).collect();
    format!(
        "Name of a known crawler, with the fallback groups that its vendor documents\n\n`Googlebot-Image` also \
         obeys a group for `Googlebot`; `AdsBot-Google` ignores groups for `*`. A note is shown if no source \
         confirms a fallback, or if the name is not that of an ordinary crawler.\n\nKnown names: {}.",
        names.join(", ")
    )
}

/// The dialect.
#[derive(Debug, Args)]
pub(crate) struct DialectArgs {
    /// Dialect of robots.txt: the published text whose rules apply
    #[arg(
        long,
        value_name = "NAME",
        value_parser = known(),
        ignore_case = true,
        default_value = Dialect::default().name
    )]
    pub(crate) dialect: Dialect,
}

/// The published dialects in their order, each with a line of help.
const DIALECTS: [(Dialect, &str); Dialect::PUBLISHED.len()] = [
    (Dialect::RFC9309, "RFC 9309 of 2022"),
    (Dialect::GOOGLE, "Google's open-source library, with the same answers"),
    (Dialect::KOSTER1996, "The drafts of November and December 1996"),
    (Dialect::BOOK, "Section 9.4 of the book HTTP: The Definitive Guide, 2002"),
    (Dialect::ORIG1994, "The standard of 1994, as Perl's WWW::RobotRules reads it"),
    (Dialect::REP2019, "The draft of July 2019 that became RFC 9309"),
    (Dialect::YANDEX, "Yandex's documentation"),
    (Dialect::BAIDU, "Baidu's documentation"),
    (Dialect::BING, "Bing's documentation"),
];

fn known() -> impl TypedValueParser<Value = Dialect> {
    let names = DIALECTS.map(|(row, help)| PossibleValue::new(row.name).help(help));
    PossibleValuesParser::new(names)
        .try_map(|name| Dialect::named(&name).ok_or("expected the name of a dialect"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_dialect_is_listed_in_order() {
        assert_eq!(DIALECTS.map(|(row, _)| row), Dialect::PUBLISHED);
    }
}
