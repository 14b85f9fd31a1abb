//! `coverage` and `diff` with access logs and feeds.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::site::run;

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
    assert!(all.contains("of 1 requests of these crawlers, 0 closed and 1 opened"), "{all}");
    assert!(all.contains("of 2 requests of these crawlers, 0 closed and 2 opened"), "{all}");
    assert!(all.contains("opened: all URLs"), "{all}");
    let (_, one) = run(folder.path(), &[&diff[..], &["--log-agent", "GPTBot"]].concat());
    assert_eq!(one.matches("requests of these crawlers").count(), 1, "{one}");
    assert!(one.contains("of 2 requests of these crawlers, 0 closed and 2 opened"), "{one}");
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
        ("/a", "UnknownClient/8.0"),
        ("/g", "UnknownClient/8.0"),
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
    // A crawler that ignores `*`, fallbacks, a name that only a group has, two names, and a
    // library.
    let expected = [
        (r#"["AdsBot-Google"]"#, 1, 0),
        (r#"["Googlebot-Image"]"#, 1, 1),
        (r#"["ShopBot"]"#, 1, 1),
        (r#"["Twitterbot","TelegramBot"]"#, 1, 1),
        (r#"["curl"]"#, 1, 0),
        ("[]", 3, 2),
        (r#"[""]"#, 1, 1),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), Some(b), Some(c)));
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    assert_eq!((&json["urls"], &json["own_group"]), (&9.into(), &3.into()));
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
fn a_request_is_changed_only_if_it_is_for_its_own_crawler() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let own = "User-agent: GPTBot\nUser-agent: Googlebot\nDisallow: /g\n";
    write(
        "old.txt",
        &format!("User-agent: *\nDisallow:\n\nUser-agent: ShopBot\nDisallow:\n\n{own}"),
    );
    write(
        "new.txt",
        &format!("User-agent: *\nDisallow: /\n\nUser-agent: ShopBot\nDisallow: /s\n\n{own}"),
    );
    let mut log = String::new();
    for (path, agent) in [
        ("/1", "curl/8.0"),
        ("/2", "-"),
        ("/3", "Mozilla/5.0 (compatible; bingbot/2.0)"),
        // An own group without changes, by name and by a fallback; no use of `*`; no use at all.
        ("/4", "Mozilla/5.0 (compatible; GPTBot/1.2)"),
        ("/5", "Googlebot-Image/1.0"),
        ("/6", "AdsBot-Google (+http://www.google.com/adsbot.html)"),
        ("/7", "Google-Safety"),
        // Special rules do not hold for two products; a group for one of two.
        ("/8", "MyBot/2.0 (like AdsBot-Google)"),
        ("/s", "Mozilla/5.0 (compatible; shopbot/2.0)"),
        ("/9", "Mozilla/5.0 (compatible; shopbot/2.0)"),
    ] {
        writeln!(log, "h - - [t] \"GET {path} HTTP/1.1\" 200 1 \"-\" \"{agent}\"").unwrap();
    }
    write("l.log", &log);
    let urls = |more: &[&str]| -> Vec<(String, [Option<u64>; 2])> {
        let diff = ["diff", "old.txt", "new.txt", "--log", "l.log", "--format", "json"];
        let (status, text) = run(folder.path(), &[&diff[..], more].concat());
        assert_eq!(status, Some(0), "{text}");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let rows = json["crawlers"].as_array().unwrap().iter();
        let numbers = |urls: &serde_json::Value| ["total", "closed"].map(|key| urls[key].as_u64());
        rows.map(|row| (row["crawlers"].to_string(), numbers(&row["urls"]))).collect()
    };
    let row = |names: &str, numbers: Option<[u64; 2]>| {
        (names.to_owned(), numbers.map_or([None; 2], |it| it.map(Some)))
    };
    let (others, shop) = (r#"["*"]"#, r#"["ShopBot"]"#);
    let expected = [row(others, Some([4, 4])), row(shop, Some([2, 1]))];
    assert_eq!(urls(&[]), expected);
    // Another compared crawler is no reader of the requests.
    assert_eq!(urls(&["--agent", "GPTBot"]), expected);
    assert_eq!(urls(&["--log-agent", "ShopBot"]), [row(others, None), row(shop, Some([2, 1]))]);
    let both = ["--agent", "GPTBot", "--log-agent", "AdsBot-Google"];
    assert_eq!(urls(&both), [row(others, None), row(shop, None)]);
    // Its token is one without special rules.
    let token = ["--token", "AdsBot-Google", "--log-agent", "AdsBot-Google"];
    let joined = row(r#"["*","AdsBot-Google"]"#, Some([2, 2]));
    assert_eq!(urls(&token), [joined, row(shop, None)]);
}

#[test]
fn a_request_of_a_crawler_that_was_not_compared_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    // A header with two products takes the group of the first one before, that of the second after.
    write("old.txt", "User-agent: a\nDisallow: /\n");
    write("new.txt", "User-agent: b\nDisallow: /\n");
    write("l.log", "h - - [t] \"GET /x HTTP/1.1\" 200 1 \"-\" \"a/1 b/1\"\n");
    let mut program = Command::new(env!("CARGO_BIN_EXE_verger"));
    program.args(["diff", "old.txt", "new.txt", "--log", "l.log"]).current_dir(folder.path());
    let output = program.output().expect("the program can be run");
    let messages = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(messages.contains("because their crawlers were not compared: 1"), "{messages}");
}

#[test]
fn rows_of_crawlers_have_their_tokens_and_notes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /\n").unwrap();
    let mut log = String::new();
    for agent in ["Googlebot-Image/1.0", "GPTBot", "Google-Safety", "curl/8.0", "UnknownClient"] {
        writeln!(log, "h - - [t] \"GET / HTTP/1.1\" 200 1 \"-\" \"{agent}\"").unwrap();
    }
    fs::write(folder.path().join("l.log"), log).unwrap();
    let table = ["coverage", "robots.txt", "--log", "l.log", "--by-crawler"];
    let (_, json) = run(folder.path(), &[&table[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let rows: Vec<_> = json["crawlers"].as_array().unwrap().iter().collect();
    let keys = rows.iter().map(|row| format!("{} {} {}", row["names"], row["tokens"], row["note"]));
    assert_eq!(
        keys.collect::<Vec<_>>(),
        [
            r#"["GPTBot"] ["GPTBot"] null"#,
            r#"["Google-Safety"] ["Google-Safety"] "it does not follow robots.txt""#,
            r#"["Googlebot-Image"] ["Googlebot-Image","Googlebot"] null"#,
            r#"["curl"] ["curl"] "no known statement promises that it obeys robots.txt""#,
            "[] null null",
        ]
    );
    for format in ["text", "html"] {
        let (_, text) = run(folder.path(), &[&table[..], &["--format", format]].concat());
        for remark in ["tokens: Googlebot-Image, Googlebot", "it does not follow robots.txt"] {
            assert!(text.contains(remark), "{text}");
        }
    }
}
