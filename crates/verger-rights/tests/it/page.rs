//! Statements of the page: malformed ones, and licences.

use verger_rights::Outcome::{Allowed, Refused, Unknown};
use verger_testkit::server::{ScriptedResponse, Site};

use crate::world::{NOTHING, TDMREP, URL, ok, report, row, rsl};

#[test]
fn malformed_statements_and_licences_in_the_page_are_findings() {
    let page = "<script type='application/rsl+xml'></script>";
    let site = Site::new()
        .path(
            "/robots.txt",
            ok("User-agent: *\nContent-Usage: train-ai=\nLicense: none\n").script(),
        )
        .path(
            "/a",
            ok(page).field("Content-Type", "text/html").field("tdm-reservation", "yes").script(),
        );
    let report = report(site, URL).unwrap();
    assert_eq!(row(&report), [Refused; 4], "by the licence");
    let places: Vec<_> = report.findings.iter().map(|it| &*it.place).collect();
    assert_eq!(places[..2], ["line 2", "line 3"], "{:?}", report.findings);
    assert!(places[2].starts_with("in header line "), "{:?}", report.findings);
    assert_eq!(places[3], "in the element at 1:1");
}

#[test]
fn a_malformed_statement_of_the_page_outweighs_a_permission_elsewhere() {
    let site = |name: &str, value: &str| {
        let robots = "User-agent: *\nContent-Usage: train-ai=y, search=y, ai-use=y\nAllow: /\n";
        let page = match name {
            "element" => ok(value).field("Content-Type", "text/html"),
            name => ok("page").field(name, value),
        };
        Site::new()
            .path("/robots.txt", ok(robots).script())
            .path("/a", page.script())
            .path(TDMREP, ok(r#"[{"location":"/","tdm-reservation":0}]"#).script())
    };
    for (name, value, expected) in [
        ("X-Other", "1", [Allowed; 4]),
        ("tdm-reservation", "yes", [Allowed, Allowed, Allowed, Unknown]),
        ("Content-Usage", "train-ai=", [Unknown, Unknown, Unknown, Allowed]),
        ("Content-Signal", "ai-train", [Unknown, Unknown, Unknown, Allowed]),
        ("Content-Signal", "search=yes, ai_train=no", [Unknown, Unknown, Unknown, Allowed]),
        ("Content-Signal", "ai-train=noo", [Unknown, Unknown, Unknown, Allowed]),
        ("Content-Signal", "search=yes, use=refs", [Unknown, Unknown, Unknown, Allowed]),
        ("Content-Usage", "search=y, train-ai=no", [Unknown, Unknown, Unknown, Allowed]),
        ("Content-Usage", "search=y, foo=n", [Allowed; 4]),
        ("Content-Usage", "search=y, bots=n", [Unknown; 4]),
        ("Content-Usage", "search=y, train_ai=n", [Unknown, Unknown, Unknown, Allowed]),
        ("Content-Usage", "search=y, ai-train=n", [Unknown, Unknown, Unknown, Allowed]),
        ("tdm-policy", "ask us first", [Allowed, Allowed, Allowed, Unknown]),
        ("tdm-policy", "", [Allowed, Allowed, Allowed, Unknown]),
        ("tdm-policy", "/policy.json", [Allowed; 4]),
        ("X-Robots-Tag", "noindex; noai", [Unknown, Unknown, Unknown, Allowed]),
        ("X-Robots-Tag", "noai noindex", [Unknown, Unknown, Unknown, Allowed]),
        ("X-Robots-Tag", "all, no-ai", [Unknown, Unknown, Unknown, Allowed]),
        ("X-Robots-Tag", "otherbot: no-ai", [Allowed; 4]),
        ("X-Robots-Tag", "noindex : noai", [Unknown, Unknown, Unknown, Allowed]),
        ("X-Robots-Tag", "ExampleBot/1.0: noindex", [Unknown, Unknown, Unknown, Allowed]),
        ("X-Robots-Tag", "ExampleBot, OtherBot: noai", [Unknown, Unknown, Unknown, Allowed]),
        ("X-Robots-Tag", "OtherBot/ExampleBots: noai", [Allowed; 4]),
        ("X-Robots-Tag", &"all ".repeat(80), [Unknown, Unknown, Unknown, Allowed]),
        ("Robots-Tag", "ExampleBot ;noindex", [Unknown, Unknown, Unknown, Allowed]),
        ("Robots-Tag", "*;noindex=1;nosnippet", [Unknown, Unknown, Unknown, Allowed]),
        ("Robots-Tag", "*, noindex", [Unknown, Unknown, Unknown, Allowed]),
        (
            "element",
            "<meta name=ExampleBot content='noindex; noai'>",
            [Unknown, Unknown, Unknown, Allowed],
        ),
        ("element", "<meta name=examplebot content=no-ai>", [Unknown, Unknown, Unknown, Allowed]),
        (
            "element",
            "<meta property=ExampleBot content=noai>",
            [Unknown, Unknown, Unknown, Allowed],
        ),
        ("element", "<meta name='robots, a' content=noai>", [Unknown, Unknown, Unknown, Allowed]),
        (
            "element",
            "<meta name='examplebot|a' content=noai>",
            [Unknown, Unknown, Unknown, Allowed],
        ),
        ("element", "<meta name='a, b' content=noai>", [Allowed; 4]),
        (
            "element",
            "<noscript><meta name=tdm-reservation content=1></noscript>",
            [Allowed, Allowed, Allowed, Unknown],
        ),
        ("element", "<noscript><link rel=license href=/l></noscript>", [Unknown; 4]),
        (
            "element",
            "<meta http-equiv=X-Robots-Tag content=noai>",
            [Unknown, Unknown, Unknown, Allowed],
        ),
        ("element", "<meta name=robot content=noai>", [Unknown, Unknown, Unknown, Allowed]),
        (
            "element",
            "<meta property=TDM-Reservation content=1>",
            [Allowed, Allowed, Allowed, Unknown],
        ),
        (
            "element",
            "<meta http-equiv=tdm-policy content=/p>",
            [Allowed, Allowed, Allowed, Unknown],
        ),
        ("Content-Signal", &"search=yes,".repeat(30), [Unknown, Unknown, Unknown, Allowed]),
    ] {
        let report = report(site(name, value), URL).unwrap();
        assert_eq!(report.findings.is_empty(), expected == [Allowed; 4], "{:?}", report.findings);
        assert_eq!(row(&report), expected, "{name}: {value}");
    }
}

#[test]
fn a_page_has_the_licences_whose_links_are_about_it() {
    let no = rsl("<prohibits type='usage'>all</prohibits>");
    let utf16: Vec<u8> = no.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (all, link) = (rsl("<permits type='usage'>all</permits>"), "<link rel=license href=l>");
    for (field, page, expected) in [
        ("</no>; rel=license", "", [Refused; 4]),
        ("</l>; rel=license", "", [Allowed; 4]),
        // RFC 8288 section 3.2.
        (r#"</no>; rel=license; anchor="/a""#, "", [Refused; 4]),
        (r#"</no>; rel=license; anchor="http://shop.example/a#b""#, "", [Refused; 4]),
        (r##"</no>; rel=license; anchor="#b""##, "", [Refused; 4]),
        (r#"</l>; rel=license; anchor="/b""#, "", NOTHING),
        (r#"</no>; rel=license; anchor="/%61""#, "", [Refused; 4]),
        (r#"</l>; rel=license; anchor="/%61""#, "", NOTHING),
        (r#"</l>; rel=license; anchor="http://[""#, "", [Unknown; 4]),
        ("</utf16>; rel=license", "", [Refused; 4]),
        ("", link, [Allowed; 4]),
        ("", &format!("<base target=b>{link}<base href=/no/><base href=/>"), [Refused; 4]),
        ("", &format!("<template><base href=/no/></template>{link}"), [Allowed; 4]),
        ("</l>; rel=license", "<base href=/no/>", [Allowed; 4]),
    ] {
        let page = ok(page).field("Content-Type", "text/html").field("Link", field);
        let site = Site::new()
            .path("/a", page.script())
            .path("/l", ok(&all).script())
            .path("/no", ok(&no).script())
            .path("/no/l", ok(&no).script())
            .path("/utf16", ScriptedResponse::new(200).body(utf16.clone()).script())
            .by(|_| ScriptedResponse::new(404).script());
        let report = report(site, URL).unwrap();
        assert_eq!(row(&report), expected, "{field} {:#?}", report.findings);
    }
}

#[test]
fn a_page_with_very_many_licences_is_not_licensed() {
    let links: Vec<_> = (0..40).map(|at| format!("<link rel=license href=/{at}>")).collect();
    let links = links.concat();
    let site = Site::new()
        .path("/robots.txt", ok("").script())
        .path("/a", ok(&links).field("Content-Type", "text/html").script())
        .by(|_| ok("terms").script());
    let report = report(site, URL).unwrap();
    assert_eq!(row(&report), [Refused; 4]);
    let fetched = report.documents.iter().filter(|it| it.kind == "license").count();
    assert_eq!(fetched, verger_rights::limits::LICENSES);
}
