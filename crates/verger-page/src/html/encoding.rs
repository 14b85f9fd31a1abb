//! The encoding that a `Content-Type` or a label names.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// The encoding of a page that declares none: what the HTML standard suggests for most of the world.
pub(super) const FALLBACK: &Encoding = WINDOWS_1252;

/// The encoding that the value of a `Content-Type` field names.
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

/// The encoding that a label in a page means: a page whose label could be read is not in UTF-16.
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
    fn the_content_of_a_meta_element_names_one_too() {
        let name = |content: &str| of_meta_content(content.as_bytes()).map(Encoding::name);
        assert_eq!(name("text/html; charset=utf-8;x"), Some("UTF-8"));
        assert_eq!(name("charset charset = 'koi8-r'"), Some("KOI8-R"));
        assert_eq!(name("charset=utf-16be"), Some("UTF-8"));
        assert_eq!(name("charset=x-user-defined"), Some("windows-1252"));
        for content in ["charset", "charset=", "charset='utf-8", "charset=nothing", ""] {
            assert_eq!(name(content), None, "{content}");
        }
    }
}
