//! The form of reports as HTML.
//!
//! A page has no script, no request and no link. Foreign text is escaped twice: as everywhere in
//! the program, and for HTML. The content security policy forbids everything but the page's styles.
//! Bars are SVG attributes, because the policy forbids style attributes.

use std::io::{self, Write};

use quick_xml::escape::escape;

/// The style of a page, with its hash for the content security policy. It contains no `<`.
#[derive(Clone, Copy)]
pub(super) struct Style {
    text: &'static str,
    hash: &'static str,
}

/// The style of all pages.
pub(super) const STYLE: Style = Style {
    text: include_str!("page.css"),
    hash: "sha256-Lf1J5hQNT9lGRWB9MKJvGvAOUl3SsK2x/k5FuIrd0gU=",
};

/// The style of an audit, in addition.
pub(super) const AUDIT_STYLE: Style = Style {
    text: include_str!("audit.css"),
    hash: "sha256-G/DJUdauID7Yq78ufWDqXLGrx7ipG3kVdVonlYLfN8Q=",
};

/// Writes a page up to its contents. `title` is HTML.
pub(super) fn write_head(out: &mut impl Write, title: &str, styles: &[Style]) -> io::Result<()> {
    let hashes: Vec<String> = styles.iter().map(|style| format!("'{}'", style.hash)).collect();
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>",
        hashes.join(" ")
    )?;
    styles.iter().try_for_each(|style| writeln!(out, "<style>{}</style>", style.text))?;
    writeln!(out, "</head>\n<body>\n<main>")
}

/// Text with names in backticks, as HTML with elements for code.
pub(super) fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        let part = escape(part);
        if at % 2 == 1 { format!("<code>{part}</code>") } else { part.into_owned() }
    });
    parts.collect()
}

/// The width of a bar for a part of a total.
pub(super) fn width(part: u64, total: u64) -> u64 {
    let width = u128::from(part) * u128::from(WIDTH) / u128::from(total.max(1));
    u64::try_from(width).unwrap_or(WIDTH)
}

/// The width of a full bar.
pub(super) const WIDTH: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_no_markup() {
        let hostile = "<script>\"'`&lt;</script>";
        assert_eq!(escape(hostile), "&lt;script&gt;&quot;&apos;`&amp;lt;&lt;/script&gt;");
        assert!([STYLE, AUDIT_STYLE].iter().all(|style| !style.text.contains('<')));
    }

    #[test]
    fn names_in_backticks_are_code() {
        assert_eq!(with_code("for `<b>`, x"), "for <code>&lt;b&gt;</code>, x");
    }

    #[test]
    fn the_policy_has_the_hashes_of_the_styles() {
        use base64::Engine as _;
        use base64::engine::general_purpose::STANDARD;
        for style in [STYLE, AUDIT_STYLE] {
            let body = verger_fetch::record::Body::new(style.text.as_bytes().to_vec());
            assert_eq!(style.hash, format!("sha256-{}", STANDARD.encode(body.sha256())));
        }
    }

    #[test]
    fn bars_are_at_most_full() {
        assert_eq!(
            [(0, 0), (1, 2), (2, 2), (9, 2)].map(|(part, total)| width(part, total)),
            [0, 500, 1000, 4500]
        );
    }
}
