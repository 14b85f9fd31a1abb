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
        let known = all.into_iter().find(|known| looks_equal(text, known));
        // A kind of sitemap, such as `Video Sitemap`.
        let last = text.rsplit([' ', '\t', '-', '_']).next()?;
        let is_sitemap = || last.get(..7).is_some_and(|it| it.eq_ignore_ascii_case("sitemap"));
        known.or_else(|| is_sitemap().then_some("Sitemap"))
    })
}

/// Whether two keys differ only in characters that are neither letters nor digits, in the order of
/// two neighbours, or have other characters in the same places: a Cyrillic `о` for `o`. No table of
/// foreign letters is needed, if at least half of the key is ASCII: no other key is that close to a
/// known one.
fn looks_equal(key: &str, known: &str) -> bool {
    let is_letter = |c: &char| c.is_ascii_alphanumeric();
    let (key, known) = (|| key.chars().map(narrow), || known.chars().map(narrow));
    if is_equal_or_exchanged(key().filter(is_letter), known().filter(is_letter)) {
        return true;
    }
    let pairs = || key().zip(known());
    let is_similar = |(c, wanted): (char, char)| c == wanted || is_drawn_alike(c, wanted);
    key().count() == known().count()
        && 2 * pairs().filter(|pair| is_similar(*pair)).count() >= known().count()
        && pairs().all(|pair| is_similar(pair) || !pair.0.is_ascii())
}

/// Whether two words are equal, after an exchange of at most two neighbours.
fn is_equal_or_exchanged(
    mut left: impl Iterator<Item = char>,
    mut right: impl Iterator<Item = char>,
) -> bool {
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (a, b) if a == b => {}
            (a, b) => return (right.next(), left.next()) == (a, b) && left.eq(right),
        }
    }
}

/// Whether a digit or mark is often written for a letter: `Disa11ow`.
const fn is_drawn_alike(c: char, letter: char) -> bool {
    matches!(
        (c, letter),
        ('0', 'o')
            | ('1' | '|' | '!', 'l' | 'i')
            | ('3', 'e')
            | ('4' | '@', 'a')
            | ('5' | '$', 's')
    )
}

/// A letter in lower case, and of a full-width, circled, or mathematical letter its usual form.
fn narrow(c: char) -> char {
    let code = u32::from(c);
    let usual = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(code - 0xfee0),
        '\u{24b6}'..='\u{24e9}' => char::from_u32(u32::from('a') + (code - 0x24b6) % 26),
        '\u{1d400}'..='\u{1d6a3}' => char::from_u32(u32::from('a') + (code - 0x1d400) % 26),
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
            // Digits and marks.
            ("Disa11ow", "Disallow"),
            ("D15a110w", "Disallow"),
            ("A11ow", "Allow"),
            ("Al|ow", "Allow"),
            ("Us3r-4gent", "User-agent"),
            ("$1temap", "Sitemap"),
            ("Craw1-de1ay", "Crawl-delay"),
            // Letters of other styles.
            (
                "\u{1d403}\u{1d422}\u{1d42c}\u{1d41a}\u{1d425}\u{1d425}\u{1d428}\u{1d430}",
                "Disallow",
            ),
            ("\u{1d608}\u{1d62d}\u{1d62d}\u{1d630}\u{1d638}", "Allow"),
            ("\u{1d49c}\u{1d4c1}\u{1d4c1}\u{2134}\u{1d4cc}", "Allow"),
            ("\u{24b6}\u{24db}\u{24db}\u{24de}\u{24e6}", "Allow"),
            ("\u{1d69e}ser-\u{1d68a}gent", "User-agent"),
            // Neighbours in the other order.
            ("User-agnet", "User-agent"),
            ("Uesr-agent", "User-agent"),
            ("useragnet", "User-agent"),
            ("Disalolw", "Disallow"),
            ("Idsallow", "Disallow"),
            ("Alolw", "Allow"),
            ("Sitmeap", "Sitemap"),
            ("Crawl-dealy", "Crawl-delay"),
            // Kinds of sitemaps.
            ("Video Sitemap", "Sitemap"),
            ("news-sitemap", "Sitemap"),
            ("XML\tSITEMAPS", "Sitemap"),
        ] {
            assert_eq!(known_key(key.as_bytes()), Some(expected), "{key}");
        }
        for key in [
            "Host2",
            "A1101",
            "111",
            "Dislaolw",
            "Wallo",
            "crawl-delays",
            "notasitemap",
            "Video site",
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
