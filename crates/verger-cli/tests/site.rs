//! `diff`, `coverage` and `test`: hostile text in every format, revisions of git, and watching.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use quick_xml::Reader;
use quick_xml::events::Event;
use verger_testkit::hostile::{Layer, entries, unescaped};
use verger_testkit::shared::{Lacking, shared, skip_loudly};

fn run<A: AsRef<OsStr>>(folder: &Path, arguments: &[A]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()
        .expect("the program can be run");
    for stream in [&output.stdout, &output.stderr] {
        assert_eq!(unescaped(stream), None, "{}", String::from_utf8_lossy(stream));
    }
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

/// Hostile texts of the layer `output`: those of the catalogue, and those that the shared list
/// describes in words only, such as markup. Without those that are too long for one file with all.
fn hostile_texts() -> BTreeSet<Vec<u8>> {
    let mut texts = BTreeSet::new();
    for entry in entries(Layer::Output) {
        let bytes = entry.bytes();
        let text = bytes.strip_prefix(b"User-agent: *\nDisallow: /").unwrap_or(&bytes);
        if text.len() <= 4096 {
            texts.insert(text.strip_suffix(b"\n").unwrap_or(text).to_vec());
        }
    }
    let Some(path) = shared("hostile.jsonl") else {
        skip_loudly("hostile markup", Lacking::Data, "shared/hostile.jsonl is not there");
        return texts;
    };
    let mut described = 0;
    for line in fs::read_to_string(path).expect("a readable file").lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if entry["layer"] != "output" || entry.get("py").is_some_and(|it| !it.is_null()) {
            continue;
        }
        let words = entry["how to make it"].as_str().expect("a text");
        let text = words.split_once(": ").map_or(words, |(_, text)| text);
        texts.insert(text.strip_prefix("CSV export cell ").unwrap_or(text).as_bytes().to_vec());
        described += 1;
    }
    assert!(described > 40, "{described}");
    texts
}

/// A robots.txt with each text as a name, a pattern and a value; and a list of paths.
fn hostile_files(folder: &Path) -> usize {
    let texts = hostile_texts();
    let mut robots = Vec::new();
    let mut urls = Vec::new();
    for text in &texts {
        for (key, before) in [
            ("User-agent", &b""[..]),
            ("Disallow", b"/"),
            ("Crawl-delay", b""),
            ("X-Other", b""),
            ("Sitemap", b""),
        ] {
            robots.extend([key.as_bytes(), b": ", before, text, b"\n"].concat());
        }
        urls.extend([b"/", &text[..], b"/x\n"].concat());
    }
    robots.extend(b"User-agent: *\n");
    for text in &texts {
        robots.extend([b"Disallow: /", &text[..], b"\n"].concat());
    }
    fs::write(folder.join("hostile.txt"), robots).unwrap();
    fs::write(folder.join("urls.txt"), urls).unwrap();
    fs::write(folder.join("empty.txt"), "").unwrap();
    texts.len()
}

#[test]
fn hostile_files_are_compared_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let number = hostile_files(folder.path());
    for [old, new] in [["empty.txt", "hostile.txt"], ["hostile.txt", "empty.txt"]] {
        let all = ["diff", old, new, "--urls", "urls.txt", "--format"];
        let with = |format| run(folder.path(), &[&all[..], &[format]].concat());
        assert_eq!(with("text").0, Some(0));
        let (status, json) = with("json");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(status, Some(0));
        let changes: usize = json["crawlers"]
            .as_array()
            .expect("crawlers")
            .iter()
            .map(|it| it["changes"].as_array().expect("changes").len())
            .sum();
        assert!(changes > number / 2, "{changes} of {number}");
        let (status, markdown) = with("markdown");
        assert_eq!(status, Some(0));
        markdown.lines().for_each(check_markdown);
    }
}

/// Checks that a line of Markdown has markup only of the program: everything foreign is in code
/// spans.
#[track_caller]
fn check_markdown(line: &str) {
    let mut rest = line;
    let mut outside = String::new();
    while let Some(start) = rest.find('`') {
        outside.push_str(&rest[..start]);
        let fence = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let after = &rest[start + fence..];
        // The end is the next run of exactly as many backticks.
        let mut at = 0;
        let end = loop {
            let found = at + after[at..].find('`').unwrap_or_else(|| panic!("no end: {line}"));
            let run = after[found..].len() - after[found..].trim_start_matches('`').len();
            if run == fence {
                break found;
            }
            at = found + run;
        };
        rest = &after[end + fence..];
    }
    outside.push_str(rest);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " #*-:,;.()".contains(c);
    assert!(outside.chars().all(is_plain), "{outside}");
}

#[test]
fn hostile_files_are_covered_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    hostile_files(folder.path());
    let all = ["coverage", "hostile.txt", "--urls", "urls.txt", "--format"];
    let with = |format| run(folder.path(), &[&all[..], &[format]].concat());
    assert_eq!(with("text").0, Some(0));
    let (status, json) = with("json");
    serde_json::from_str::<serde_json::Value>(&json).expect("JSON");
    assert_eq!(status, Some(0));
    let (status, html) = with("html");
    assert_eq!(status, Some(0));
    check_html(&html);
}

/// Checks that a page has only the elements and attributes of the program.
fn check_html(html: &str) {
    const NAMES: [&str; 34] = [
        "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2",
        "p", "section", "dl", "div", "dt", "dd", "small", "svg", "rect", "table", "thead", "tbody",
        "tr", "th", "td", "code", "span", "em", "details", "summary", "ul", "li", "footer",
    ];
    const ATTRIBUTES: [&str; 16] = [
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "role",
        "viewBox",
        "preserveAspectRatio",
        "aria-label",
        "aria-hidden",
        "width",
        "height",
        "scope",
        "id",
        "title",
    ];
    let mut seen = BTreeSet::new();
    for tag in html.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').expect("the end of a tag");
        assert!(!text.contains('>') || tag == "style", "{text}");
        let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
        assert!(NAMES.contains(&name.trim_end_matches('/')), "{tag}");
        seen.insert(name.to_owned());
        // Attributes have quoted values, and no value contains a quotation mark.
        let mut rest = tag.split_once(' ').map_or("", |(_, rest)| rest).trim_end_matches('/');
        while let Some((attribute, value)) = rest.split_once("=\"") {
            assert!(ATTRIBUTES.contains(&attribute.trim()), "{tag}");
            rest = value.split_once('"').expect("the end of a value").1;
        }
        assert!(["", "html"].contains(&rest.trim()), "{tag}");
    }
    assert!(seen.contains("details") && seen.contains("rect"), "{seen:?}");
    let policy = "content=\"default-src 'none'; style-src 'sha256-";
    assert!(html.contains(policy), "{html}");
}

#[test]
fn hostile_tests_are_reported_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    hostile_files(folder.path());
    let mut tests = String::from("robots = \"hostile.txt\"\n");
    for (at, text) in hostile_texts().iter().enumerate() {
        // The strings of JSON are strings of TOML.
        let quote = |text: &str| verger::Untrusted::new(text).json().to_string();
        let text = String::from_utf8_lossy(text).replace('\0', "");
        let is_astral = text.chars().any(|c| u32::from(c) > 0xffff);
        if text.trim().is_empty() || is_astral {
            continue;
        }
        let (name, path) = (quote(&format!("{at} {text}")), quote(&format!("/{text}")));
        let text = quote(&text);
        writeln!(
            tests,
            "[[test]]\nname = {name}\ncrawlers = [{text}]\nopen = [{path}, \"/never\"]\nstatements = [{}]",
            quote(&format!("X: {}", text.trim_matches('"')))
        )
        .unwrap();
    }
    fs::write(folder.path().join("t.toml"), tests).unwrap();
    for format in ["text", "json", "junit"] {
        let (status, out) = run(folder.path(), &["test", "t.toml", "--format", format]);
        assert_eq!(status, Some(1), "{format}: {out}");
        match format {
            "json" => drop(serde_json::from_str::<serde_json::Value>(&out).expect("JSON")),
            "junit" => check_xml(&out),
            _ => {}
        }
    }
    let (status, proposal) = run(folder.path(), &["test", "--init", "--robots", "hostile.txt"]);
    assert_eq!(status, Some(0));
    fs::write(folder.path().join("p.toml"), proposal).unwrap();
    let (status, out) = run(folder.path(), &["test", "p.toml"]);
    assert_eq!(status, Some(0), "{out}");
}

/// Checks that XML is well-formed and has only the elements of the program.
fn check_xml(text: &str) {
    let mut reader = Reader::from_str(text);
    let mut depth = 0_u32;
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(start) => {
                depth += 1;
                let name = start.name();
                let names = ["testsuites", "testsuite", "testcase", "failure", "error"];
                assert!(names.contains(&name.as_ref()), "{name:?}");
                assert!(start.attributes().all(|it| it.is_ok()), "{start:?}");
            }
            Event::Empty(empty) => {
                let name = empty.name();
                assert!(["testcase", "skipped"].contains(&name.as_ref()), "{name:?}");
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
}

#[test]
fn an_unreadable_sitemap_is_an_error_of_its_test_only() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /a\n").unwrap();
    let tests = "[[test]]\nname = \"maps\"\nsitemaps = [\"gone.xml\"]\n\n\
                 [[test]]\nname = \"rules\"\nclosed = [\"/a\"]\n\n\
                 [[test]]\nname = \"fields\"\nclosed = [\"/a\"]\n\
                 headers = { \"https://h.example/\" = [\"Link: x\"] }\n";
    fs::write(folder.path().join("t.toml"), tests).unwrap();
    let with = |format| run(folder.path(), &["test", "t.toml", "--format", format]);
    let (status, text) = with("text");
    assert_eq!(status, Some(2));
    for expected in [
        "error   `maps` for `*`\n    t.toml:3: error: ",
        "passed  `rules` for `*`",
        "skipped `fields` for `*`\n    t.toml:12: skipped: ",
        "1 passed, 0 failed, 1 error, 1 skipped",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let (status, json) = with("json");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let statuses: Vec<_> =
        json["tests"].as_array().unwrap().iter().map(|it| &it["status"]).collect();
    assert_eq!(
        (status, &*statuses),
        (Some(2), &[&"error".into(), &"passed".into(), &"skipped".into()][..])
    );
    let (status, xml) = with("junit");
    assert_eq!(status, Some(2));
    check_xml(&xml);
    assert!(
        xml.contains("errors=\"1\" skipped=\"1\"") && xml.contains("<skipped message"),
        "{xml}"
    );
}

#[test]
fn an_empty_or_broken_sitemap_fails_its_own_test_only() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("robots.txt", "User-agent: *\nDisallow: /a\n");
    write("empty.xml", "<urlset></urlset>");
    write("nothing.xml", "");
    write("broken.xml", "<urlset><url><loc>https://h.example/</urlset>");
    write("closed.xml", "<urlset><url><loc>https://h.example/a</loc></url></urlset>");
    write("open.xml", "<urlset><url><loc>https://h.example/b</loc></url></urlset>");
    let names = ["empty", "nothing", "broken", "closed", "open"];
    let tests = names.map(|it| format!("[[test]]\nname = \"{it}\"\nsitemaps = [\"{it}.xml\"]\n"));
    write("t.toml", &tests.concat());
    let (status, json) = run(folder.path(), &["test", "t.toml", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let statuses: Vec<_> =
        json["tests"].as_array().unwrap().iter().map(|it| it["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["error", "error", "error", "failed", "passed"], "{json}");
    assert_eq!(status, Some(2));
}

#[test]
fn a_path_that_looks_like_a_host_is_shown_as_a_url() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("old.txt", "User-agent: *\nDisallow:\n");
    write("robots.txt", "User-agent: *\nDisallow: //a\n");
    write("t.toml", "[[test]]\nname = \"x\"\nopen = [\"//\"]\n");
    let (_, text) = run(folder.path(), &["diff", "old.txt", "robots.txt"]);
    assert!(text.contains("URLs such as `https://example.com//a`"), "{text}");
    let (_, json) = run(folder.path(), &["diff", "old.txt", "robots.txt", "--format", "json"]);
    assert!(json.contains("\"target\":\"//a\""), "{json}");
    let (status, text) = run(folder.path(), &["test", "t.toml"]);
    assert_eq!(status, Some(1));
    assert!(text.contains("`https://example.com//a` is disallowed"), "{text}");
}

#[test]
fn requests_of_a_log_are_judged_by_the_rules_of_their_crawler() {
    let folder = tempfile::tempdir().unwrap();
    let robots = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n";
    fs::write(folder.path().join("robots.txt"), robots).unwrap();
    fs::write(folder.path().join("open.txt"), "User-agent: *\nDisallow:\n").unwrap();
    let line = |path, agent| format!("h - - [x] \"GET {path} HTTP/1.1\" 200 1 \"-\" \"{agent}\"\n");
    let gpt = "Mozilla/5.0 (compatible; GPTBot/1.2)";
    let log = [line("/a", "x"), line("/b", gpt), line("/c", gpt)].concat() + "nothing\n";
    fs::write(folder.path().join("l.log"), log).unwrap();
    let coverage = ["coverage", "robots.txt", "--log", "l.log"];
    let (_, all) = run(folder.path(), &coverage);
    assert!(all.contains("for crawlers that no group names (`*`): 3 requests"), "{all}");
    assert!(all.contains("2 requests name a crawler that has its own group"), "{all}");
    assert!(all.contains("not counted: 1 line is without a request"), "{all}");
    let (_, one) = run(folder.path(), &[&coverage[..], &["--log-agent", "gptbot"]].concat());
    assert!(one.contains("for `GPTBot`: 2 requests"), "{one}");
    assert!(!one.contains("its own group"), "{one}");
    let json = run(
        folder.path(),
        &[&coverage[..], &["--log-agent", "gptbot", "--format", "json"]].concat(),
    )
    .1;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["disallowed"], &json["other_agents"]), (&2.into(), &1.into()));
    let diff = ["diff", "robots.txt", "open.txt", "--log", "l.log"];
    let (_, all) = run(folder.path(), &diff);
    assert!(all.contains("of 3 given requests, 0 closed and 1 opened"), "{all}");
    assert!(all.contains("opened: all URLs"), "{all}");
    let (_, one) = run(folder.path(), &[&diff[..], &["--log-agent", "GPTBot"]].concat());
    assert_eq!(one.matches("given requests").count(), 1, "{one}");
    assert!(one.contains("of 2 given requests, 0 closed and 2 opened"), "{one}");
    // A log in place of a list.
    for command in ["coverage robots.txt", "diff robots.txt open.txt"] {
        let arguments = format!("{command} --urls l.log");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_eq!(run(folder.path(), &arguments).0, Some(2), "{command}");
    }
}

#[test]
fn logs_and_feeds_of_common_services_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, data: &[u8]| fs::write(folder.path().join(name), data).unwrap();
    write("robots.txt", b"User-agent: *\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n");
    let cloudfront = "#Version: 1.0\n#Fields: date x-edge-location cs-uri-stem sc-status cs(User-Agent) cs-uri-query\n\
        2026-03-01\tFRA2\t/a%2520b\t200\tMozilla/5.0%20(compatible;%20GPTBot/1.2)\t-\n\
        2026-03-01\tFRA2\t/cart\t200\tMozilla/5.0%2520(compatible;%2520Bingbot/2.0)\tx=1\n";
    let json = r#"{"cs-uri-stem":"/a","cs(User-Agent)":"Mozilla/5.0%20(x;%20GPTBot/1.2)","sc-status":"200"}
{"cs-uri-stem":"/cart","cs(User-Agent)":"Mozilla/5.0%2520(x;%2520bingbot/2.0)","sc-status":"200"}
"#;
    let balancers = r#"h2 2026-03-01T22:23:00.186641Z app/shop/cb8 192.0.2.7:4 10.0.0.66:9 0.006 0.008 0.000 200 200 498 1485 "GET https://h:443/a HTTP/2.0" "x (GPTBot/1.2)" ECDHE TLSv1.2 arn:aws:x "Root=1-58337262" "h" "-" 0 2026-03-01T22:22:48.364000Z "forward"
2026-03-01T22:24:00.186641Z shop-elb 192.0.2.7:2 10.0.0.1:80 0.000073 0.001048 0.000057 301 301 0 0 "GET http://h:80/cart HTTP/1.1" "x (Bingbot/2.1)" - -
"#;
    let nginx = r#"{"uri":"/\x22","http_user_agent":"\xE3 GPTBot/1"}
{"uri":"/cart","http_user_agent":"bingbot"}
"#;
    let docker = r#"{"log":"h - - [t] \"GET /a HTTP/1.1\" 200 1 \"-\" \"GPTBot/1\"\n","stream":"stdout"}
{"log":"h - - [t] \"GET /cart HTTP/1.1\" 200 1 \"-\" \"bingbot\"\n","stream":"stdout"}
"#;
    for log in [cloudfront, json, balancers, nginx, docker] {
        write("l.log", log.as_bytes());
        let table = ["coverage", "robots.txt", "--log", "l.log", "--by-crawler"];
        let (status, text) = run(folder.path(), &[&table[..], &["--format", "json"]].concat());
        assert_eq!(status, Some(0), "{log}");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let rows = json["crawlers"].as_array().unwrap().iter().map(|row| {
            let line = &row["rules"][0]["line"];
            (row["names"][0].as_str().unwrap(), row["urls"].as_u64(), line.as_u64())
        });
        let expected = [("bingbot", Some(1), Some(2)), ("GPTBot", Some(1), Some(5))];
        assert_eq!(rows.collect::<BTreeSet<_>>(), BTreeSet::from(expected), "{log}");
        assert_eq!((&json["own_group"], &json["skipped_lines"]), (&1.into(), &0.into()));
        let (_, one) = run(
            folder.path(),
            &["coverage", "robots.txt", "--log", "l.log", "--log-agent", "GPTBot"],
        );
        assert!(one.contains(": 1 requests") && one.contains("Disallow: / (line 5)"), "{one}");
    }
    for (feed, name) in [
        (
            "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='/self'/><entry><link rel='replies' href='/no'/>\
             <link rel='alternate' href='/cart'/></entry><entry><link href='/b'/></entry></feed>",
            "atom.xml",
        ),
        (
            "<rss><channel><link>/no</link><item><link>/cart</link></item><item><link>/b</link></item></channel></rss>",
            "rss.xml",
        ),
    ] {
        write(name, feed.as_bytes());
        let (status, text) = run(folder.path(), &["coverage", "robots.txt", "--sitemap", name]);
        assert_eq!(status, Some(0), "{text}");
        assert!(text.contains(": 2 URLs") && text.contains("Disallow: /cart (line 2)"), "{text}");
    }
}

#[test]
fn requests_are_counted_by_the_crawler_of_their_header() {
    let folder = tempfile::tempdir().unwrap();
    let robots = "User-agent: *\nDisallow: /a\n\nUser-agent: Googlebot\nDisallow: /g\n\n\
                  User-agent: ShopBot\nUser-agent: Twitterbot\nDisallow: /s\n";
    fs::write(folder.path().join("robots.txt"), robots).unwrap();
    let mut log = String::new();
    for (path, agent) in [
        ("/g", "Googlebot-Image/1.0"),
        ("/a", "AdsBot-Google (+http://www.google.com/adsbot.html)"),
        ("/s", "Mozilla/5.0 (compatible; shopbot/2.0)"),
        ("/s", "TelegramBot (like TwitterBot)"),
        ("/a", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
        ("/a", "curl/8.0"),
        ("/g", "curl/8.0"),
        ("/a", "-"),
    ] {
        writeln!(log, "h - - [t] \"GET {path} HTTP/1.1\" 200 1 \"-\" \"{agent}\"").unwrap();
    }
    fs::write(folder.path().join("l.log"), log).unwrap();
    let table = ["coverage", "robots.txt", "--log", "l.log", "--by-crawler"];
    let (_, json) = run(folder.path(), &[&table[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let rows =
        json["crawlers"].as_array().unwrap().iter().map(|row| {
            (row["names"].to_string(), row["urls"].as_u64(), row["disallowed"].as_u64())
        });
    // A crawler that ignores `*`, fallbacks, a name that only a group has, and two names.
    let expected = [
        (r#"["AdsBot-Google"]"#, 1, 0),
        (r#"["Googlebot-Image"]"#, 1, 1),
        (r#"["ShopBot"]"#, 1, 1),
        (r#"["Twitterbot","TelegramBot"]"#, 1, 1),
        ("[]", 3, 2),
        (r#"[""]"#, 1, 1),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), Some(b), Some(c)));
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    assert_eq!((&json["urls"], &json["own_group"]), (&8.into(), &3.into()));
    let (_, html) = run(folder.path(), &[&table[..], &["--format", "html"]].concat());
    assert!(html.contains("Twitterbot, TelegramBot <span class=\"remark\">1 disallowed"), "{html}");
    let (_, text) = run(folder.path(), &table);
    assert!(
        text.contains("  browsers and others (`*`)              3             2   66.7%"),
        "{text}"
    );
    for other in ["--agent=x", "--urls=l.log", "--sitemap=x", "--log-agent=x"] {
        assert_eq!(run(folder.path(), &[&table[..], &[other]].concat()).0, Some(2), "{other}");
    }
}

#[test]
fn revisions_of_git_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        command.args(identity).args(arguments).current_dir(folder.path()).stdout(Stdio::null());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").status().map(|status| status.success())
    };
    if git(&["init", "--quiet"]).is_err() {
        return skip_loudly("revisions of git", Lacking::Tool, "git is not there");
    }
    fs::create_dir(folder.path().join("public")).unwrap();
    let path = folder.path().join("public/robots.txt");
    fs::write(&path, "User-agent: *\nDisallow: /a\n").unwrap();
    assert!(git(&["add", "."]).unwrap() && git(&["commit", "--quiet", "-m", "x"]).unwrap());
    fs::write(&path, "User-agent: *\nDisallow: /b\n").unwrap();
    let arguments = ["diff", "git:HEAD:public/robots.txt", "public/robots.txt", "--fail-on", "any"];
    let (status, out) = run(folder.path(), &arguments);
    assert_eq!(status, Some(1));
    assert!(
        out.contains("opened: URLs such as `/a`") && out.contains("closed: URLs such as `/b`"),
        "{out}"
    );
    for name in ["git:HEAD:nothing.txt", "git:nothing:robots.txt", "git:--batch:x"] {
        assert_eq!(run(folder.path(), &["diff", name, "public/robots.txt"]).0, Some(2), "{name}");
    }
}

#[test]
fn tests_run_again_after_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let robots = folder.path().join("robots.txt");
    fs::write(&robots, "User-agent: *\nDisallow: /a\n").unwrap();
    fs::write(
        folder.path().join("robots.test.toml"),
        "[[test]]\nname = \"x\"\nclosed = [\"/a\"]\n",
    )
    .unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(["test", "--watch"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be run");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut until = |wanted: &str| {
        let found = lines.by_ref().map_while(Result::ok).find(|line| line.contains(wanted));
        assert!(found.is_some(), "{wanted}");
    };
    until("1 passed, 0 failed");
    // The resolution of times of files, on some systems.
    std::thread::sleep(Duration::from_millis(50));
    fs::write(&robots, "User-agent: *\nAllow: /a/b\nDisallow: /a\n").unwrap();
    until("0 passed, 1 failed");
    child.kill().expect("the program runs");
    child.wait().expect("the program ends");
}
