//! Lookup of published values by name: dialects, access profiles.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::limits;
use crate::untrusted::Untrusted;

/// An unknown name of a published value, with the list of valid names.
///
/// # Examples
///
/// ```
/// use verger::{Dialect, UnknownName};
///
/// let error: UnknownName = "gopher".parse::<Dialect>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected a dialect (rfc9309, google, koster1996, book, orig1994, rep2019, yandex, baidu, bing), \
///      but found `gopher`",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnknownName {
    expected: &'static str,
    found: Box<str>,
    choices: Box<[&'static str]>,
}

impl UnknownName {
    /// Creates an error for a table of named values. `expected` is the kind of value with its
    /// article: `a dialect`.
    pub fn new(
        expected: &'static str,
        found: &str,
        choices: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        Self {
            expected,
            found: found.into(),
            choices: choices.into_iter().collect::<Vec<_>>().into(),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} (", self.expected)?;
        for (at, choice) in self.choices.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            f.write_str(choice)?;
        }
        let found = Untrusted::new(&*self.found).limited_to(limits::QUOTED_CHARS);
        write!(f, "), but found {}", found.quoted())
    }
}

impl Error for UnknownName {}

/// Finds a name in a table; ASCII case does not matter.
pub(crate) fn lookup<T: Copy>(
    expected: &'static str,
    name: &str,
    table: &[T],
    name_of: impl Fn(&T) -> &'static str,
) -> Result<T, UnknownName> {
    let found = table.iter().find(|row| name_of(row).eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| UnknownName::new(expected, name, table.iter().map(&name_of)))
}
