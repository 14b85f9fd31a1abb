//! One value, parsed as every kind of record.

use sfv::{BareItem, Dictionary, ListEntry, Parser};
use verger::extension::{Category, Extension, Preference, Record, RecordKind, Sitemap, Usage};
use verger::{Origin, Robots};

use super::rates;

/// Passes a value to every parser, alone and on a line of a file.
pub(super) fn check(value: &[u8]) {
    rates::check_rate(value);
    rates::check_window(value);
    host(value);
    clean_param(value);
    content_signal(value);
    license(value);
    check_dictionary(value);
    // A value with a line end, a comment, or NULs at its end (REP-AMB-21) produces another file. A
    // long one is beyond the limit of a record.
    let is_cut = value.last() == Some(&0) || value.len() > CLEAN_PARAM_CHARS / 2;
    if is_cut || value.iter().any(|octet| matches!(octet, b'\n' | b'\r' | b'#')) {
        return;
    }
    let lines = KEYS.map(|key| [key.as_bytes(), b": ", value, b"\n"].concat());
    let robots = Robots::parse(&lines.concat());
    let records: Vec<Record<'_>> = robots.records().collect();
    assert_eq!(records.len(), KEYS.len(), "{value:?}");
    for (record, key) in records.iter().zip(KEYS) {
        assert_eq!(record.value(), value, "{key}");
        on_a_line(record, key);
    }
}

/// Yandex does not read longer `Clean-param` records (REP-EXT-20).
const CLEAN_PARAM_CHARS: usize = 500;

const KEYS: [&str; 17] = [
    "sitemap",
    "agentmap",
    "schemamap",
    "crawl-delay",
    "request-rate",
    "visit-time",
    "robot-version",
    "comment",
    "host",
    "clean-param",
    "noindex",
    "nofollow",
    "content-signal",
    "content-usage",
    "license",
    "signature-agent",
    "max-crawl-rate",
];

/// A record in a file has the same value as the parser for the value alone.
fn on_a_line(record: &Record<'_>, key: &str) {
    let value = record.value();
    assert!(record.kind().key().eq_ignore_ascii_case(key), "{key}");
    let found = record.extension();
    assert_eq!(found, Extension::parse(record.kind(), value), "{key}");
    assert!(
        found.as_ref().is_ok_and(|found| is_of(record.kind(), found)) || found.is_err(),
        "{key}"
    );
    rates::check_delay(value, found.as_ref().ok());
    if let Ok(Extension::Sitemap(found)) = found {
        sitemap(&found);
    }
}

/// Whether a value is of the type of its kind.
fn is_of(kind: RecordKind, value: &Extension<'_>) -> bool {
    matches!(
        (kind, value),
        (RecordKind::Sitemap, Extension::Sitemap(_))
            | (RecordKind::Agentmap, Extension::Agentmap(_))
            | (RecordKind::Schemamap, Extension::Schemamap(_))
            | (RecordKind::CrawlDelay, Extension::CrawlDelay(_))
            | (RecordKind::RequestRate, Extension::RequestRate(_))
            | (RecordKind::VisitTime, Extension::VisitTime(_))
            | (RecordKind::RobotVersion, Extension::RobotVersion(_))
            | (RecordKind::Comment, Extension::Comment(_))
            | (RecordKind::Host, Extension::Host(_))
            | (RecordKind::CleanParam, Extension::CleanParam(_))
            | (RecordKind::Noindex, Extension::Noindex(_))
            | (RecordKind::Nofollow, Extension::Nofollow(_))
            | (RecordKind::ContentSignal, Extension::ContentSignal(_))
            | (RecordKind::ContentUsage, Extension::ContentUsage(_))
            | (RecordKind::License, Extension::License(_))
            | (RecordKind::SignatureAgent, Extension::SignatureAgent(_))
            | (RecordKind::MaxCrawlRate, Extension::MaxCrawlRate(_))
    )
}

fn host(value: &[u8]) {
    let Ok(Extension::Host(host)) = Extension::parse(RecordKind::Host, value) else { return };
    assert!(!host.name.is_empty() && !host.name.contains([':', '/', ' ']), "{host:?}");
    let written = match host.port {
        Some(port) => format!("{}:{port}", host.name),
        None => host.name.to_owned(),
    };
    let again = Extension::parse(RecordKind::Host, written.as_bytes());
    assert_eq!(again, Ok(Extension::Host(host)), "{written}");
}

fn clean_param(value: &[u8]) {
    let Ok(Extension::CleanParam(clean)) = Extension::parse(RecordKind::CleanParam, value) else {
        return;
    };
    assert!(!clean.parameters.is_empty(), "{clean:?}");
    for name in &clean.parameters {
        assert!(!name.is_empty(), "{clean:?}");
        assert!(!name.iter().any(|octet| b"& \t".contains(octet)), "{clean:?}");
    }
    assert!(!clean.path.contains(&b' '), "{clean:?}");
    let written = [&clean.parameters.join(&b'&')[..], b" ", clean.path].concat();
    assert!(written.len() <= value.len() + 1, "{clean:?} is invented");
    let again = Extension::parse(RecordKind::CleanParam, &written);
    assert_eq!(again, Ok(Extension::CleanParam(clean)), "{written:?}");
}

fn content_signal(value: &[u8]) {
    let Ok(Extension::ContentSignal(line)) = Extension::parse(RecordKind::ContentSignal, value)
    else {
        return;
    };
    assert!(!line.entries.is_empty(), "{line:?}");
    let entries: Vec<Vec<u8>> =
        line.entries.iter().map(|(key, word)| [*key, b"=", word].concat()).collect();
    let written = [line.path.unwrap_or_default(), b" ", &entries.join(&b", "[..])].concat();
    let written = written.trim_ascii_start();
    let again = Extension::parse(RecordKind::ContentSignal, written);
    assert_eq!(again, Ok(Extension::ContentSignal(line.clone())), "{written:?}");
    assert!(line.path.is_none_or(|path| path.starts_with(b"/")), "{line:?}");
}

fn license(value: &[u8]) {
    let Ok(Extension::License(license)) = Extension::parse(RecordKind::License, value) else {
        return;
    };
    assert_eq!(license.uri.as_bytes(), value);
    assert!(!license.uri.contains(|c: char| c.is_whitespace() || c.is_control()), "{license:?}");
    let scheme = license.uri.split(':').next().unwrap_or_default();
    assert!(Origin::from_parts(scheme, "h", None).is_ok(), "{license:?} has no scheme");
}

/// An offered URL is valid; so is the result of resolving it against an origin.
fn sitemap(sitemap: &Sitemap<'_>) {
    let origin = Origin::from_parts("https", "h.example", Some(8443)).expect("an origin");
    if let Some(url) = sitemap.url() {
        assert_eq!(url.as_bytes(), sitemap.raw());
        is_web_url(url);
        assert_eq!(sitemap.resolved(&origin).as_deref(), Some(url));
    } else if let Some(resolved) = sitemap.resolved(&origin) {
        is_web_url(&resolved);
        assert!(resolved.as_bytes().ends_with(sitemap.raw()), "{resolved} of {sitemap:?}");
        let line = format!("Sitemap: {resolved}");
        let robots = Robots::parse(&line);
        if !resolved.contains('#') {
            let urls: Vec<_> = robots.sitemaps().map(|sitemap| sitemap.url()).collect();
            assert_eq!(urls, [Some(&*resolved)]);
        }
    }
}

fn is_web_url(url: &str) {
    assert!(url.len() <= 8 * 1024, "{} bytes", url.len());
    assert!(!url.contains(|c: char| c.is_whitespace() || c.is_control()), "{url:?}");
    let (scheme, _) = url.split_once("://").expect("an absolute URL");
    assert!(scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"), "{url}");
    // Hosts that only IDNA can reject are left to it.
    if let Ok(url) = url::Url::parse(url) {
        assert!(url.has_host() && matches!(url.scheme(), "http" | "https"), "{url}");
    }
}

/// Compares `Content-Usage` dictionaries with another parser of RFC 9651 (REP-EXT-36).
pub(super) fn check_dictionary(value: &[u8]) {
    let found = Usage::parse(value);
    let Ok(members) = Parser::new(value).parse::<Dictionary>() else {
        assert!(found.is_err(), "{found:?} of no dictionary");
        return;
    };
    let found = found.expect("the dictionary parses elsewhere");
    for category in Category::ALL {
        assert_eq!(found.preference(category.key), preference(&members, category.key));
    }
}

fn preference(members: &Dictionary, key: &str) -> Preference {
    let Some(ListEntry::Item(item)) = members.get(key) else {
        return Preference::Unknown;
    };
    match &item.bare_item {
        BareItem::Token(token) if token.as_str() == "y" => Preference::Allowed,
        BareItem::Token(token) if token.as_str() == "n" => Preference::Disallowed,
        _ => Preference::Unknown,
    }
}
