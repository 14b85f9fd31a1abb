//! The encoding of a page: in a `Content-Type`, in a label, or in a meta element at its start.
//!
//! The latter is the prescan of the HTML standard (13.2.3.2): a simplified parse of the first bytes
//! before decoding, with the same result as in browsers.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// The encoding of a page without a declaration: the suggestion of the HTML standard for most
/// locales.
pub(super) const FALLBACK: &Encoding = WINDOWS_1252;

/// The encoding in the value of a `Content-Type` field.
pub(super) fn of_content_type(value: &[u8]) -> Option<&'static Encoding> {
    let mut parameters = value.split(|&octet| octet == b';').skip(1);
    let label = parameters.find_map(|parameter| {
        let equals = parameter.iter().position(|&octet| octet == b'=')?;
        let name = parameter[..equals].trim_ascii();
        name.eq_ignore_ascii_case(b"charset").then(|| &parameter[equals + 1..])
    })?;
    let label = label.trim_ascii();
    Encoding::for_label(
        label
            .strip_prefix(b"\"")
            .map_or(label, |rest| rest.split(|&octet| octet == b'"').next().unwrap_or_default()),
    )
}

/// The encoding for a label in a page. A readable label means that the page is not in UTF-16.
pub(super) fn of_page_label(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

/// The label in the `content` of an `http-equiv` element: `text/html; charset=utf-8`.
pub(super) fn of_meta_content(content: &[u8]) -> Option<&'static Encoding> {
    const CHARSET: &[u8] = b"charset";
    let mut rest = content;
    loop {
        let at = rest.windows(CHARSET.len()).position(|it| it.eq_ignore_ascii_case(CHARSET))?;
        rest = rest[at + CHARSET.len()..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            let label = if let quote @ (b'"' | b'\'') = value.first()? {
                let inner = &value[1..];
                &inner[..inner.iter().position(|octet| octet == quote)?]
            } else {
                let ends = |octet: &u8| octet.is_ascii_whitespace() || *octet == b';';
                &value[..value.iter().position(ends).unwrap_or(value.len())]
            };
            return of_page_label(label);
        }
    }
}

/// The encoding that these first bytes declare.
pub(super) fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Prescan { rest: bytes };
    while let Some(&octet) = scan.rest.first() {
        if octet != b'<' {
            scan.skip(1);
        } else if scan.rest.starts_with(b"<!--") {
            // The dashes of `<!-->` may also be those of its end.
            scan.skip(2);
            scan.skip_past(b"-->")?;
        } else if scan.is_meta() {
            scan.skip(5);
            if let Some(encoding) = scan.meta() {
                return Some(encoding);
            }
        } else if scan.is_tag() {
            let name = |octet: &u8| !octet.is_ascii_whitespace() && *octet != b'>';
            scan.skip_while(name);
            while scan.attribute().is_some() {}
        } else if matches!(scan.rest.get(1), Some(b'!' | b'/' | b'?')) {
            scan.skip_past(b">")?;
        } else {
            scan.skip(1);
        }
    }
    None
}

struct Prescan<'b> {
    rest: &'b [u8],
}

impl<'b> Prescan<'b> {
    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn skip_while(&mut self, holds: impl Fn(&u8) -> bool) {
        let end = self.rest.iter().position(|octet| !holds(octet)).unwrap_or(self.rest.len());
        self.skip(end);
    }

    /// Skips everything up to the end of a text; `None` if it does not occur.
    fn skip_past(&mut self, text: &[u8]) -> Option<()> {
        let at = self.rest.windows(text.len()).position(|window| window == text)?;
        self.skip(at + text.len());
        Some(())
    }

    fn is_meta(&self) -> bool {
        let name = self.rest.get(1..5).is_some_and(|name| name.eq_ignore_ascii_case(b"meta"));
        name && self.rest.get(5).is_some_and(|&it| it.is_ascii_whitespace() || it == b'/')
    }

    fn is_tag(&self) -> bool {
        let name = self.rest.get(1..).unwrap_or_default();
        name.strip_prefix(b"/").unwrap_or(name).first().is_some_and(u8::is_ascii_alphabetic)
    }

    /// The attributes of a meta element, and the encoding they declare.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut is_pragma = false;
        // Whether it counts only together with the pragma.
        let mut declared: Option<(bool, Option<&'static Encoding>)> = None;
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => is_pragma = value == b"content-type",
                b"content" if declared.is_none() => {
                    declared = of_meta_content(&value).map(|encoding| (true, Some(encoding)));
                }
                b"charset" => declared = Some((false, of_page_label(&value))),
                _ => {}
            }
            seen.push(name);
        }
        if self.rest.is_empty() {
            // The bytes end inside the tag.
            return None;
        }
        match declared {
            Some((needs_pragma, encoding)) if !needs_pragma || is_pragma => encoding,
            _ => None,
        }
    }

    /// The next attribute, in lower case; `None` at the end of the tag or of the bytes.
    fn attribute(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip_while(|octet| octet.is_ascii_whitespace() || *octet == b'/');
        if matches!(self.rest.first(), None | Some(b'>')) {
            return None;
        }
        // A `=` at the very start belongs to the name.
        let is_end =
            |octet: &u8| octet.is_ascii_whitespace() || matches!(octet, b'=' | b'/' | b'>');
        let end = self.rest.iter().skip(1).position(is_end).map_or(self.rest.len(), |at| at + 1);
        let name = self.take(end);
        self.skip_while(u8::is_ascii_whitespace);
        if self.rest.first() != Some(&b'=') {
            return Some((name, Vec::new()));
        }
        self.skip(1);
        self.skip_while(u8::is_ascii_whitespace);
        let value = match self.rest.first()? {
            quote @ (b'"' | b'\'') => {
                self.skip(1);
                let end = self.rest.iter().position(|octet| octet == quote);
                let Some(end) = end else {
                    // The bytes end inside the value.
                    self.rest = &[];
                    return None;
                };
                let value = self.take(end);
                self.skip(1);
                value
            }
            b'>' => Vec::new(),
            _ => {
                let is_end = |octet: &u8| octet.is_ascii_whitespace() || *octet == b'>';
                let Some(end) = self.rest.iter().position(is_end) else {
                    self.rest = &[];
                    return None;
                };
                self.take(end)
            }
        };
        Some((name, value))
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let taken: &'b [u8] = &self.rest[..count];
        self.skip(count);
        taken.to_ascii_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_type_names_an_encoding() {
        let name = |value: &str| of_content_type(value.as_bytes()).map(Encoding::name);
        assert_eq!(name("text/html; charset=utf-8"), Some("UTF-8"));
        assert_eq!(name("text/html;a=b; Charset = \"Shift_JIS\"; x"), Some("Shift_JIS"));
        assert_eq!(name("text/html; charset=latin1"), Some("windows-1252"));
        assert_eq!(name("text/html; charset=UTF-16"), Some("UTF-16LE"));
        for value in ["", "text/html", "text/html; charset=nothing", "charset=utf-8", "a; charset"]
        {
            assert_eq!(name(value), None, "{value}");
        }
    }

    #[test]
    fn the_content_of_a_meta_element_names_an_encoding() {
        let name = |content: &str| of_meta_content(content.as_bytes()).map(Encoding::name);
        assert_eq!(name("text/html; charset=utf-8;x"), Some("UTF-8"));
        assert_eq!(name("charset charset = 'koi8-r'"), Some("KOI8-R"));
        assert_eq!(name("charset=utf-16be"), Some("UTF-8"));
        assert_eq!(name("charset=x-user-defined"), Some("windows-1252"));
        for content in ["charset", "charset=", "charset='utf-8", "charset=nothing", ""] {
            assert_eq!(name(content), None, "{content}");
        }
    }

    #[track_caller]
    fn check(page: &str, expected: Option<&str>) {
        assert_eq!(prescan(page.as_bytes()).map(Encoding::name), expected, "{page}");
    }

    #[test]
    fn a_meta_element_declares_the_encoding() {
        check("<meta charset=utf-8>", Some("UTF-8"));
        check("<!doctype html><html lang=ru><META\nCharset = 'KOI8-R' >", Some("KOI8-R"));
        let pragma = "<meta http-equiv=Content-Type content=\"text/html; charset=gbk\">";
        check(pragma, Some("GBK"));
        check("<meta content='text/html;charset=big5' http-equiv='content-type'/>", Some("Big5"));
        check("<meta charset=utf-16>", Some("UTF-8"));
    }

    #[test]
    fn other_declarations_are_skipped() {
        check("<meta content='text/html;charset=big5'>", None);
        check("<!-- <meta charset=utf-8> --><meta charset=koi8-r>", Some("KOI8-R"));
        check("<!--><meta charset=utf-8>", Some("UTF-8"));
        check("<a title='<meta charset=utf-8>'>", None);
        check("<?x <meta charset=utf-8>", None);
        check("</a b='>'><meta charset=utf-8>", Some("UTF-8"));
        check("<meta charset=nothing><meta charset=utf-8>", Some("UTF-8"));
        check("<meta charset=koi8-r charset=utf-8>", Some("KOI8-R"));
        check("<metal charset=utf-8>", None);
    }

    #[test]
    fn a_page_that_ends_early_declares_no_encoding() {
        let page = "<!-- a --><p a=\"b\" c=d><?x?><meta http-equiv='content-type' \
                    content='text/html; charset=utf-8'>";
        for end in 0..page.len() {
            check(&page[..end], None);
        }
    }
}
