//! How values of arguments are read.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use verger::{Dialect, VENDORS};

/// The dialects by name, each with a line of help.
pub(crate) fn dialect() -> impl TypedValueParser<Value = Dialect> {
    let names = Dialect::PUBLISHED.map(|row| PossibleValue::new(row.name).help(summary(row)));
    PossibleValuesParser::new(names)
        .try_map(|name| Dialect::named(&name).ok_or("expected the name of a dialect"))
}

/// A crawler's name. Any text passes: what is said of an unknown one is not clap's to say. What this
/// adds is the names, for completions.
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
        // No known name has a byte that this could change.
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(VENDORS.iter().map(|vendor| PossibleValue::new(vendor.name))))
    }
}

/// The long help of `--crawler`, with every known name.
pub(crate) fn crawler_help() -> String {
    let names: Vec<&str> = VENDORS.iter().map(|vendor| vendor.name).collect();
    format!(
        "A known crawler, with the fallbacks that its vendor documents\n\n`Googlebot-Image` also obeys a \
         group for `Googlebot`, `AdsBot-Google` obeys none for `*`. A note is shown where no source \
         confirms a fallback, and where a name stands for no ordinary crawler.\n\nKnown are {}.",
        names.join(", ")
    )
}

fn summary(row: Dialect) -> &'static str {
    match row.name {
        "rfc9309" => "RFC 9309 of 2022",
        "google" => "Exactly what Google's open-source library answers",
        "koster1996" => "The drafts of November and December 1996",
        "book" => "Section 9.4 of the book HTTP: The Definitive Guide, 2002",
        "orig1994" => "The standard of 1994, as Perl's WWW::RobotRules reads it",
        "rep2019" => "The draft of July 2019 that became RFC 9309",
        "yandex" => "Yandex's documentation",
        "baidu" => "Baidu's documentation",
        "bing" => "Bing's documentation",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_has_a_summary() {
        for row in Dialect::PUBLISHED {
            assert!(!summary(row).is_empty(), "{row}");
        }
    }
}
