//! `verger enforce --prove` against servers that keep to a file, or do not.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use verger_registry::Registry;

use crate::common::run;

/// Starts a server that answers each request line and User-Agent header with a status, and with a
/// redirect to `/no`; returns its URL.
fn server(status: fn(&str, &str) -> u16) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let request = lines.next().unwrap_or_default();
            let agent = lines.find(|line| line.starts_with("User-Agent: ")).unwrap_or_default();
            // The rest of the head, so that the connection is not reset.
            let _ = lines.take_while(|line| !line.is_empty()).count();
            let status = status(&request, &agent);
            // The client can have gone.
            drop(write!(&stream, "HTTP/1.1 {status} x\r\n{REDIRECT}Content-Length: 0\r\n\r\n"));
        }
    });
    url
}

const REDIRECT: &str = "location: /no\r\n";
const ROBOTS: &str = "User-agent: GPTBot\nDisallow: /\n";

fn prove(robots: &str, url: &str, more: &[&str]) -> (Option<i32>, String) {
    let (code, text, _) = prove_with_hints(robots, url, more);
    (code, text)
}

/// The exit code, the report and the messages.
fn prove_with_hints(robots: &str, url: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let arguments =
        ["enforce", "-", "--agent", "GPTBot", "--prove", url, "--allow-net", "127.0.0.1"];
    let arguments = [&arguments[..], &["--rate", "1000", "--store", "memory"], more].concat();
    let output = run(&arguments, robots);
    let [out, messages] =
        [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    (output.status.code(), out, messages)
}

#[test]
fn a_server_that_keeps_to_the_file_agrees() {
    let url = server(|request, agent| {
        let is_exempt = request.starts_with("HEAD /robots.txt ");
        if agent.contains("GPTBot") && !is_exempt { 403 } else { 204 }
    });
    let (code, text) = prove(ROBOTS, &url, &["--head"]);
    assert!(text.contains("GPTBot: ") && text.contains("a browser: "), "{text}");
    let rows = text.strip_suffix("every answer agrees with robots.txt\n").expect("agreement");
    assert!(rows.lines().all(|line| line.ends_with(" targets; 0 differences")), "{text}");
    assert_eq!(code, Some(0));
}

/// nginx answers 403 for a folder without an index, to everybody.
#[test]
fn a_refusal_that_browsers_get_too_is_no_difference() {
    const OPEN: &str = "User-agent: GPTBot\nDisallow: /\nAllow: /press/\n";
    const STAR: &str = "User-agent: GPTBot\nAllow: /\n\nUser-agent: *\nDisallow: /press/\n";
    fn server_of(request: &str, agent: &str, [press, of_browser, robots_txt]: [u16; 3]) -> u16 {
        let is_crawler = agent.contains("GPTBot");
        match request {
            _ if request.starts_with("GET /press/") => {
                if is_crawler {
                    press
                } else {
                    of_browser
                }
            }
            _ if request.starts_with("GET /robots.txt ") => robots_txt,
            _ => {
                if is_crawler {
                    403
                } else {
                    200
                }
            }
        }
    }
    let usual = server(|request, agent| server_of(request, agent, [403, 403, 200]));
    let (code, text) = prove(OPEN, &usual, &[]);
    let end = " to browsers, too (403): 2 requests\nevery other answer agrees with robots.txt\n";
    assert!(text.contains("\nthe server refuses `/press/` to browsers, too (403): "), "{text}");
    assert!(text.ends_with(end) && !text.contains("but the server answered"), "{text}");
    assert_eq!(code, Some(0));
    let (code, text) = prove(OPEN, &usual, &["--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let refused = &found["GPTBot"]["refused_to_browsers"][0];
    assert!(refused["target"] == "/press/" && refused["status"] == 403, "{text}");
    assert_eq!(code, Some(0));
    let only_of_crawlers = server(|request, agent| server_of(request, agent, [403, 404, 200]));
    let another_answer = server(|request, agent| server_of(request, agent, [403, 401, 200]));
    let too_many_requests = server(|request, agent| server_of(request, agent, [429, 429, 200]));
    let no_robots_txt = server(|request, agent| server_of(request, agent, [200, 200, 403]));
    for (robots, url, star_for) in [
        (OPEN, only_of_crawlers, "known"),
        (OPEN, another_answer, "known"),
        (OPEN, too_many_requests, "known"),
        (OPEN, no_robots_txt, "known"),
        // Browsers must be refused there, so their answer says nothing about GPTBot.
        (STAR, usual, "all"),
    ] {
        let (code, text) = prove(robots, &url, &["--star-for", star_for]);
        assert!(text.contains(" is allowed for GPTBot, but the server answered "), "{text}");
        assert_eq!(code, Some(1), "{text}");
    }
}

#[test]
fn a_server_that_refuses_nothing_or_everything_differs() {
    let (code, text) = prove(ROBOTS, &server(|_, _| 200), &[]);
    assert!(
        text.contains("  //z is disallowed for GPTBot, but the server answered 200\n"),
        "{text}"
    );
    assert_eq!(code, Some(1));
    let (code, text) = prove(ROBOTS, &server(|_, _| 403), &["--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["a browser"]["differences"][0]["status"], 403, "{text}");
    assert_eq!(found["GPTBot"]["differences"][0]["target"], "/robots.txt", "{text}");
    assert_eq!(code, Some(1));
}

/// A server with `--verified refuse` refuses the names of crawlers to this client.
#[test]
fn a_crawler_with_published_addresses_that_is_refused_everything_has_a_hint() {
    const OPEN: &str = "User-agent: *\nDisallow: /a\nAllow: /a/b\n";
    let hints = |status: fn(&str, &str) -> u16, more: &[&str]| {
        let more = [more, &["--agent", "OurOwnBot"]].concat();
        let (code, text, messages) = prove_with_hints(OPEN, &server(status), &more);
        assert_eq!(code, Some(1), "{text}");
        messages
    };
    let all_but_robots_txt = |request: &str, agent: &str| {
        let is_exempt = request.starts_with("GET /robots.txt ");
        if agent.contains("GPTBot/") && !is_exempt { 403 } else { 200 }
    };
    let messages = hints(all_but_robots_txt, &[]);
    let hint = "hint: everything is refused to 1 crawler with published addresses, such as `GPTBot`; with \
                `--verified refuse` that is right";
    assert!(messages.contains(hint), "{messages}");
    // An answer that the rules do not give, one target that is served, a crawler without published
    // addresses that is refused everything, too, and a client that is blocked.
    for (status, more) in [
        (all_but_robots_txt as fn(&str, &str) -> u16, &["--answer", "429"][..]),
        (
            |request, agent| {
                if agent.contains("GPTBot/") && !request.contains("/a/b") { 403 } else { 200 }
            },
            &[],
        ),
        (|_, agent| if agent.contains("Bot/") { 403 } else { 200 }, &[]),
        (|_, _| 403, &[]),
    ] {
        let messages = hints(status, more);
        assert!(!messages.contains("--verified"), "{messages}");
    }
}

/// Rules for other crawlers than those of the proof.
#[test]
fn crawlers_to_which_everything_passes_beside_others_have_a_hint() {
    const CLOSED: &str = "User-agent: GPTBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n";
    let hints = |status: fn(&str, &str) -> u16| {
        let more = ["--agent", "ClaudeBot"];
        let (code, text, messages) = prove_with_hints(CLOSED, &server(status), &more);
        assert_eq!(code, Some(1), "{text}");
        messages.contains("hint: if the rules were made with `--purpose` or `--agent`, prove with")
    };
    assert!(hints(|request, agent| {
        let is_closed = request.contains("/a") || request.contains("%61");
        if agent.contains("GPTBot") && is_closed { 403 } else { 200 }
    }));
    for status in [
        // Some targets pass, an allowed one is refused, and nothing is refused.
        (|request, agent| {
            if agent.contains("GPTBot") && request.contains("/a") { 403 } else { 200 }
        }) as fn(&str, &str) -> u16,
        |_, agent| if agent.contains("GPTBot") { 403 } else { 200 },
        |_, _| 200,
    ] {
        assert!(!hints(status));
    }
}

#[test]
fn a_limit_of_requests_limits_what_the_report_says() {
    let url = server(|request, agent| {
        let is_closed = request.contains('d') || request.contains("%64");
        if agent.contains("GPTBot") && is_closed { 403 } else { 200 }
    });
    let rules: Vec<_> = (10..40).map(|number| format!("Disallow: /d{number}/\n")).collect();
    let robots = format!("User-agent: GPTBot\n{}", rules.concat());
    let agreement = "\nevery answer agrees with robots.txt";
    let (code, text, messages) = prove_with_hints(&robots, &url, &["--requests", "31"]);
    let (rows, last) = text.split_once(agreement).expect("agreement");
    let all = last.strip_prefix(", for only 31 of ").and_then(|it| it.strip_suffix(" targets\n"));
    let all = all.expect("a number of targets");
    assert!(rows.contains(&format!("; 0 differences, for only 31 of {all} targets\n")), "{text}");
    let hint = format!("hint: `--requests {all}` asks for all targets\n");
    assert!(code == Some(0) && messages.contains(&hint), "{messages}");
    let (_, json) = prove(&robots, &url, &["--requests", "31", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let row = &found["GPTBot"];
    assert!(row["asked_targets"] == 31 && row["targets"].as_u64() == all.parse().ok(), "{json}");
    assert_eq!(found["a browser"]["targets"], 0, "{json}");
    let (code, text, messages) = prove_with_hints(&robots, &url, &["--requests", all]);
    assert!(code == Some(0) && text.ends_with(&format!("{agreement}\n")), "{text}");
    assert!(!text.contains("only") && !messages.contains("--requests"), "{text}{messages}");
}

#[test]
fn only_the_redirect_of_the_answer_refuses() {
    let url = server(|request, agent| {
        let is_exempt = request.starts_with("GET /robots.txt ");
        if agent.contains("GPTBot") && !is_exempt { 302 } else { 200 }
    });
    let of_site = format!("{url}/no");
    let page = concat!("page:", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for (answer, expected) in [
        ("/no", 0),
        (&*of_site, 0),
        ("/other", 1),
        ("https://e.example/no", 1),
        (page, 1),
        ("403", 1),
    ] {
        let (code, text) = prove(ROBOTS, &url, &["--answer", answer]);
        assert_eq!(code, Some(expected), "{answer}: {text}");
        let found = "/z is disallowed for GPTBot, but the server answered 302 to /no\n";
        assert_eq!(text.contains(found), expected == 1, "{answer}: {text}");
    }
}

#[test]
fn every_crawler_is_asked_for_also_one_without_rules() {
    let url = server(|request, agent| {
        let is_refused = agent.contains("GPTBot") && request.contains('x');
        if is_refused || agent.contains("bingbot") { 403 } else { 200 }
    });
    let robots = "User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /x\n";
    let (code, text) = prove(robots, &url, &["--agent", "ClaudeBot", "--agent", "bingbot"]);
    assert!(
        text.contains("/x is disallowed for ClaudeBot, but the server answered 200\n"),
        "{text}"
    );
    assert!(text.contains("/x is allowed for bingbot, but the server answered 403\n"), "{text}");
    assert_eq!(code, Some(1));
    let (code, text) = prove("", &server(|_, _| 200), &[]);
    assert!(text.contains("GPTBot: ") && !text.contains(" is disallowed"), "{text}");
    assert_eq!(code, Some(0));
}

#[test]
fn a_file_of_rules_is_up_to_date_until_its_data_are_too_old() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("verger.conf");
    let enforce = ["enforce", "-", "--target", "nginx", "--agent", "GPTBot"];
    std::fs::write(&file, run(&enforce, ROBOTS).stdout).expect("a file");
    let check = |more: &[&str]| {
        let name = file.to_str().expect("UTF-8");
        let output = run(&[&enforce[..], &["--check", name], more].concat(), ROBOTS);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text.split_once("`: ").expect("a name").1.to_owned())
    };
    let current = (Some(0), "up to date\n".to_owned());
    assert_eq!(check(&[]), current);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970").as_secs();
    // Its data are not old on their own day.
    let is_old = now >= Registry::bundled().date().start().seconds() + 24 * 60 * 60;
    if !is_old {
        return assert_eq!(check(&["--max-days", "0"]), current);
    }
    let (code, text) = check(&["--max-days", "0"]);
    let date = Registry::bundled().date();
    let start = format!("the data about crawlers is from {date}T00:00:00Z, ");
    let end = " ago: update Verger, and write the rules again\n";
    assert!(code == Some(1) && text.starts_with(&start) && text.ends_with(end), "{text}");
}
