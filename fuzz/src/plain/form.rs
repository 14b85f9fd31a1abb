//! Normal forms of texts without operators (REP-MATCH-20).

use verger::Dialect;
use verger::dialect::NormalForm;

/// Kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A part of a pattern.
    Pattern,
    /// A part of a target.
    Target,
}

/// A text in the dialect's normal form. A `*` or `$` in it is an ordinary octet.
pub(crate) fn normal(text: &[u8], side: Side, dialect: &Dialect) -> Vec<u8> {
    let form = dialect.normal_form;
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let escaped = escape_at(&text[at..]).filter(|_| form != NormalForm::EscapeUnsafe);
        if let Some(octet) = escaped {
            escape(&text[at..at + 3], octet, side, form, &mut out);
            at += 3;
        } else {
            plain(text[at], side, form, &mut out);
            at += 1;
        }
    }
    out
}

fn escape(written: &[u8], octet: u8, side: Side, form: NormalForm, out: &mut Vec<u8>) {
    match (form, side) {
        (NormalForm::Rfc9309, _) if is_unreserved(octet) => out.push(octet),
        (NormalForm::DecodeAllButSlash, _) if octet != b'/' => out.push(octet),
        (NormalForm::Google, Side::Target) => out.extend(written),
        _ => push_escaped(octet, out),
    }
}

fn plain(octet: u8, side: Side, form: NormalForm, out: &mut Vec<u8>) {
    let is_encoded = match (form, side) {
        (NormalForm::Rfc9309, _) => {
            octet >= 0x80 || octet <= 0x20 || b"\x7F\"<>\\^{|}`%*$".contains(&octet)
        }
        (NormalForm::Google, Side::Pattern) => octet >= 0x80,
        // Octets that Perl's URI module does not escape: reserved, unreserved, `%` and `#`.
        (NormalForm::EscapeUnsafe, _) => {
            !octet.is_ascii_alphanumeric() && !b";/?:@&=+$,-_.!~*'()%#".contains(&octet)
        }
        _ => false,
    };
    if is_encoded { push_escaped(octet, out) } else { out.push(octet) }
}

/// The octet of the escape at the start of a text.
pub(crate) fn escape_at(text: &[u8]) -> Option<u8> {
    let digits = text.get(1..3).filter(|_| text[0] == b'%')?;
    let digits = std::str::from_utf8(digits).ok()?;
    // The standard library would accept a sign.
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

fn push_escaped(octet: u8, out: &mut Vec<u8>) {
    out.extend(format!("%{octet:02X}").bytes());
}

fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"-._~".contains(&octet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, side: Side, text: &str, expected: &str) {
        let found = normal(text.as_bytes(), side, &dialect);
        assert_eq!(String::from_utf8_lossy(&found), expected);
    }

    #[test]
    fn each_dialect_has_its_form() {
        check(Dialect::RFC9309, Side::Target, "/%61%2f%zz é*", "/a%2F%25zz%20%C3%A9%2A");
        check(Dialect::GOOGLE, Side::Pattern, "/%61%2f%zzé ", "/%61%2F%zz%C3%A9 ");
        check(Dialect::GOOGLE, Side::Target, "/%61%2f%zzé ", "/%61%2f%zzé ");
        check(Dialect::BOOK, Side::Target, "/%61%2f%3c%", "/a%2F<%");
        check(Dialect::ORIG1994, Side::Pattern, "/%61%2f[ ]%", "/%61%2f%5B%20%5D%");
    }

    #[test]
    fn a_sign_is_not_a_digit() {
        check(Dialect::RFC9309, Side::Target, "%+1", "%25+1");
    }
}
