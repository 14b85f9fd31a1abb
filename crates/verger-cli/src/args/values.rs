//! How values of arguments are read.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use verger::VENDORS;

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
