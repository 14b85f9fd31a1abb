//! Product tokens of a User-Agent header (REP-AMB-13).

use verger::limits::HEADER_WORDS;
use verger_testkit::naive::SHARED_NAMES;

/// The names that a text is looked for by: itself, or the product tokens in a text that is no token.
pub(crate) fn read(text: String) -> Vec<String> {
    // `#` and `*` make a text no token too, but cut no word; `)` alone may be in a name.
    let is_token = !text.contains(|c| is_blank(c) || "(,;/*#".contains(c));
    let names = if is_token { Vec::new() } else { products(&text) };
    if names.is_empty() { vec![text] } else { names }
}

/// The product tokens of words inside of parentheses, then those outside.
fn products(header: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut open = 0_usize;
    // A blank ends the last word.
    for c in header.chars().chain([' ']) {
        if is_blank(c) || "(),;".contains(c) {
            words.push((open > 0, std::mem::take(&mut word)));
        } else {
            word.push(c);
        }
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    let of = |wanted| words.iter().filter(move |(inside, _)| *inside == wanted);
    let products = of(true).chain(of(false)).filter_map(|(_, word)| product(word));
    products.take(HEADER_WORDS).collect()
}

fn product(word: &str) -> Option<String> {
    let (name, version) = match word.find('/') {
        Some(at) => (&word[..at], &word[at + 1..]),
        None => (word, ""),
    };
    let has_only = |more: &str| name.chars().all(|c| c.is_ascii_digit() || more.contains(c));
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_product = !word.contains(':')
        && !name.is_empty()
        && name.chars().all(legal)
        && (!version.is_empty() || !has_only("._"))
        && !SHARED_NAMES.split(' ').any(|browser| browser.eq_ignore_ascii_case(name));
    is_product.then(|| name.to_owned())
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{b}' | '\u{c}' | '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_comment_first() {
        for (text, expected) in [
            ("Mozilla/5.0 (compatible; Bot/1; +http://x/y) z/2", "Bot|z"),
            ("Fig Tree", "Fig|Tree"),
            ("1.0 2/3", "2"),
            ("a", "a"),
            ("a:b/c", "a:b/c"),
            ("Mozilla/5.0", "Mozilla/5.0"),
        ] {
            assert_eq!(read(text.to_owned()).join("|"), expected);
        }
    }
}
