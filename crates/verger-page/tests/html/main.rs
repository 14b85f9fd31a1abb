//! The streaming reader against the tree of a browser, on generated pages and in any pieces.

mod generate;
mod tree;

use encoding_rs::{EUC_JP, Encoding, GB18030, SHIFT_JIS, UTF_8, WINDOWS_1252};
use verger::{Crawler, Position};
use verger_page::{Combine, Html, HtmlReader, OtherTerm, Page, Stop, limits};

fn read_in_pieces(bytes: &[u8], size: usize) -> Html {
    let mut reader = HtmlReader::new(Some("text/html; charset=utf-8"));
    bytes.chunks(size.max(1)).for_each(|piece| reader.feed(piece));
    reader.finish()
}

/// Reads a page in pieces of one byte, of seven, and whole, with equal results.
#[track_caller]
fn read(bytes: &[u8]) -> Html {
    let whole = read_in_pieces(bytes, bytes.len());
    for size in [1, 7] {
        assert_eq!(read_in_pieces(bytes, size), whole, "in pieces of {size}");
    }
    whole
}

fn metas(html: &Html) -> Vec<(String, String)> {
    let read = html.metas.iter().filter(|it| it.ignored.is_none());
    read.map(|it| (it.name.clone(), it.content.clone())).collect()
}

#[test]
fn meta_elements_are_those_of_a_tree() {
    let mut found = 0;
    for seed in 0..6_000 {
        let page = generate::page(seed);
        let html = read(page.as_bytes());
        let expected = tree::metas(&page);
        found += expected.len();
        assert_eq!(metas(&html), expected, "seed {seed}: {page:?}");
    }
    // The pages contain such elements.
    assert!(found > 5_000, "{found}");
}

#[test]
fn meta_elements_of_incorrectly_nested_pages_are_those_of_a_tree() {
    let mut found = 0;
    for seed in 0..20_000 {
        let page = generate::tangled(seed);
        let expected = tree::metas(&page);
        found += expected.len();
        let html = read_in_pieces(page.as_bytes(), page.len());
        assert_eq!(metas(&html), expected, "seed {seed}: {page:?}");
    }
    assert!(found > 1_000, "{found}");
}

#[test]
fn elements_not_to_be_quoted_are_those_of_a_tree() {
    let mut found = 0;
    for seed in 0..6_000 {
        let page = generate::page(seed);
        let html = read(page.as_bytes());
        let expected = tree::nosnippets(&page);
        found += expected.len();
        let names: Vec<_> = html.nosnippets.iter().map(|it| it.element).collect();
        assert_eq!(names, expected, "seed {seed}: {page:?}");
    }
    assert!(found > 400, "{found}");
}

#[test]
fn positions_are_those_of_tags_in_order() {
    let mut found = 0;
    for seed in 0..500 {
        let page = generate::page(seed);
        let html = read(page.as_bytes());
        let lines = verger::LineIndex::new(page.as_bytes());
        let tags: Vec<_> = page
            .match_indices('<')
            .filter(|(at, _)| page[at + 1..].to_ascii_lowercase().starts_with("meta"))
            .map(|(at, _)| lines.position(at))
            .collect();
        let positions: Vec<_> = html.metas.iter().map(|it| it.position).collect();
        assert!(positions.iter().all(|at| tags.contains(at)), "{positions:?}: {page:?}");
        let is_later =
            |pair: &[Position]| (pair[0].line, pair[0].column) < (pair[1].line, pair[1].column);
        assert!(positions.windows(2).all(is_later), "{positions:?}: {page:?}");
        found += positions.len();
    }
    assert!(found > 400, "{found}");
}

#[track_caller]
fn check_encoding(page: &[u8], content_type: Option<&str>, name: &str, description: &str) {
    let mut whole = None;
    for size in [1, 7, page.len()] {
        let mut reader = HtmlReader::new(content_type);
        page.chunks(size).for_each(|piece| reader.feed(piece));
        let html = reader.finish();
        assert_eq!(html.encoding, name);
        assert_eq!(metas(&html), [("description".to_owned(), description.to_owned())]);
        assert_eq!(*whole.get_or_insert(html.clone()), html);
    }
}

#[test]
fn encodings_are_found_as_browsers_find_them() {
    let text = "<meta name=description content='ä 日本'>";
    let page = |encoding: &'static Encoding, declares: bool| {
        let declared =
            if declares { format!("<meta charset={}>", encoding.name()) } else { String::new() };
        encoding.encode(&(declared + &text.replace('ä', ""))).0.into_owned()
    };
    for encoding in [UTF_8, SHIFT_JIS, EUC_JP, GB18030] {
        check_encoding(&page(encoding, true), None, encoding.name(), " 日本");
        let content_type = format!("text/html; charset={}", encoding.name());
        check_encoding(&page(encoding, false), Some(&content_type), encoding.name(), " 日本");
    }
    // A byte order mark overrides the header, the header overrides the page.
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    check_encoding(&marked, Some("text/html; charset=koi8-r"), "UTF-8", "ä 日本");
    let declared = [b"<meta charset=koi8-r>", text.as_bytes()].concat();
    check_encoding(&declared, Some("text/html; charset=utf-8"), "UTF-8", "ä 日本");
    let utf16: Vec<u8> = "\u{feff}"
        .chars()
        .chain(text.chars())
        .flat_map(|c| {
            let mut units = [0; 2];
            c.encode_utf16(&mut units)
                .iter()
                .flat_map(|unit| unit.to_be_bytes())
                .collect::<Vec<_>>()
        })
        .collect();
    check_encoding(&utf16, None, "UTF-16BE", "ä 日本");
    let latin = WINDOWS_1252.encode("<meta name=description content='ä'>").0;
    check_encoding(&latin, None, "windows-1252", "ä");
}

#[test]
fn declarations_count_in_the_first_bytes_only() {
    let declaration = "<meta charset=utf-8>";
    let before = 1_024 - declaration.len();
    for (before, name) in [(before, "UTF-8"), (before + 1, "windows-1252")] {
        let page = " ".repeat(before) + declaration;
        for size in [1, 7, page.len()] {
            let mut reader = HtmlReader::new(None::<&str>);
            page.as_bytes().chunks(size).for_each(|piece| reader.feed(piece));
            assert_eq!(reader.finish().encoding, name);
        }
    }
}

#[test]
fn unclosed_elements_extend_to_the_end() {
    let ends = |page: &str| -> Vec<Option<usize>> {
        let html = read(page.as_bytes());
        html.nosnippets.iter().map(|it| it.end.map(|end| end.column)).collect()
    };
    assert_eq!(ends("<span data-nosnippet>a</span>b"), [Some(23)]);
    assert_eq!(ends("<DIV DATA-NOSNIPPET=false>a"), [None]);
    assert_eq!(ends("<body><div data-nosnippet>a</body></html>b"), [None]);
    assert_eq!(ends("<p><span data-nosnippet>a</p>b"), [Some(26)]);
    assert_eq!(ends("<section data-nosnippet><section>a</section>b</section>"), [Some(46)]);
    assert!(
        ends("<mytag data-nosnippet><p data-nosnippet><svg><section data-nosnippet>").is_empty()
    );
}

const NOSCRIPT: &str = "crawlers that run scripts do not read `noscript`";

#[test]
fn elements_that_crawlers_ignore_are_found_with_the_reason() {
    let page = "\n<noscript id='<meta'><meta name=robots content=noindex><style></noscript>\
                <meta property=ROBOTS content=noindex><meta http-equiv=googlebot content=none>\
                <meta property=og:description content=none name><meta property=x content=none>\
                <template><noscript><meta name=robots content=none></noscript></template>\
                <noscript><!-- <meta name=robots content=noindex> --></noscript>\
                <noscript><meta name=robots content=nofollow>";
    let html = read(page.as_bytes());
    let found: Vec<_> =
        html.metas.iter().map(|it| (it.position.line, it.position.column, it.ignored)).collect();
    let expected = [
        (2, 22, NOSCRIPT),
        (2, 74, "expected the attribute `name`, but found `property`"),
        (2, 112, "expected the attribute `name`, but found `http-equiv`"),
        (2, 377, NOSCRIPT),
    ];
    assert_eq!(found, expected.map(|(line, column, reason)| (line, column, Some(reason))));
    let mut page = Page::new();
    page.read_html(&html);
    page.read_meta("Googlebot, bingbot", "noindex", Position { line: 3, column: 1 });
    let errors: Vec<_> = page.statements().iter().map(|it| it.error().unwrap()).collect();
    let names = "expected one name in the attribute `name`";
    assert!(errors.into_iter().eq(expected.map(|(.., reason)| reason).into_iter().chain([names])));
    assert!(page.statements().iter().all(|it| it.parsed.is_ok()));
    let found = page.directives(&Crawler::new("Googlebot"), &Combine::GOOGLE);
    assert_eq!((found.effective.len(), found.statements.len()), (0, 4));
}

#[test]
fn scans_stop_at_the_limits_of_bytes_and_depth() {
    let robots = "<meta name=robots content=noindex>";
    let stop = |page: &str| {
        let html = read_in_pieces(page.as_bytes(), page.len());
        assert_eq!(read_in_pieces(page.as_bytes(), 1000), html);
        (html.stop, html.metas.len())
    };
    let spaces = " ".repeat(limits::HTML_BYTES - robots.len());
    assert_eq!(stop(&format!("{spaces}{robots}")), (None, 1));
    assert_eq!(stop(&format!("{spaces} {robots}")), (Some(Stop::Bytes), 0));
    assert_eq!(stop(&format!("{robots}{spaces} ")), (Some(Stop::Bytes), 1));
    let nested = "<div>".repeat(100_000);
    assert_eq!(stop(&format!("{robots}{nested}{robots}")), (Some(Stop::Depth), 1));
}

#[test]
fn elements_beyond_the_limits_are_reported() {
    let page = "<meta name=robots content=noindex>".repeat(limits::STATEMENTS + 1);
    let html = read(page.as_bytes());
    assert_eq!((html.metas.len(), html.has_more), (limits::STATEMENTS, true));
    for other in [
        "<meta name=description content=x>",
        "<meta name=googlebot content=all>",
        "<meta name=a content=noindex>",
        "<meta name=tdm-reservation content=0>",
        "<meta property=robots content=noindex>",
        "<noscript><meta name=robots content=all></noscript>",
    ] {
        let others = other.repeat(limits::STATEMENTS + 1);
        let html = read(format!("{others}<meta name=robots content=noindex>").as_bytes());
        assert_eq!((html.metas.len(), html.has_more), (limits::STATEMENTS + 1, true), "{other}");
        let mut page = Page::new();
        page.read_html(&html);
        let found = page.directives(&Crawler::new("ExampleBot"), &Combine::GOOGLE);
        assert!(found.noindex(), "{other}");
    }
    let page = "<span data-nosnippet></span>".repeat(1_000 + 1);
    let html = read(page.as_bytes());
    assert_eq!((html.nosnippets.len(), html.has_more), (1_000, true));
    let page = format!("<meta name=robots content='{}x'>", "noindex,".repeat(8 * 1_024));
    let html = read(page.as_bytes());
    assert!(html.has_more && html.metas[0].content.ends_with("noindex"));
}

#[test]
fn licences_of_a_page_are_statements_with_positions() {
    let html = "<link rel='next License' href=' /l.xml '>\n<LINK REL=license>\n\
                <template><link rel=license href=/no></template>\
                <link rel=licenses href=/no><!-- <link rel=license href=/no> -->\n\
                <a rel=license href=/no></a><link rel=license href='a&amp;b'>\n\
                <script type='Application/RSL+XML ; charset=utf-8'><link rel=license href=/no></script>";
    let mut page = Page::new();
    page.read_html(&read(html.as_bytes()));
    let found: Vec<_> = page
        .others()
        .iter()
        .map(|it| match &it.parsed {
            Ok(OtherTerm::License { address, anchor: None }) => {
                format!("{} {address} {}", it.name, it.place)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        found,
        [
            "link /l.xml in the element at 1:1",
            "link a&b in the element at 4:29",
            "link  in the element at 5:1",
        ]
    );
}
