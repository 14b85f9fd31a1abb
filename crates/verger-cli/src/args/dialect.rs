//! The argument that says how the protocol is read.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use verger::Dialect;

/// The reading of the protocol.
#[derive(Debug, Args)]
pub(crate) struct DialectArgs {
    /// The reading of the protocol
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
    (Dialect::GOOGLE, "Exactly what Google's open-source library answers"),
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
    fn every_published_dialect_can_be_named_in_their_order() {
        assert_eq!(DIALECTS.map(|(row, _)| row), Dialect::PUBLISHED);
    }
}
