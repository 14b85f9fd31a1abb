//! Characters and keys that look like others.

use crate::extension::{KEYED, RecordKind};
use crate::parse::looks_like;

/// Whether a character looks like white space or is invisible, but is not white space in a
/// robots.txt (REP-AMB-42).
///
/// # Examples
///
/// ```
/// use verger::diagnostic::is_foreign_space;
///
/// assert!(is_foreign_space('\u{a0}') && is_foreign_space('\u{feff}'));
/// assert!(!is_foreign_space(' ') && !is_foreign_space('a'));
/// ```
pub fn is_foreign_space(c: char) -> bool {
    let is_invisible =
        matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    !c.is_ascii() && (c.is_whitespace() || is_invisible)
}

/// The usual spelling of the known key that an unknown one looks like.
pub(super) fn known_key(key: &[u8]) -> Option<&'static str> {
    looks_like(key).or_else(|| {
        let text = core::str::from_utf8(key).ok()?;
        let usual = ["User-agent", "Disallow", "Allow", "Sitemap"];
        let all = usual.into_iter().chain(KEYED.map(RecordKind::key));
        all.into_iter().find(|known| looks_equal(text, known))
    })
}

/// Whether two keys differ only in characters that are neither letters nor digits, or have foreign
/// letters in the same places: a Cyrillic `о` for `o`. No table of similar letters is needed, if at
/// least half of the key is ASCII: no other key is that close to a known one.
fn looks_equal(key: &str, known: &str) -> bool {
    let is_letter = |c: &char| c.is_ascii_alphanumeric();
    let (key, letters) = (|| key.chars().map(narrow), || known.chars().filter(is_letter));
    if key().filter(is_letter).eq(letters().map(|c| c.to_ascii_lowercase())) {
        return true;
    }
    let pairs = || key().zip(known.chars().map(|c| c.to_ascii_lowercase()));
    key().count() == known.len()
        && 2 * pairs().filter(|(c, wanted)| c == wanted).count() >= known.len()
        && pairs().all(|(c, wanted)| c == wanted || !c.is_ascii())
}

/// A letter in lower case, and of a full-width character its usual form.
fn narrow(c: char) -> char {
    let usual = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        _ => None,
    };
    usual.unwrap_or(c).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_similar_characters_are_recognised() {
        for (key, expected) in [
            ("User\u{2011}agent", "User-agent"),
            ("User\u{a0}agent", "User-agent"),
            ("User\u{ad}agent", "User-agent"),
            ("Us\u{435}r-\u{430}g\u{435}nt", "User-agent"),
            ("D\u{456}s\u{430}ll\u{43e}w", "Disallow"),
            ("\u{391}llow", "Allow"),
            ("\u{ff24}\u{ff49}\u{ff53}\u{ff41}\u{ff4c}\u{ff4c}\u{ff4f}\u{ff57}", "Disallow"),
            ("Disallow\u{ff1a}", "Disallow"),
            ("Site\u{200b}map", "Sitemap"),
            ("Crawl\u{2212}delay", "Crawl-delay"),
            ("Crawl_delay", "Crawl-delay"),
            ("C\u{433}\u{430}wl-delay", "Crawl-delay"),
            ("content\u{2010}signal", "Content-Signal"),
            ("* Noindex", "Noindex"),
        ] {
            assert_eq!(known_key(key.as_bytes()), Some(expected), "{key}");
        }
        for key in [
            "Host2",
            "crawl-delays",
            "\u{417}\u{430}\u{43f}\u{440}\u{435}\u{442}",
            "\u{430}ll\u{43e}\u{448}\u{448}",
            "\u{4f60}\u{597d}",
            "\u{e9}tat",
            "",
        ] {
            assert_eq!(known_key(key.as_bytes()), None, "{key}");
        }
    }
}
