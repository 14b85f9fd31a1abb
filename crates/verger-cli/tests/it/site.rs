//! `diff`, `coverage` and `test`: hostile text in every format, and revisions of git.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use quick_xml::Reader;
use quick_xml::events::Event;
use verger_testkit::hostile::{entries, unescaped};
use verger_testkit::shared::{Lacking, shared, skip_loudly};

pub(crate) fn run<A: AsRef<OsStr>>(folder: &Path, arguments: &[A]) -> (Option<i32>, String) {
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
    for entry in entries() {
        let bytes = entry.bytes;
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
    write("entity.xml", "<urlset><url><loc>&h;/a</loc></url><url><loc>/b</loc></url></urlset>");
    write("open.xml", "<urlset><url><loc>https://h.example/b</loc></url></urlset>");
    let names = ["empty", "nothing", "broken", "closed", "entity", "open"];
    let tests = names.map(|it| format!("[[test]]\nname = \"{it}\"\nsitemaps = [\"{it}.xml\"]\n"));
    write("t.toml", &tests.concat());
    let (status, json) = run(folder.path(), &["test", "t.toml", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let statuses: Vec<_> =
        json["tests"].as_array().unwrap().iter().map(|it| it["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["error", "error", "error", "failed", "error", "passed"], "{json}");
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
    for old in ["git:HEAD:public/robots.txt", "git:public/robots.txt"] {
        let (status, out) =
            run(folder.path(), &["diff", old, "public/robots.txt", "--fail-on", "any"]);
        assert_eq!(status, Some(1));
        assert!(
            out.contains("opened: URLs such as `/a`") && out.contains("closed: URLs such as `/b`"),
            "{out}"
        );
    }
    for name in ["git:HEAD:nothing.txt", "git:nothing:robots.txt", "git:--batch:x"] {
        assert_eq!(run(folder.path(), &["diff", name, "public/robots.txt"]).0, Some(2), "{name}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_verger"));
    command.args(["diff", "git:HEAD:robots.txt", "public/robots.txt"]).current_dir(folder.path());
    let messages = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(messages.ends_with("; this revision has `public/robots.txt`\n"), "{messages}");
}

#[test]
fn a_token_has_no_fallbacks_in_differences_and_tests() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("old.txt", "User-agent: Googlebot\nDisallow:\n");
    write("new.txt", "User-agent: Googlebot\nDisallow: /a\n");
    let changed = |flag: &str| {
        let diff = ["diff", "old.txt", "new.txt", "--format", "json", flag, "Googlebot-Image"];
        let (_, text) = run(folder.path(), &diff);
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        (json["crawlers"][0]["crawlers"].to_string(), json["tokens"].to_string())
    };
    let agent = (
        r#"["Googlebot-Image","Googlebot"]"#,
        r#"{"Googlebot-Image":["Googlebot-Image","Googlebot"]}"#,
    );
    assert_eq!(changed("--agent"), (agent.0.to_owned(), agent.1.to_owned()));
    assert_eq!(changed("--token"), (r#"["Googlebot"]"#.to_owned(), "null".to_owned()));

    let tests = "robots = 'new.txt'\n[[test]]\nname = 'x'\ncrawlers = ['Googlebot-Image']\nclosed = ['/a']\n";
    write("robots.test.toml", tests);
    assert_eq!(run(folder.path(), &["test"]).0, Some(0));
    // The name of a token has any case.
    let (status, text) =
        run(folder.path(), &["test", "--format", "json", "--token", "googlebot-image"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains(r#""tokens":["Googlebot-Image"]"#), "{text}");
    // A token that no test names is probably misspelt.
    assert_eq!(run(folder.path(), &["test", "--token", "Googlebot-Imgae"]).0, Some(2));
}
