//! Reports, and options of an audit, as [scripts](crate::script).

use std::time::Duration;

use verger_audit::{CrawlerReport, Options, Report, Verdict};

use crate::script::play;

#[test]
fn a_lifetime_replaces_that_of_the_profile() {
    for (hours, expected) in [(1, "disallowed_unread"), (48, "disallowed_known")] {
        let lifetime = Some(Duration::from_secs(hours * 3_600));
        let script = format!(
            "0 serves /cart
             1 gptbot 200 /robots.txt = robots_txt
             3 gptbot 200 /cart = {expected} @2"
        );
        play(expected, Options { lifetime, ..Options::default() }, &script);
    }
}

#[test]
fn the_report_has_a_row_for_proved_and_for_unproved_requests() {
    let script = "0 serves = User-agent: * | Content-Signal: ai-train=no | Disallow: /cart
         1 gptbot 200 /robots.txt = robots_txt
         2 gptbot 200 /cart/a?x = disallowed_known @3
         2 gptbot 200 /cart/a?y = disallowed_known @3
         2 gptbot 200 /cart/b = disallowed_known @3
         2 gptbot 200 / = allowed
         2 gptbot? 200 /cart = disallowed_known unproved @3
         2 bytespider 200 /cart = unknown unproved
         2 impostor 200 /cart = impostor unproved";
    let report = play("rows", Options::default(), script);
    let [proved, unproved, other] = &report.crawlers[..] else { panic!("{report:#?}") };
    assert_eq!((&*proved.token, proved.is_proved, proved.is_accepted), ("GPTBot", true, true));
    assert_eq!(proved.operator.as_deref(), Some("OpenAI"));
    assert_eq!((proved.preferences, proved.fetches.len()), (1, 1));
    let top = &proved.top[0];
    assert_eq!((&*top.path, top.requests, top.line), ("/cart/a", 2, Some(3)));
    assert_eq!(top.rule.as_deref(), Some("Disallow: /cart"));
    assert_eq!(
        (&*unproved.token, unproved.is_proved, unproved.is_accepted),
        ("GPTBot", false, false)
    );
    assert_eq!(unproved.verdicts.get(Verdict::Impostor), 1);
    assert_eq!((&*other.token, other.preferences), ("Bytespider", 0));
    let disobeyed = |row: &CrawlerReport| row.verdicts.get(Verdict::DisallowedKnown);
    assert_eq!(report.crawlers.iter().map(disobeyed).collect::<Vec<_>>(), [3, 1, 0]);
    assert_eq!((report.requests, report.verdicts.total()), (8, 8));
    let json = serde_json::to_value(&report).expect("JSON");
    assert_eq!(json["from"], "2026-01-01T01:00:00Z");
    assert_eq!(json["verdicts"]["disallowed_known"], 4);
    assert_eq!(json["history"][0]["origin"], "https://shop.example");
    assert_eq!(json["history"][0]["versions"][0]["sha256"].as_str().map(str::len), Some(64));

    let accept_unproved = vec!["gptbot".to_owned()];
    let report = play("accepted", Options { accept_unproved, ..Options::default() }, script);
    let accepted = report.crawlers.iter().filter(|row| row.is_accepted);
    assert_eq!(accepted.map(disobeyed).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn reports_are_the_same_each_time_and_have_the_paths_of_the_asked_verdicts() {
    let known = |line| format!("gptbot 200 /cart/NUMBER = disallowed_known @{line}");
    let (unproved, grace) = (
        "gptbot? 200 /cart/NUMBER = disallowed_known unproved @3",
        "gptbot 200 /new/NUMBER = grace @2",
    );
    let mut lines = vec![
        "0 serves /cart".to_owned(),
        "100 serves /new /cart".to_owned(),
        "-48 visits".to_owned(),
        "99 gptbot 200 /robots.txt = robots_txt".to_owned(),
    ];
    // More paths than a report has of a row; those of `grace` are less frequent.
    let numbered = |line: &str| {
        (0..30).map(move |at| line.replace("NUMBER", &at.to_string())).collect::<Vec<_>>()
    };
    lines.extend(
        [known(2), known(2), grace.to_owned()].iter().flat_map(|it| numbered(&format!("101 {it}"))),
    );
    // The same paths by another version.
    lines.push("101:30 gptbot 200 /robots.txt = robots_txt".to_owned());
    lines.extend(
        [known(3), known(3), unproved.to_owned()]
            .iter()
            .flat_map(|it| numbered(&format!("102 {it}"))),
    );
    let script = lines.join("\n");
    let report = |top_verdicts: &[Verdict]| {
        let (top_verdicts, accept_unproved) = (top_verdicts.to_vec(), vec!["GPTBot".to_owned()]);
        let options = Options { top_verdicts, accept_unproved, ..Options::default() };
        play("paths", options, &script)
    };
    let text = |report: &Report| serde_json::to_string(report).expect("JSON");
    let first = report(&[]);
    for _ in 0..8 {
        assert_eq!(text(&report(&[])), text(&first));
    }
    let graces = |report: &Report| {
        let top = report.crawlers[0].top.iter();
        top.filter(|path| path.verdict == Verdict::Grace).count()
    };
    let asked = report(&[Verdict::Grace]);
    assert_eq!((graces(&first), graces(&asked), asked.crawlers[0].top.len()), (0, 20, 20));
}
