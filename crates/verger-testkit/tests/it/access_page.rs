//! `docs/access.md` describes every access profile as implemented.

use std::fs;
use std::time::Duration;

use verger::access::{Ladder, Profile};

use crate::table::{Row, table};

/// A value as printed on the page.
trait Shown {
    fn shown(&self) -> String;
}

macro_rules! shown_as_debug {
    ($($type:ty)*) => {
        $(impl Shown for $type {
            fn shown(&self) -> String {
                format!("{self:?}")
            }
        })*
    };
}

shown_as_debug! { u8 bool verger::access::Meaning }

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map_or_else(|| "–".to_owned(), Shown::shown)
    }
}

impl Shown for Duration {
    fn shown(&self) -> String {
        let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
        let of = |&&(unit, _): &&(u64, &str)| self.as_secs().is_multiple_of(unit);
        let &(unit, name) = units.iter().find(of).expect("a second fits everything");
        format!("{} {name}", self.as_secs() / unit)
    }
}

impl Shown for Ladder {
    fn shown(&self) -> String {
        let Self { at_first, later, in_the_end } = self;
        if *self == Self::always(*at_first) {
            return format!("{at_first:?}");
        }
        format!("{at_first:?}, {later:?}, {in_the_end:?}")
    }
}

fn choices() -> Vec<Row> {
    fn values<T: Shown>(choice: impl Fn(&Profile) -> T) -> Vec<String> {
        Profile::ALL.iter().map(|row| choice(row).shown()).collect()
    }
    macro_rules! rows {
        ($($field:ident)*) => {
            vec![$((stringify!($field).to_owned(), values(|row| row.$field)),)*]
        };
    }
    rows! {
        no_content partial_content accepted_empty other_success
        redirects redirect_limit broken_redirect disallowed_hop follow_downgrades
        forbidden too_many_requests unavailable server_error other_status
        default_lifetime floor ceiling max_age_ceiling
        outage_with_copy outage_without_copy outage_later outage_end outage_gap copy_counts_for
        retry_first retry_longest retry_after_longest
    }
}

#[test]
fn the_page_and_the_code_agree_on_every_choice() {
    let (names, on_page) = table("access.md");
    assert_eq!(names, Profile::ALL.map(|row| row.name.to_owned()));
    for (found, expected) in on_page.iter().zip(choices()) {
        assert_eq!(*found, expected, "| `{}` | … | {} |", expected.0, expected.1.join(" | "));
    }
    assert_eq!(on_page.len(), choices().len());
}

#[test]
fn the_page_names_every_field() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../verger/src/access/profile.rs");
    let source = fs::read_to_string(source).expect("the profile is part of the project");
    let (_, fields) = source.split_once("pub struct Profile {").expect("the struct is there");
    let (fields, _) = fields.split_once("\n}").expect("the struct ends");
    let named: Vec<&str> = fields
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub ")?.split(':').next())
        .filter(|&field| field != "name")
        .collect();
    let checked = choices();
    assert_eq!(named, checked.iter().map(|(field, _)| field.as_str()).collect::<Vec<_>>());
}
