//! Every document present, missing, broken, huge, redirected, and all together.

use std::sync::atomic::{AtomicUsize, Ordering};

use verger_rights::Outcome::{self, Allowed, Conditional, Refused, Unknown, Unstated};
use verger_rights::Use;
use verger_testkit::server::{ScriptedResponse, Site};

use crate::world::{NOTHING, Row, TDMREP, URL, ok, report, row, rsl};

/// The oracle: the more restrictive of each.
fn and(left: Row, right: Row) -> Row {
    std::array::from_fn(|at| left[at].max(right[at]))
}

/// Records of a robots.txt with what they state, before a licence.
const ROBOTS: [(&str, Row); 5] = [
    ("", NOTHING),
    ("Content-Usage: train-ai=n, search=y", [Allowed, Refused, Unstated, Unstated]),
    (
        "Content-Signal: ai-input=yes, use=reference",
        [Conditional, Conditional, Conditional, Unstated],
    ),
    (
        "Content-Usage: /b train-ai=n\nContent-Usage: ai-use=y",
        [Unstated, Unstated, Allowed, Unstated],
    ),
    ("Content-Signal: search=no", [Refused, Unstated, Unstated, Unstated]),
];

/// Header fields of the page.
const FIELDS: [(&str, &str, Row); 6] = [
    ("X-Other", "1", NOTHING),
    ("X-Robots-Tag", "noai", [Unstated, Refused, Unstated, Unstated]),
    ("Content-Usage", "ai-use=n", [Unstated, Unstated, Refused, Unstated]),
    ("Content-Signal", "search=yes", [Allowed, Unstated, Unstated, Unstated]),
    ("tdm-reservation", "1", [Unstated, Unstated, Unstated, Refused]),
    ("Robots-Tag", "ExampleBot;noindex", [Refused, Unstated, Unstated, Unstated]),
];

/// Elements of the page.
const ELEMENTS: [(&str, Row); 5] = [
    ("<p>", NOTHING),
    ("<meta name=robots content=noindex>", [Refused, Unstated, Unstated, Unstated]),
    ("<meta name=tdm-reservation content=0>", [Unstated, Unstated, Unstated, Allowed]),
    ("<meta name=otherbot content=noindex>", NOTHING),
    ("<link rel=license href=/terms.html>", [Conditional; 4]),
];

/// Answers for the TDMRep file, with what they state and whether there is a finding.
fn tdmreps() -> Vec<(ScriptedResponse, Outcome, bool)> {
    let reserved = r#"[{"location":"/a","tdm-reservation":1}]"#;
    let free = r#"[{"location":"/","tdm-reservation":0}]"#;
    let moved = |to: &str| ScriptedResponse::redirect(301, to);
    vec![
        (ScriptedResponse::new(404), Unstated, false),
        (ok(reserved), Refused, false),
        (ok(free), Allowed, false),
        (ok("{"), Unknown, true),
        (ok("<html>").field("Content-Type", "text/html"), Unstated, true),
        (ok("\n<html>").field("Content-Type", "application/json"), Unstated, true),
        (ok(&reserved.replace('}', "},")).field("Content-Type", "text/html"), Unknown, true),
        (ok(reserved).field("Content-Type", "text/html"), Refused, false),
        (ok(free).field("Content-Type", "text/html"), Allowed, false),
        (ok(&" ".repeat(2 * 1024 * 1024)), Unknown, true),
        (ScriptedResponse::new(503), Unknown, true),
        (ScriptedResponse::new(403), Unknown, true),
        (moved("/reserved.json"), Refused, false),
        (moved("http://other.example/reserved.json"), Refused, false),
        (moved("http://other.example/free.json"), Unstated, false),
        (moved("http://shop.example/free.json"), Allowed, false),
        (moved("http://10.0.0.1/free.json"), Unknown, true),
        (moved("http://shop.example/private/free.json"), Unknown, true),
    ]
}

/// Answers for the licence of the robots.txt; `None` if it names none.
fn licenses() -> Vec<(Option<ScriptedResponse>, Row, bool)> {
    let no_training = rsl("<prohibits type='usage'>ai-train</prohibits>");
    let search = rsl("<permits type='usage'>search</permits><payment type='attribution'/>");
    let only_search = [Conditional, Refused, Refused, Refused];
    vec![
        (None, NOTHING, false),
        (Some(ok(&no_training)), [Unstated, Refused, Unstated, Unstated], false),
        (Some(ok(&search)), only_search, false),
        (Some(ScriptedResponse::new(404)), [Refused; 4], true),
        (Some(ok("<rsl>")), [Refused; 4], true),
        (Some(ok("<html>terms</html>")), [Refused; 4], true),
        (Some(ok(&format!("<!--{}-->", "x".repeat(2 * 1024 * 1024)))), [Refused; 4], true),
        (
            Some(ScriptedResponse::redirect(302, "http://other.example/search.xml")),
            only_search,
            false,
        ),
        (Some(ScriptedResponse::redirect(302, "/license.xml")), [Refused; 4], true),
        (Some(ok(&rsl("<permit type='usage'>all</permit>"))), [Unknown; 4], true),
    ]
}

/// A site with these documents, and their common meaning.
fn site(number: usize) -> (Site, Row, bool, String) {
    let (tdmreps, licenses) = (tdmreps(), licenses());
    let (records, by_records) = ROBOTS[number % ROBOTS.len()];
    let (name, value, by_field) = FIELDS[number / 2 % FIELDS.len()];
    let (element, by_element) = ELEMENTS[number / 3 % ELEMENTS.len()];
    let (tdmrep, mining, has_finding) = &tdmreps[number % tdmreps.len()];
    let (license, by_license, has_other) = &licenses[number / 2 % licenses.len()];
    let line = if license.is_some() { "License: http://shop.example/license.xml\n" } else { "" };
    let robots = format!("{line}User-agent: *\nDisallow: /private/\n{records}\n");
    let page = ok(&format!("<!doctype html><title>A</title>{element}"));
    let page = page.field("Content-Type", "text/html").field(name, value);
    let site = Site::new()
        .path("/robots.txt", ok(&robots).script())
        .path("/a", page.script())
        .path("/terms.html", ok("<html>terms</html>").script())
        .path("/reserved.json", ok(r#"[{"location":"/","tdm-reservation":1}]"#).script())
        .path("/free.json", ok(r#"[{"location":"/","tdm-reservation":0}]"#).script())
        .path(
            "/search.xml",
            ok(&rsl("<permits type='usage'>search</permits><payment type='attribution'/>"))
                .script(),
        )
        .path(TDMREP, tdmrep.clone().script());
    let site = match license {
        Some(license) => site.path("/license.xml", license.clone().script()),
        None => site,
    };
    let by_tdmrep = [Unstated, Unstated, Unstated, *mining];
    let expected = [by_field, by_element, by_tdmrep, *by_license];
    let expected = expected.into_iter().fold(by_records, and);
    let name =
        format!("{number}: {records} | {name}: {value} | {element} | {tdmrep:?} | {license:?}");
    (site, expected, *has_finding || *has_other, name.chars().take(900).collect())
}

#[test]
fn each_use_has_the_most_restrictive_of_the_statements_of_all_documents() {
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..80 {
        let (site, expected, has_finding, name) = site(number);
        let report = report(site, URL).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(row(&report), expected, "{name}\n{:#?}", report.findings);
        assert_eq!(!report.findings.is_empty(), has_finding, "{name}\n{:#?}", report.findings);
        for line in &report.uses {
            let states = |at: &usize| {
                let of = Use::ALL.into_iter().find(|it| it.name() == line.r#use).unwrap();
                report.sources[*at].terms.of(of) == line.outcome
            };
            assert!(line.by.iter().all(states), "{name}");
            assert_eq!(line.by.is_empty(), line.outcome == Unstated, "{name}");
        }
        for document in &report.documents {
            let is_read = document.failure.is_none();
            assert_eq!(document.sha256.as_ref().map(String::len), is_read.then_some(64), "{name}");
        }
        seen.insert(format!("{expected:?}"));
    }
    assert!(seen.len() > 15, "{}", seen.len());
}

#[test]
fn statements_of_the_first_and_of_the_last_site_count_after_a_redirect() {
    let robots = |records: &str| ok(&format!("User-agent: *\n{records}\nAllow: /\n")).script();
    let site = Site::new()
        .host_path("shop.example", "/robots.txt", robots("Content-Signal: ai-train=no"))
        .host_path("other.example", "/robots.txt", robots("Content-Signal: ai-input=no"))
        .host_path(
            "shop.example",
            "/a",
            ScriptedResponse::redirect(301, "http://other.example/b").script(),
        )
        .host_path("other.example", "/b", ok("page").script())
        .host_path(
            "other.example",
            TDMREP,
            ok(r#"[{"location":"/b","tdm-reservation":1}]"#).script(),
        );
    let report = report(site, URL).unwrap();
    assert_eq!(row(&report), [Unstated, Refused, Refused, Refused]);
    let urls: Vec<_> = report.access.iter().map(|it| (&*it.url, it.allowed)).collect();
    assert_eq!(urls, [(URL, true), ("http://other.example/b", true)]);
    assert_eq!(report.final_url.as_deref(), Some("http://other.example/b"));
    let kinds: Vec<_> = report.documents.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, ["robots.txt", "robots.txt", "page", "tdmrep", "tdmrep"]);
    assert!(report.documents.iter().all(|it| it.at.is_some()), "{:#?}", report.documents);
}

#[test]
fn a_redirect_can_restrict_the_use_of_the_page_and_permits_nothing() {
    let free = "User-agent: *\nContent-Usage: train-ai=y\nAllow: /\n";
    let moved = |to: &str| ScriptedResponse::redirect(301, to);
    let tdmrep = |value: u8| ok(&format!(r#"[{{"location":"/","tdm-reservation":{value}}}]"#));
    let site = |to: &'static str, name: &'static str, value: &'static str| {
        Site::new()
            .host_path("shop.example", "/robots.txt", ok(free).script())
            .host_path("shop.example", TDMREP, tdmrep(0).script())
            .host_path("other.example", "/robots.txt", ok("").script())
            .host_path("other.example", TDMREP, ScriptedResponse::new(404).script())
            .path("/a", moved(to).field(name, value).script())
            .path("/b", ok("page").script())
            .path("/c", moved("/b").script())
            .path("/l.xml", ok(&rsl("<permits type='usage'>search</permits>")).script())
    };
    for (to, name, value, expected) in [
        ("/b", "X-Other", "1", [Unstated, Allowed, Unstated, Allowed]),
        ("/c", "Content-Usage", "search=y", [Unstated, Allowed, Unstated, Allowed]),
        ("/c", "Content-Usage", "search=n", [Refused, Allowed, Unstated, Allowed]),
        ("/b", "X-Robots-Tag", "noai", [Unstated, Refused, Unstated, Allowed]),
        ("/c", "tdm-reservation", "1", [Unstated, Allowed, Unstated, Refused]),
        ("/b", "tdm-reservation", "x", [Unstated, Allowed, Unstated, Unknown]),
        // The first site says nothing about pages of others but restrictions.
        ("http://other.example/b", "Content-Signal", "search=yes", NOTHING),
        ("http://other.example/b", "tdm-reservation", "0", NOTHING),
        ("http://other.example/b", "tdm-reservation", "1", [Unstated, Unstated, Unstated, Refused]),
        ("http://other.example/c", "Link", "</b>; rel=license", [Conditional; 4]),
        ("/b", "Link", "</l.xml>; rel=license", [Unstated, Refused, Refused, Refused]),
        (
            "/b",
            "Link",
            "</l.xml>; rel=license; anchor='/b'",
            [Unstated, Allowed, Unstated, Allowed],
        ),
        ("/b", "Link", "</l.xml>; rel=license; anchor=/b", [Unstated, Refused, Refused, Refused]),
    ] {
        let report = report(site(to, name, value), URL).unwrap();
        assert_eq!(row(&report), expected, "{to} {name}: {value} {:#?}", report.sources);
        assert_eq!(report.documents.iter().filter(|it| it.kind == "page").count(), 1);
    }
    // Permissions for the URL that redirects are none for the page.
    let licensed = "License: http://shop.example/l.xml\nUser-agent: *\n\
                    Content-Usage: /a train-ai=y\nContent-Usage: search=y\nAllow: /\n";
    for (path, expected) in [("/a", [Allowed, Unstated, Unstated, Unstated]), ("/", [Allowed; 4])] {
        let license = rsl("<permits type='usage'>all</permits>");
        let license = license.replace("url='/'", &format!("url='{path}'"));
        let site = Site::new()
            .path("/robots.txt", ok(licensed).script())
            .path("/l.xml", ok(&license).script())
            .path(TDMREP, ok(r#"[{"location":"/a","tdm-reservation":0}]"#).script())
            .path("/a", moved("/b").script())
            .path("/b", ok("page").script());
        let report = report(site, URL).unwrap();
        assert_eq!(row(&report), expected, "{report:#?}");
    }
    // A site with several URLs on the way has one file.
    let report = report(site("/c", "X-Other", "1"), URL).unwrap();
    assert_eq!(report.documents.iter().filter(|it| it.kind == "tdmrep").count(), 1);
}

#[test]
fn redirects_back_to_a_url_lose_no_statement_of_the_page_and_permit_nothing() {
    let count = AtomicUsize::new(0);
    let site = Site::new().path("/robots.txt", ok("").script()).by(move |request| {
        let back = ScriptedResponse::redirect(302, "http://shop.example/a");
        match (&*request.target(), count.fetch_add(1, Ordering::SeqCst)) {
            ("/b", _) => back.script(),
            ("/a", 0) => ScriptedResponse::redirect(302, "http://other.example/b")
                .field("X-Robots-Tag", "noai")
                .field("Content-Usage", "search=y")
                .script(),
            ("/a", _) => ok("page").field("Content-Signal", "ai-input=yes").script(),
            _ => ScriptedResponse::new(404).script(),
        }
    });
    let report = report(site, "http://shop.example/a#part").unwrap();
    assert_eq!(row(&report), [Unstated, Refused, Allowed, Unstated], "{:#?}", report.sources);
    let urls: Vec<_> = report.access.iter().map(|it| &*it.url).collect();
    assert_eq!(urls, [URL, "http://other.example/b"]);
    assert_eq!((&*report.url, report.final_url), (URL, None));
}

#[test]
fn a_robots_txt_in_html_or_a_line_for_nobody_is_a_finding() {
    let preferences = [Unknown, Unknown, Unknown, Unstated];
    for (robots, expected, message) in [
        (ok("User-agent: *\nContent-Usage: /b train-ai=n\nAllow: /\n"), NOTHING, None),
        (
            ok("<!doctype html>").field("Content-Type", "text/html"),
            NOTHING,
            Some("it looks like a page in HTML, so it is probably not a robots.txt"),
        ),
        (
            ok("Content-Usage: train-ai=n\nUser-agent: *\nAllow: /\n"),
            preferences,
            Some("`Content-Usage` is before every `User-agent` line, so it applies to nobody"),
        ),
    ] {
        let site = Site::new()
            .path("/robots.txt", robots.script())
            .path("/a", ok("page").script())
            .path(TDMREP, ok(r#"[{"location":"/b","tdm-reservation":1}]"#).script());
        let report = report(site, URL).unwrap();
        let found: Vec<_> = report.findings.iter().map(|it| &*it.message).collect();
        assert_eq!(found, message.into_iter().collect::<Vec<_>>());
        assert_eq!(row(&report), expected);
    }
}

#[test]
fn a_page_that_robots_txt_disallows_is_not_fetched_and_permits_nothing() {
    let site = |path: &str| {
        Site::new()
            .host_path(
                "shop.example",
                "/robots.txt",
                ok("User-agent: *\nDisallow: /no\nContent-Signal: search=yes\n").script(),
            )
            .host_path("other.example", "/robots.txt", ok("User-agent: *\nDisallow: /\n").script())
            .path(path, ScriptedResponse::redirect(302, "http://other.example/b").script())
    };
    let disallowed = report(site("/x"), "http://shop.example/no").unwrap();
    assert_eq!(row(&disallowed), [Unknown; 4]);
    assert!(!disallowed.is_free() && !disallowed.access[0].allowed);
    assert_eq!(disallowed.access[0].line, Some(2));
    // A redirect to a disallowed page.
    let redirected = report(site("/a"), URL).unwrap();
    let urls: Vec<_> = redirected.access.iter().map(|it| (&*it.url, it.allowed)).collect();
    assert_eq!(urls, [(URL, true), ("http://other.example/b", false)]);
    assert_eq!(row(&redirected), [Unknown; 4]);
}

#[test]
fn an_unreachable_robots_txt_or_page_permits_nothing() {
    let down = Site::always(ScriptedResponse::new(503).script());
    assert_eq!(row(&report(down, URL).unwrap()), [Unknown; 4]);
    let site = Site::new()
        .path(
            "/robots.txt",
            ok("User-agent: *\nContent-Signal: search=yes, ai-train=no\n").script(),
        )
        .path("/a", ScriptedResponse::new(500).field("tdm-reservation", "1").script());
    let report = report(site, URL).unwrap();
    assert_eq!(row(&report), [Unknown, Refused, Unknown, Refused]);
    assert!(report.findings[0].message.contains("status 500"), "{:?}", report.findings);
}

#[test]
fn a_challenge_in_place_of_a_document_permits_nothing() {
    let free = "User-agent: *\nContent-Usage: train-ai=y, search=y, ai-use=y\nAllow: /\n";
    let marks = [
        (200, "cf-mitigated", "challenge", "<meta name=robots content=noindex>"),
        (202, "x-amzn-waf-action", "challenge", ""),
        (200, "x-vercel-mitigated", "challenge", "wait"),
        (200, "x-other", "1", "<script>window._cf_chl_opt = {}</script>"),
        (403, "cf-mitigated", "challenge", ""),
    ];
    let all_but_mining = [Allowed, Allowed, Allowed, Unknown];
    for (path, expected) in
        [("", [Allowed; 4]), ("/a", [Unknown; 4]), (TDMREP, all_but_mining), ("/l", [Refused; 4])]
    {
        for (status, name, value, text) in marks {
            let challenge = ScriptedResponse::new(status).field("Content-Type", "text/html");
            let challenge = challenge.field(name, value).body(text);
            let license = rsl("<permits type='usage'>all</permits>");
            let page = ok("page").field("Link", "</l>; rel=license");
            let site = [
                ("/robots.txt", ok(free)),
                ("/a", page),
                ("/l", ok(&license)),
                (TDMREP, ok(r#"[{"location":"/","tdm-reservation":0}]"#)),
            ]
            .into_iter()
            .fold(Site::new(), |site, (at, response)| {
                let response = if at == path { challenge.clone() } else { response };
                site.path(at, response.script())
            });
            let report = report(site, URL).unwrap();
            assert_eq!(row(&report), expected, "{path} {name} {text} {report:#?}");
            assert_eq!(report.findings.len(), usize::from(!path.is_empty()), "{report:#?}");
            let unread = report.documents.iter().filter(|it| it.sha256.is_none());
            assert!(unread.map(|it| it.failure.is_some()).eq(report.findings.iter().map(|_| true)));
        }
    }
}

#[test]
fn a_robots_txt_over_the_limit_of_size_permits_nothing() {
    let start = "User-agent: *\nContent-Usage: train-ai=y, search=y, ai-use=y\nAllow: /\n";
    let long = format!("{start}{}Content-Usage: train-ai=n\n", "# long\n".repeat(100_000));
    let site = Site::new().path("/robots.txt", ok(&long).script()).path("/a", ok("page").script());
    let report = report(site, URL).unwrap();
    assert_eq!(row(&report), [Unknown; 4]);
    assert!(report.findings[0].message.contains("limit of size"), "{:?}", report.findings);
}

#[test]
fn the_receipt_has_the_final_url_of_a_redirected_robots_txt() {
    let site = Site::new()
        .path("/robots.txt", ScriptedResponse::redirect(301, "/moved.txt").script())
        .path("/moved.txt", ok("User-agent: *\nAllow: /\n").script())
        .path("/a", ok("page").script());
    let report = report(site, URL).unwrap();
    let robots = report.documents.iter().find(|it| it.kind == "robots.txt").unwrap();
    assert_eq!(robots.url, "http://shop.example/robots.txt");
    assert_eq!(robots.final_url.as_deref(), Some("http://shop.example/moved.txt"));
}

#[test]
fn statements_about_a_site_are_also_about_its_robots_txt() {
    let robots =
        "License: http://shop.example/l.xml\nUser-agent: *\nContent-Usage: search=n\nAllow: /\n";
    let site = Site::new()
        .path("/robots.txt", ok(robots).script())
        .path("/l.xml", ok(&rsl("<prohibits type='usage'>ai-train</prohibits>")).script())
        .path(TDMREP, ok(r#"[{"location":"/","tdm-reservation":1}]"#).script());
    let report = report(site, "http://shop.example/robots.txt").unwrap();
    assert_eq!(row(&report), [Refused, Refused, Unstated, Refused]);
}

#[test]
fn an_invalid_url_is_an_error() {
    for url in ["shop.example", "mailto:a@shop.example", ""] {
        assert!(report(Site::new(), url).is_err(), "{url}");
    }
}
