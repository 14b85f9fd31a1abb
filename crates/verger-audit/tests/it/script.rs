//! Scripts of what a server and its visitors did, with the expected verdicts.
//!
//! A line of a script is `TIME serves PATH…` (a robots.txt that disallows these paths, `nothing`
//! for no robots.txt, or lines after `=`), `gap`, `TIME visits` (from then on, a browser gets robots.txt
//! every 12 hours, so that the log is never silent), or `TIME VISITOR STATUS TARGET = VERDICT FLAG…`.
//! Times are hours since the beginning, with minutes and seconds: `2`, `2:30`, `2:30:10`; with `L`,
//! they have no zone. `200+9` is a status with 9 bytes of the body, `HEAD200` one of a request by
//! HEAD. A target without its query begins with `~`. `@LINE` is the line of the deciding rule, `by
//! TOKEN` another crawler that fetched it.

use std::time::Duration;

use verger::Origin;
use verger::access::Timestamp;
use verger_audit::log::Request;
use verger_audit::{Audit, History, Options, Report, Version};
use verger_identity::{Identifier, Lists};
use verger_registry::Registry;

/// 2026-01-01T00:00:00Z.
const BEGIN: u64 = 1_767_225_600;

/// Name in scripts, User-Agent header, address. 192.0.2.1 is in all lists.
const VISITORS: &[(&str, &str, &str)] = &[
    (
        "browser",
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "203.0.113.1",
    ),
    ("curl", "curl/8.5.0", "203.0.113.2"),
    ("curl1", "curl/8.5.0", "192.0.2.1"),
    ("gptbot", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "192.0.2.1"),
    ("gptbot?", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", ""),
    ("impostor", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "203.0.113.9"),
    ("gptbot0", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "192.0.2.0"),
    ("cut", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "203.0.113.0"),
    ("cut6", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "2001:db8:1::"),
    ("searchbot", "OAI-SearchBot/1.0; +https://openai.com/searchbot", "192.0.2.1"),
    ("person", "ChatGPT-User/1.0; +https://openai.com/bot", "192.0.2.1"),
    (
        "googlebot",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "192.0.2.1",
    ),
    ("image", "Googlebot-Image/1.0", "192.0.2.1"),
    ("otherimage", "GoogleOther-Image/1.0", "192.0.2.1"),
    ("amazonbot", "Mozilla/5.0 (compatible; Amazonbot/0.1)", "192.0.2.1"),
    ("yandex", "Mozilla/5.0 (compatible; YandexBot/3.0)", "203.0.113.3"),
    ("bytespider", "Mozilla/5.0 (compatible; Bytespider)", "203.0.113.4"),
    ("mybot", "MyBot/2.0 (+https://bot.example/)", "203.0.113.5"),
    ("baidu", "Mozilla/5.0 (compatible; Baiduspider/2.0)", "203.0.113.12"),
    ("two", "Mozilla/5.0 (compatible; Bytespider) GPTBot/1.2", "192.0.2.1"),
    ("both", "Mozilla/5.0 (compatible; GPTBot/1.2) Googlebot/2.1", "192.0.2.1"),
    ("pretender", "Mozilla/5.0 (GPTBotter; xGPTBot) GPTBots/1.0", "203.0.113.6"),
    (
        "app",
        "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Mobile/15E148 [Pinterest/iOS]",
        "203.0.113.8",
    ),
    ("phone", "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S911B) Mobile", "203.0.113.10"),
    ("television", "SomeTV/1.0 (Linux) Java/1.8 Browser", "203.0.113.11"),
    ("nobody", "", "203.0.113.7"),
    ("nameless", "", "192.0.2.1"),
];

pub(crate) fn identifier() -> Identifier {
    let mut lists = Lists::default();
    for crawler in Registry::bundled().crawlers() {
        let urls = serde_json::json!(crawler.ip_ranges());
        let copy = format!(r#"{{"urls":{urls},"copied":"2026-01-01","list":["192.0.2.0/24"]}}"#);
        lists.read(&copy).expect("a list");
    }
    Identifier::new(lists)
}

pub(crate) fn time(text: &str) -> Timestamp {
    let mut parts = text.split(':').map(|part| part.parse::<i64>().expect(text));
    let units = [3_600, 60, 1].into_iter();
    let seconds: i64 = units.map(|unit| unit * parts.next().unwrap_or(0)).sum();
    Timestamp::from_seconds(BEGIN.checked_add_signed(seconds).expect(text))
}

fn robots(paths: &str) -> Option<String> {
    if let Some(lines) = paths.strip_prefix("= ") {
        return Some(lines.replace(" | ", "\n"));
    }
    let rules = paths.replace(' ', "\nDisallow: ");
    (paths != "nothing").then(|| format!("User-agent: *\nDisallow: {rules}\n"))
}

/// Plays a script and compares each verdict.
#[track_caller]
pub(crate) fn play(name: &str, options: Options, script: &str) -> Report {
    let identifier = identifier();
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty());
    let parts = lines.clone().map(|line| line.splitn(3, ' ').collect::<Vec<_>>());
    let mut history = History::new();
    for part in parts.filter(|part| part.get(1) == Some(&"serves")) {
        let text = robots(part[2]).map(|text| text.into_bytes().into());
        history.add(Version { from: time(part[0]), text, name: part[0].to_owned() });
    }
    let origin: Origin = "https://shop.example".parse().expect("an origin");
    let mut audit = Audit::new(vec![(origin, history)], &identifier, options);
    let mut visits = None;
    for line in lines.filter(|line| !line.contains(" serves ")) {
        if line == "gap" {
            audit.gap();
            continue;
        }
        if let Some(from) = line.strip_suffix(" visits") {
            visits = Some(time(from));
            continue;
        }
        let (request, expected) = line.split_once(" = ").expect(line);
        let [at, visitor, status, target] =
            request.splitn(4, ' ').collect::<Vec<_>>().try_into().expect(line);
        let (_, agent, address) =
            VISITORS.iter().find(|(name, ..)| *name == visitor).expect(visitor);
        let (status, bytes) = status.split_once('+').unwrap_or((status, ""));
        let path = target.trim_start_matches('~');
        let (method, status) = match status.strip_prefix("HEAD") {
            Some(status) => ("HEAD", status),
            None => ("", status),
        };
        let time = time(at.trim_end_matches('L'));
        while let Some(at) = visits.filter(|visit| *visit <= time) {
            let visit = Request {
                at: Some(at),
                target: b"/robots.txt".into(),
                status: Some(200),
                ..Request::default()
            };
            audit.add(&visit, |claim| identifier.identify(claim, Timestamp::EPOCH));
            visits = Some(at.after(Duration::from_secs(12 * 60 * 60)));
        }
        let request = Request {
            at: Some(time),
            end: Some(time),
            method: method.as_bytes().into(),
            is_local: at.ends_with('L'),
            peer: address.parse().ok(),
            target: path.as_bytes().into(),
            is_target_unclear: path != target,
            status: status.parse().ok(),
            body_bytes: bytes.parse().ok(),
            user_agent: (!agent.is_empty()).then(|| agent.as_bytes().into()),
            ..Request::default()
        };
        let judged = audit.add(&request, |claim| identifier.identify(claim, Timestamp::EPOCH));
        let flags = judged.flags;
        let mut found = vec![judged.verdict.name().to_owned()];
        for (flag, is_set) in [
            ("unproved", flags.unproved),
            ("too_fast", flags.too_fast),
            ("refused", flags.refused_robots_txt),
            ("backwards", flags.backwards),
        ] {
            if is_set {
                found.push(flag.to_owned());
            }
        }
        found.extend(judged.line.map(|line| format!("@{line}")));
        let other = judged.fetched_by.filter(|it| Some(*it) != judged.crawler);
        found.extend(other.map(|token| format!("by {token}")));
        assert_eq!(found.join(" "), expected, "{name}: {line}");
    }
    audit.finish()
}
