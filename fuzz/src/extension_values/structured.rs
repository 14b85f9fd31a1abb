//! `Content-Usage` dictionaries, compared with another parser of RFC 9651.

use sfv::{BareItem, Dictionary, ListEntry, Parser};
use verger::extension::{Preference, Usage};

/// Compares the results of both (REP-EXT-36).
pub(super) fn check(value: &[u8]) {
    let found = Usage::parse(value);
    let Ok(members) = Parser::new(value).parse::<Dictionary>() else {
        assert!(found.is_err(), "{found:?} of no dictionary");
        return;
    };
    let found = found.expect("the dictionary parses elsewhere");
    assert_eq!(found.train_ai, preference(&members, "train-ai"));
    assert_eq!(found.search, preference(&members, "search"));
}

fn preference(members: &Dictionary, key: &str) -> Preference {
    let Some(ListEntry::Item(item)) = members.get(key) else {
        return Preference::Unknown;
    };
    match &item.bare_item {
        BareItem::Token(token) if token.as_str() == "y" => Preference::Allowed,
        BareItem::Token(token) if token.as_str() == "n" => Preference::Disallowed,
        _ => Preference::Unknown,
    }
}
