//! What else a page says in the same places: read, and without effect on directives.

use crate::limits::TEXT_BYTES;
use crate::statement::Place;

/// Meta elements for search engines, of the time of the book (REP-PAGE-40). They have no effect on
/// anything.
///
/// Texts come from a stranger: show them through [`verger::Untrusted`]. Of several elements of one name
/// the first counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchMeta {
    description: Option<String>,
    keywords: Option<String>,
    revisit_after: Option<String>,
}

impl SearchMeta {
    /// `description`: a summary, free text.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// `keywords`: words, separated by commas; empty ones are left out.
    pub fn keywords(&self) -> impl Iterator<Item = &str> {
        let words = self.keywords.as_deref().unwrap_or_default().split(',');
        words.map(str::trim_ascii).filter(|word| !word.is_empty())
    }

    /// `revisit-after`: such as `10 days`; hardly anybody heeds it.
    pub fn revisit_after(&self) -> Option<&str> {
        self.revisit_after.as_deref()
    }

    /// Takes an element of one of these names; whether it was one.
    pub(crate) fn take(&mut self, name: &str, content: &str) -> bool {
        let field = match name.to_ascii_lowercase().as_str() {
            "description" => &mut self.description,
            "keywords" => &mut self.keywords,
            "revisit-after" => &mut self.revisit_after,
            _ => return false,
        };
        field.get_or_insert_with(|| cut(content).trim_ascii().to_owned());
        true
    }
}

/// A statement of the TDM Reservation Protocol, in a header line or a meta element (REP-EXT-50).
///
/// How it relates to other statements on the use of content no text says, so it is reported by itself
/// (REP-EXT-52).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TdmStatement {
    term: TdmTerm,
    place: Place,
}

/// What a [`TdmStatement`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TdmTerm {
    /// `tdm-reservation`: whether the rights to mine text and data are reserved.
    Reservation(bool),
    /// `tdm-policy`: the address of a policy, as written.
    Policy(String),
}

impl TdmStatement {
    /// What it says.
    pub const fn term(&self) -> &TdmTerm {
        &self.term
    }

    /// Where it stands.
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Whether a field or element of this name is one of these.
    pub(crate) fn is_name(name: &str) -> bool {
        [RESERVATION, POLICY].iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    /// Reads a field or element; `None` for one that states nothing: values other than 0 and 1 count as
    /// not set.
    pub(crate) fn read(name: &str, value: &str, place: Place) -> Option<Self> {
        let value = value.trim_ascii();
        let term = if name.eq_ignore_ascii_case(RESERVATION) {
            match value {
                "0" => TdmTerm::Reservation(false),
                "1" => TdmTerm::Reservation(true),
                _ => return None,
            }
        } else if name.eq_ignore_ascii_case(POLICY) && !value.is_empty() {
            TdmTerm::Policy(cut(value).to_owned())
        } else {
            return None;
        };
        Some(Self { term, place })
    }
}

/// As much of a text as is kept.
pub(crate) fn cut(text: &str) -> &str {
    if text.len() <= TEXT_BYTES {
        return text;
    }
    let end = (0..=TEXT_BYTES).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or_default()]
}

const RESERVATION: &str = "tdm-reservation";
const POLICY: &str = "tdm-policy";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_element_counts() {
        let mut meta = SearchMeta::default();
        assert!(meta.take("DESCRIPTION", " A shop "));
        assert!(meta.take("description", "x"));
        assert!(meta.take("Keywords", "a, ,b c,"));
        assert!(meta.take("revisit-after", "10 days"));
        assert!(!meta.take("robots", "x"));
        assert_eq!(meta.description(), Some("A shop"));
        assert!(meta.keywords().eq(["a", "b c"]));
        assert_eq!(meta.revisit_after(), Some("10 days"));
    }

    #[test]
    fn a_reservation_is_0_or_1() {
        let place = Place::Header { line: 1 };
        let term = |name, value| TdmStatement::read(name, value, place).map(|found| found.term);
        assert_eq!(term("TDM-Reservation", " 1"), Some(TdmTerm::Reservation(true)));
        assert_eq!(term("tdm-reservation", "0"), Some(TdmTerm::Reservation(false)));
        assert_eq!(term("tdm-reservation", "yes"), None);
        assert_eq!(term("tdm-policy", "/p"), Some(TdmTerm::Policy("/p".into())));
        assert_eq!(term("tdm-policy", " "), None);
    }
}
