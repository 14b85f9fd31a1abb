//! Verdicts and flags, as [scripts](crate::script).

use std::time::Duration;

use verger_audit::{CrawlerReport, Options, Report, Verdict};

use crate::script::{play, time};

#[test]
fn every_verdict_and_flag() {
    for (name, script) in [
        (
            "read and then ignored",
            "0 serves /cart
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 / = allowed
             2 gptbot 200 /cart/1 = disallowed_known @2
             24:59:59 gptbot 200 /cart = disallowed_known @2
             25 gptbot 200 /cart = unknown
             25:00:59 gptbot 200 /cart = unknown
             25:01 gptbot 200 /cart = disallowed_unread @2
             25:01 gptbot 200 / = allowed",
        ),
        (
            "who it was",
            "0 serves = User-agent: mybot | Disallow: /m | User-agent: * | Disallow: /cart
             -48 browser 200 /robots.txt = not_a_crawler
             1 browser 200 /cart = not_a_crawler
             1 curl 200 /cart = not_a_crawler
             1 pretender 200 /cart = not_a_crawler
             1 nobody 200 /cart = not_a_crawler
             1 impostor 200 /cart = impostor unproved
             1 impostor 200 /robots.txt = impostor unproved
             1 person 200 /robots.txt = robots_txt
             1 person 200 /cart = user_triggered
             1 bytespider 200 /cart = disallowed_unread unproved @4
             2 gptbot? 200 /cart = disallowed_unread unproved @4
             2 two 200 /cart = disallowed_unread unproved doubted @4
             2 both 200 /cart = disallowed_unread unproved @4
             2 mybot 200 /m = disallowed_unread unproved @2
             2 mybot 200 /cart = allowed unproved
             2 mybot 200 //Robots.txt = robots_txt unproved",
        ),
        (
            "a library that a group names",
            "0 serves = User-agent: curl | Disallow: /
             -48 browser 200 /robots.txt = not_a_crawler
             1 curl 200 /a = disallowed_unread unproved @2
             1 browser 200 /a = not_a_crawler",
        ),
        (
            "today's rule and yesterday's visit",
            "0 serves /old
             48 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 /new = allowed
             30 gptbot 200 /robots.txt = robots_txt
             47 gptbot 200 /new = allowed
             49 gptbot 200 /new = grace @2
             49 gptbot 200 /old = disallowed_known @2
             53:59:59 gptbot 200 /new = grace @2
             54:01 gptbot 200 /new = disallowed_unread @2
             54:01 gptbot 200 /old = allowed
             55 gptbot 200 /robots.txt = robots_txt
             56 gptbot 200 /new = disallowed_known @2",
        ),
        (
            "the log begins in the middle",
            "-100 serves /old
             -10 serves /new
             0 gptbot 200 /new = unknown
             1 gptbot 200 /old = unknown
             1 gptbot 200 /other = allowed
             2 browser 200 /robots.txt = not_a_crawler
             24:00:59 gptbot 200 /new = unknown
             24:01 gptbot 200 /new = disallowed_unread @2
             24:01 gptbot 200 /old = allowed",
        ),
        (
            "the history begins in the middle",
            "10 serves /cart
             0 gptbot 200 /robots.txt = robots_txt
             1 gptbot 200 / = unknown
             11 gptbot 200 / = unknown
             30 gptbot 200 /cart = disallowed_unread @2
             31 gptbot 200 /robots.txt = robots_txt
             32 gptbot 200 /cart = disallowed_known @2",
        ),
        (
            "blocked from reading by 403, and visiting on",
            "0 serves /cart
             1 gptbot 403 /robots.txt = robots_txt refused
             2 gptbot 200 /cart = allowed refused
             24:59:59 gptbot 200 /cart = allowed refused
             25:01 gptbot 200 /cart = disallowed_unread refused @2
             26 gptbot 200 /robots.txt = robots_txt
             26 gptbot 200 /cart = disallowed_known @2",
        ),
        (
            "there was no file",
            "0 serves nothing
             30 serves /cart
             1 gptbot 404 /robots.txt = robots_txt
             2 gptbot 200 /cart = allowed
             29 gptbot 404 /robots.txt = robots_txt
             31 gptbot 200 /cart = allowed
             54 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "our server failed",
            "0 serves /cart
             -48 browser 200 /robots.txt = not_a_crawler
             1 gptbot 503 /robots.txt = robots_txt
             2 gptbot 200 /cart = could_not_read
             2 gptbot 200 / = could_not_read
             3 gptbot 202 /robots.txt = robots_txt
             4 gptbot 200 /cart = could_not_read
             5 gptbot 429 /robots.txt = robots_txt
             6 gptbot 200 /cart = could_not_read
             7 gptbot 499 /robots.txt = robots_txt
             40 gptbot 200 /cart = could_not_read
             41 gptbot 200 /robots.txt = robots_txt
             42 gptbot 200 /cart = disallowed_known @2
             66 gptbot 500 /robots.txt = robots_txt
             67 gptbot 200 /cart = disallowed_known @2
             67 gptbot 200 / = allowed",
        ),
        (
            "a copy in an outage, and a rule that is younger",
            "0 serves /old
             20 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             26 gptbot 503 /robots.txt = robots_txt
             27 gptbot 200 /new = grace @2
             27 gptbot 200 /old = disallowed_known @2
             49:59:59 gptbot 200 /new = grace @2
             50 gptbot 200 /new = unknown
             50 gptbot 200 /old = unknown
             745 gptbot 200 /old = unknown
             746 gptbot 200 /old = allowed",
        ),
        (
            "a failure while the file is fresh",
            "0 serves /old
             20 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             23 gptbot 503 /robots.txt = robots_txt
             24 gptbot 200 /new = grace @2
             25 gptbot 200 /new = grace @2
             46:59:59 gptbot 200 /new = grace @2
             47:01 gptbot 200 /new = disallowed_unread @2",
        ),
        (
            "somebody else's failure while the file is fresh",
            "0 serves /old
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot? 503 /robots.txt = robots_txt unproved
             24 gptbot 200 /old = disallowed_known @2
             25 gptbot 200 /old = disallowed_known unproved @2",
        ),
        (
            "304",
            "0 serves /old
             20 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             10 gptbot 304 /robots.txt = robots_txt
             26 gptbot 200 /old = disallowed_known @2
             26 gptbot 200 /new = grace @2
             27 gptbot 304 /robots.txt = robots_txt
             28 gptbot 200 /old = unknown
             28 gptbot 200 /new = unknown
             28 gptbot 200 / = allowed
             29 googlebot 304 /robots.txt = robots_txt
             30 googlebot 200 /new = disallowed_known @2",
        ),
        (
            "a part of robots.txt",
            "0 serves /cart
             1 gptbot 206 /robots.txt = robots_txt
             2 gptbot 200 /cart = unknown",
        ),
        (
            "a redirect of robots.txt",
            "0 serves /cart
             -48 browser 200 /robots.txt = not_a_crawler
             30 gptbot 301 /robots.txt = robots_txt
             31 gptbot 200 /cart = unknown
             31 gptbot 200 / = allowed
             54:01 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "crawlers of one operator share what they read",
            "0 serves /cart
             -48 browser 200 /robots.txt = not_a_crawler
             1 googlebot 200 /robots.txt = robots_txt
             2 image 200 /cart = disallowed_known @2 by Googlebot
             2 gptbot 200 /cart = disallowed_unread @2
             3 gptbot? 200 /robots.txt = robots_txt unproved
             4 searchbot 200 /cart = disallowed_known unproved @2 by GPTBot
             5 person 200 /robots.txt = robots_txt
             6 searchbot 200 /cart = disallowed_known unproved @2 by GPTBot",
        ),
        (
            "profiles of operators",
            "0 serves /cart
             -48 browser 200 /robots.txt = not_a_crawler
             1 yandex 503 /robots.txt = robots_txt unproved
             2 yandex 200 /cart = allowed unproved
             24:59:59 yandex 200 /cart = allowed unproved
             25:01 yandex 200 /cart = disallowed_unread unproved @2
             31 amazonbot 404 /robots.txt = robots_txt refused
             32 amazonbot 200 /cart = allowed refused
             33 amazonbot 200 /robots.txt = robots_txt
             60 amazonbot 403 /robots.txt = robots_txt refused
             61 amazonbot 200 /cart = disallowed_known refused @2
             71 googlebot 200 /robots.txt = robots_txt
             96 googlebot 503 /robots.txt = robots_txt
             96 googlebot 200 /cart = disallowed_known @2
             96 googlebot 200 / = allowed",
        ),
        (
            "too fast",
            "0 serves = User-agent: * | Crawl-delay: 10 | Max-Crawl-Rate: 60/m | Disallow:
             1 gptbot 200 /robots.txt = robots_txt
             1:00:01 gptbot 200 / = allowed
             1:00:01 gptbot 200 / = allowed
             1:00:01 gptbot 200 / = allowed
             1:00:01 gptbot 200 / = allowed
             1:00:01 gptbot 200 /robots.txt = robots_txt
             1:00:01 gptbot 200 / = allowed
             1:00:01 gptbot 200 / = allowed
             1:00:01 gptbot 200 / = allowed
             1:00:01 gptbot 200 / = allowed
             1:00:01 gptbot 200 / = allowed
             1:00:10 gptbot 200 / = allowed too_fast
             1:01:30 gptbot 200 / = allowed too_fast
             1:01:31 gptbot 200 / = allowed",
        ),
        (
            "a clock that goes back",
            "0 serves /old
             10 serves /new
             -48 browser 200 /robots.txt = not_a_crawler
             1 gptbot 200 /robots.txt = robots_txt
             12 gptbot 200 /robots.txt = robots_txt
             5 gptbot 200 /old = unknown backwards
             11 gptbot 200 /new = grace backwards @2
             0:30 gptbot 200 /old = unknown backwards
             13 gptbot 200 /new = disallowed_known @2
             12:59 gptbot 200 /new = disallowed_known @2
             12:58:59 gptbot 200 /new = unknown
             11 gptbot 200 /robots.txt = robots_txt
             11:30 gptbot 200 /new = unknown backwards
             13 gptbot 200 /new = disallowed_known @2",
        ),
        (
            "requests that it had planned before it read the rule",
            "0 serves /old /both
             29 serves /new /both
             1 gptbot 200 /robots.txt = robots_txt
             24 gptbot 200 /robots.txt = robots_txt
             24 gptbot 200 /old = disallowed_known @2
             30 gptbot 200 /robots.txt = robots_txt
             30 gptbot 200 /new = grace @2
             30:00:59 gptbot 200 /new = grace @2
             30:00:59 gptbot 200 /both = disallowed_known @3
             30:01:00 gptbot 200 /new = disallowed_known @2
             40 googlebot 200 /robots.txt = robots_txt
             40 googlebot 200 /new = grace @2
             40 googlebot 200 /both = disallowed_known @3
             40 yandex 404 /robots.txt = robots_txt unproved refused
             41 yandex 200 /robots.txt = robots_txt unproved
             41 yandex 200 /both = grace unproved @3",
        ),
        (
            "what others of its operator read does not accuse it",
            "0 serves /old
             30 serves /new /old
             10 searchbot 200 /robots.txt = robots_txt
             29 gptbot 200 /robots.txt = robots_txt
             31 searchbot 200 /robots.txt = robots_txt
             32 gptbot 200 /new = grace @2
             32 gptbot 200 /old = disallowed_known @2
             32 searchbot 200 /new = disallowed_known @2
             53 gptbot 200 /new = unknown
             53:01 gptbot 200 /new = disallowed_known @2 by OAI-SearchBot
             54 gptbot 403 /robots.txt = robots_txt refused
             55 searchbot 200 /robots.txt = robots_txt
             56 gptbot 200 /old = allowed refused",
        ),
        (
            "lines are missing",
            "0 serves /old /both
             30 serves /new /both
             -48 browser 200 /robots.txt = not_a_crawler
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 /old = disallowed_known @2
             gap
             20 gptbot 200 /old = unknown
             20 googlebot 200 /old = unknown
             20 browser 200 /robots.txt = not_a_crawler
             31 googlebot 200 /new = unknown
             44:00:59 googlebot 200 /both = unknown
             44:01 googlebot 200 /new = disallowed_unread @2
             45 gptbot 200 /robots.txt = robots_txt
             46 gptbot 200 /new = disallowed_known @2",
        ),
        (
            "a line of a wrong time",
            "-9000 serves /cart
             -9000 browser 200 /robots.txt = not_a_crawler
             1 gptbot 200 /cart = unknown
             25:00:59 gptbot 200 /cart = unknown
             -9000 browser 200 /robots.txt = not_a_crawler
             26 gptbot 200 /cart = unknown
             27 browser 200 /robots.txt = not_a_crawler
             50:01 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "it may have read the file from an address that its list lacks",
            "0 serves /cart
             -48 browser 200 /robots.txt = not_a_crawler
             1 impostor 200 /robots.txt = impostor unproved
             2 gptbot 200 /cart = disallowed_unread unproved doubted @2
             3 gptbot 200 /robots.txt = robots_txt
             4 gptbot 200 /cart = disallowed_known @2
             5 impostor 200 /robots.txt = impostor unproved
             6 gptbot 200 /cart = disallowed_known unproved doubted @2
             6 gptbot 200 / = allowed
             28 gptbot 200 /cart = disallowed_unread unproved doubted @2
             29:00:59 gptbot 200 /cart = disallowed_unread unproved doubted @2
             29:01 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "times without a zone",
            "0 serves /old /both
             100 serves /new /both
             40L browser 200 /robots.txt = not_a_crawler
             85L gptbot 200 /robots.txt = robots_txt
             85L gptbot 200 /old = disallowed_known @2
             87L googlebot 200 /robots.txt = robots_txt
             87L googlebot 200 /old = unknown
             110L searchbot 200 /old = unknown
             110L searchbot 200 /both = unknown
             113L gptbot 200 /both = unknown
             115L gptbot 200 /robots.txt = robots_txt
             116L gptbot 200 /new = disallowed_known @2
             114L gptbot 200 /both = unknown backwards
             140L gptbot 200 /new = unknown
             154L gptbot 200 /new = disallowed_unread @2",
        ),
        (
            "a body that was not the file",
            "-30 serves /cart
             1 gptbot 200+0 /robots.txt = robots_txt
             2 gptbot 200 /cart = unknown
             2 gptbot 200 / = allowed
             3 gptbot 200+31 /robots.txt = robots_txt
             4 gptbot 200 /cart = disallowed_known @2
             5 gptbot 200+94 /robots.txt = robots_txt
             6 gptbot 200 /cart = disallowed_known @2
             7 gptbot 200+95 /robots.txt = robots_txt
             8 gptbot 200 /cart = unknown
             9 gptbot 304+0 /robots.txt = robots_txt
             10 gptbot 200 /cart = disallowed_known @2",
        ),
        (
            "a log without queries",
            "0 serves /cart
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 ~/cart = unknown
             2 gptbot 200 ~/ = allowed
             2 gptbot 200 /cart = disallowed_known @2
             26 gptbot 200 ~/cart = unknown
             26 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "rules that may be meant for another crawler",
            "0 serves = User-agent: * | Crawl-delay: 9 | User-agent: 008 | Disallow: /
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 /cart = unknown",
        ),
        (
            "a fetch without a name from an address of the operator",
            "0 serves /cart
             -48 browser 200 /robots.txt = not_a_crawler
             1 nobody 200 /robots.txt = not_a_crawler
             2 gptbot 200 /cart = disallowed_unread @2
             3 nameless 200 /robots.txt = not_a_crawler
             4 gptbot 200 /cart = disallowed_unread unproved doubted @2
             27:01 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "a fetch while the file changes",
            "0 serves /old
             10 serves /new
             -48 browser 200 /robots.txt = not_a_crawler
             9:58:59 googlebot 200 /robots.txt = robots_txt
             9:59:01 gptbot 200 /robots.txt = robots_txt
             9:59:59 googlebot 200 /old = disallowed_known @2
             12 gptbot 200 /old = unknown
             13 gptbot 200 /robots.txt = robots_txt
             14 gptbot 200 /new = disallowed_known @2",
        ),
        (
            "statuses that some crawlers read as permission",
            "0 serves /cart
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 429 /robots.txt = robots_txt
             3 gptbot 200 /cart = unknown
             4 gptbot 200 /robots.txt = robots_txt
             5 gptbot 202 /robots.txt = robots_txt
             6 gptbot 200 /cart = unknown
             7 gptbot 304 /robots.txt = robots_txt
             8 gptbot 503 /robots.txt = robots_txt
             9 gptbot 200 /cart = disallowed_known @2",
        ),
        (
            "an own outage while others of the operator read the file",
            "0 serves /old
             5 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             10 searchbot 200 /robots.txt = robots_txt
             25 gptbot 503 /robots.txt = robots_txt
             48 gptbot 200 /new = grace @2
             48 searchbot 200 /new = disallowed_known @2",
        ),
        (
            "requests for robots.txt are not logged",
            "0 serves /cart
             -48 browser 200 / = not_a_crawler
             30 gptbot 200 /cart = unknown
             30 gptbot 200 / = allowed
             31 browser 200 /robots.txt = not_a_crawler
             32 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "an own copy from before the log",
            "-30 serves /old
             -5 serves /new
             1 searchbot 200 /robots.txt = robots_txt
             2 searchbot 200 /new = disallowed_known @2
             2 gptbot 200 /new = unknown
             2 gptbot 200 / = allowed",
        ),
        (
            "targets as they are sent",
            "0 serves /cart /%C3%A9
             1 gptbot 200 /robots.txt?x = robots_txt
             2 gptbot 200 https://shop.example/cart = disallowed_known @2
             2 gptbot 200 https://shop.example/robots.txt = robots_txt
             2 gptbot 200 /é = disallowed_known @3
             2 gptbot 200 /%63art = disallowed_known @2
             2 gptbot 200 * = unknown
             2 gptbot 200 shop.example:443 = unknown",
        ),
    ] {
        play(name, Options::default(), script);
    }
}

#[test]
fn a_cache_in_front_makes_accusations_rare_but_right() {
    let options = || Options { robots_at_edge: true, ..Options::default() };
    let report = play(
        "at the edge",
        options(),
        "0 serves /old /both
         40 serves /new /both
         -48 browser 200 /robots.txt = not_a_crawler
         1 gptbot 200 /both = unknown
         30 gptbot 200 /both = unknown
         30 gptbot 200 /new = allowed
         30 gptbot 200 /robots.txt = robots_txt
         31 gptbot 200 /old = disallowed_known @2
         41 gptbot 200 /old = unknown
         41 gptbot 200 /new = unknown
         41 gptbot 200 /both = disallowed_known @3
         45 googlebot 200 /robots.txt = robots_txt
         46 googlebot 200 /new = unknown
         46 googlebot 200 /both = disallowed_known @3
         54:01 gptbot 200 /both = unknown
         54:01 gptbot 200 / = allowed
         201 amazonbot 503 /robots.txt = robots_txt
         201 amazonbot 200 /both = unknown",
    );
    assert_eq!(report.verdicts.get(Verdict::DisallowedUnread), 0);
}

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
    assert_eq!((proved.preferences, proved.addresses, proved.fetches_total), (4, 1, 1));
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
fn the_report_says_who_fetched_and_why_a_proof_is_in_doubt() {
    let script = "0 serves /cart
         -48 browser 200 /robots.txt = not_a_crawler
         1 googlebot 200 /robots.txt = robots_txt
         2 image 200 /cart = disallowed_known @2 by Googlebot
         2 googlebot 200 /cart = disallowed_known @2
         3 impostor 200 /robots.txt = impostor unproved
         4 impostor 200 /robots.txt = impostor unproved
         5 gptbot 200 /robots.txt = robots_txt
         6 gptbot 200 /cart = disallowed_known @2
         7 impostor 200 /robots.txt = impostor unproved
         8 gptbot 200 /cart = disallowed_known unproved doubted @2
         8 gptbot? 200 /cart = disallowed_known unproved @2";
    let report = play("reasons", Options::default(), script);
    let facts = |it: &CrawlerReport| {
        let others = it.fetched_by_others.iter().map(|(by, count)| format!("{by} {count}"));
        let others: String = others.collect();
        (format!("{} {}", it.token, it.is_proved), others, it.doubted, it.doubtful_fetch)
    };
    let mut found: Vec<_> = report.crawlers.iter().map(facts).collect();
    found.sort();
    let plain = |name: &str| (name.to_owned(), String::new(), 0, None);
    let doubted = ("GPTBot false".to_owned(), String::new(), 1, Some(time("7")));
    let image = ("Googlebot-Image true".to_owned(), "Googlebot 1".to_owned(), 0, None);
    assert_eq!(found, [doubted, plain("GPTBot true"), plain("Googlebot true"), image]);
    let json = serde_json::to_value(&report).expect("JSON");
    let keys = json["crawlers"].as_array().into_iter().flatten();
    let keys =
        keys.filter(|row| row.get("doubted").is_some() || row.get("fetched_by_others").is_some());
    assert_eq!(keys.count(), 2);
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
        "-48 browser 200 /robots.txt = not_a_crawler".to_owned(),
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
