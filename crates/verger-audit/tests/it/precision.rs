//! Requests of which nobody may be accused, beside ones of which somebody is, as
//! [scripts](crate::script).

use verger_audit::Options;
use verger_audit::log::{LogOptions, read_log};

use crate::script::play;

#[test]
fn an_accusation_is_never_a_guess() {
    for (name, script) in [
        (
            "a copy that an outage kept was in force just before a fetch",
            "0 serves /old
             -48 visits
             100 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             48 gptbot 503 /robots.txt = robots_txt
             170 gptbot 200 /robots.txt = robots_txt
             170:00:10 gptbot 200 /new = grace @2",
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
             10 gptbot 200 /cart = unknown",
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
            "requests that may have begun long before their end",
            "0 serves /old
             30 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             32 gptbot 200 /robots.txt = robots_txt
             32:02 gptbot 200 /new = disallowed_known @2
             32:02 gptbot 504 /new = grace @2
             32:02 gptbot 499+0 /new = grace @2
             33:01 gptbot 503 /new = disallowed_known @2
             33:01 gptbot 200 /new = disallowed_known @2",
        ),
        (
            "a library that a group names, at an operator",
            "0 serves = User-agent: curl | Disallow: /x | User-agent: * | Disallow: /cart
             -20 visits
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 /cart = disallowed_known @4
             3 curl1 404 /robots.txt = robots_txt unproved refused
             4 gptbot 200 /cart = disallowed_known unproved @4",
        ),
        (
            "other spellings of robots.txt and of sitemaps",
            "0 serves = User-agent: * | Disallow: /k | Disallow: /cart | Sitemap: https://shop.example/käse.xml
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 /k%C3%A4se.xml = unknown
             2 gptbot 200 /k%c3%a4se.xml = unknown
             2 gptbot 200 /k = disallowed_known @2
             3 gptbot 200 /robots%2etxt = robots_txt
             3 gptbot 200 /cart = unknown",
        ),
        (
            "lines are missing",
            "0 serves /old /both
             30 serves /new /both
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
            "robots.txt with a query, or in another spelling, may bring a text that nobody knows",
            "-60 serves /old
             20 serves /new
             -48 visits
             1 gptbot 200 /robots.txt = robots_txt
             2 googlebot 200 //robots.txt = robots_txt
             2 bytespider 304 /robots.txt?x = robots_txt unproved
             3 googlebot 200 /old = unknown
             3 googlebot 200 / = allowed
             3 bytespider 200 /old = unknown unproved
             21 gptbot 404 /robots.txt?utm_source=x = robots_txt
             21 gptbot HEAD200 //robots.txt = robots_txt
             22 gptbot 200 /new = grace @2
             23 gptbot 200 /robots.txt?utm_source=x = robots_txt
             24 gptbot 200 /old = unknown
             24 gptbot 200 /new = unknown
             24 gptbot 200 / = allowed
             26:00:59 googlebot 200 /new = unknown
             26:01 googlebot 200 /new = disallowed_unread @2",
        ),
        (
            "the dialect of Google",
            "0 serves = User-agent: * | Disallow: /d/ | Allow: /d/index.html | Disallow: /%7Efred
             1 googlebot 200 /robots.txt = robots_txt
             1 gptbot 200 /robots.txt = robots_txt
             2 googlebot 200 /d/ = unknown
             2 googlebot 200 /~fred = unknown
             2 googlebot 200 /d/x = disallowed_known @2
             2 gptbot 200 /d/ = disallowed_known @2",
        ),
        (
            "the dialect of Baidu",
            "0 serves = User-agent: * | Allow: /a | Disallow: /a/b | Disallow: /c
             1 baidu 200 /robots.txt = robots_txt unproved
             2 baidu 200 /a/b = unknown unproved
             2 baidu 200 /c = disallowed_known unproved @4",
        ),
        (
            "pages that Googlebot fetches for another crawler",
            "0 serves = User-agent: Googlebot | Disallow: / | User-agent: Googlebot-News | Allow: /news | Disallow: /
             1 googlebot 200 /robots.txt = robots_txt
             2 googlebot 200 /news/1 = unknown
             2 googlebot 200 /cart = disallowed_known @2",
        ),
        (
            "304 to a copy that nobody knows",
            "0 serves /old
             20 serves /new
             -48 visits
             29 gptbot 304 /robots.txt = robots_txt
             30 gptbot 200 /new = unknown
             30 gptbot 200 / = allowed",
        ),
        (
            "304 to the only file that there ever was",
            "-720 serves /cart
             0 gptbot 304 /robots.txt = robots_txt
             1 gptbot 200 /cart = disallowed_known @2
             2 gptbot 429 /robots.txt = robots_txt
             3 gptbot 200 /cart = unknown
             4 gptbot 304 /robots.txt = robots_txt
             5 gptbot 200 /cart = disallowed_known @2",
        ),
        (
            "304 to a copy that may be older than the history",
            "-719 serves /cart
             0 gptbot 304 /robots.txt = robots_txt
             1 gptbot 200 /cart = unknown",
        ),
        (
            "a response that was cut, or is a page for one client",
            "0 serves = User-agent: * | Disallow: /cart | Disallow: /xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
             1 curl 200+100 /robots.txt = not_a_crawler
             2 gptbot 200+50 /robots.txt = robots_txt
             3 gptbot 200 /cart = unknown
             4 searchbot 200+50 /robots.txt = robots_txt
             5 searchbot 200 /cart = disallowed_known @2
             6 gptbot 200+50 /robots.txt = robots_txt
             7 gptbot 200 /cart = disallowed_known @2
             8 gptbot 200+51 /robots.txt = robots_txt
             9 gptbot 200+51 /robots.txt = robots_txt
             10 gptbot 200 /cart = unknown",
        ),
        (
            "a short body, if nobody got the whole file",
            "0 serves = User-agent: * | Disallow: /cart | Disallow: /xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
             1 gptbot 200+50 /robots.txt = robots_txt
             2 gptbot 200 /cart = unknown",
        ),
        (
            "a day without a line: others may be missing",
            "0 serves /cart
             -30 browser 200 /robots.txt = not_a_crawler
             -7 browser 200 / = not_a_crawler
             10 googlebot 200 /cart = disallowed_unread @2
             34 gptbot 200 /cart = unknown
             35 browser 200 /robots.txt = not_a_crawler
             58:00:59 gptbot 200 /cart = unknown
             58:01 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "what everybody is asked to request",
            "0 serves = Sitemap: https://shop.example/sitemap.xml | User-agent: * | Disallow: /
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 /.well-known/tdmrep.json = unknown
             2 gptbot 200 /sitemap.xml = unknown
             2 gptbot 200 https://shop.example/sitemap.xml = unknown
             2 gptbot 200 /sitemap.xml?x = disallowed_known @3
             4 serves = Sitemap: /s.xml | Sitemap: https://cdn.example/a | User-agent: * | Disallow: /
             5 gptbot 200 /robots.txt = robots_txt
             6 gptbot 200 /s.xml = unknown
             6 gptbot 200 /a = disallowed_known @4",
        ),
        (
            "a crawler that keeps its copy although there is no file",
            "0 serves /cart
             40 serves nothing
             33 amazonbot 200 /robots.txt = robots_txt
             35 amazonbot 200 /cart = disallowed_known @2
             60 amazonbot 404 /robots.txt = robots_txt
             61 amazonbot 200 /cart = unknown",
        ),
        (
            "a slow fetch, whose line has the time of its beginning",
            "0 serves /old
             20 serves /new /old
             1 gptbot 200 /robots.txt = robots_txt
             21:05 browser 200 / = not_a_crawler
             21 gptbot 200 /robots.txt = robots_txt
             21:04 gptbot 200 /old = unknown backwards
             21:04 gptbot 200 /new = grace backwards @2
             21:05:30 gptbot 200 /new = grace @2
             21:06 gptbot 200 /new = disallowed_known @2",
        ),
        (
            "a long response, whose line may have the time of its end",
            "0 serves /old
             20 serves /new
             -48 visits
             1 gptbot 200 /robots.txt = robots_txt
             21 gptbot 200 /robots.txt = robots_txt
             21:02 gptbot 200+4294967296 /new = grace @2
             21:02 gptbot 200+490000 /new = grace @2
             21:02 gptbot 200+400000 /new = disallowed_known @2
             45:05 gptbot 200+4200000 /new = unknown
             45:05 gptbot 200 /new = disallowed_unread @2",
        ),
        (
            "HEAD may make a copy fresh again",
            "-30 serves /old /both
             35 serves /new /both
             -48 visits
             10 gptbot 200 /robots.txt = robots_txt
             29 gptbot HEAD200 /robots.txt = robots_txt
             30 gptbot HEAD304 /robots.txt = robots_txt
             36 gptbot 200 /new = unknown
             36 gptbot 200 /both = unknown
             54:00:59 gptbot 200 /new = unknown
             54:01 gptbot 200 /new = disallowed_unread @2
             55 bytespider HEAD200 /robots.txt = robots_txt unproved
             56 bytespider 200 /new = disallowed_unread unproved @2",
        ),
        (
            "URLs of no web server",
            "0 serves /
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 ftp://other.example/cart = unknown
             2 gptbot 200 wss+x://other.example/cart = unknown
             2 gptbot 200 http://shop.example/cart = disallowed_known @2",
        ),
    ] {
        play(name, Options::default(), script);
    }
}

#[test]
fn nobody_is_accused_of_a_rule_that_strict_parsers_do_not_read() {
    for text in [
        "User-agent: * | Disalow: /about",
        "User-agent * | Disallow /about",
        "Useragent: * | Disallow: /about",
        "User-agent: GPTBot, CCBot | Disallow: /about",
        "User-agent: GPTBot/9.9 | Disallow: /about",
    ] {
        let script = format!(
            "0 serves = {text}
             1 gptbot 200 /robots.txt = robots_txt
             2 gptbot 200 /about = unknown"
        );
        play(text, Options::default(), &script);
    }
}

#[test]
fn an_empty_host_in_a_log_with_hosts_is_unknown() {
    let hosts = ["", "shop.example", "", "-", "shop.example:99999"];
    let lines = hosts.map(|host| format!("{{\"host\":\"{host}\",\"uri\":\"/a\"}}\n"));
    let mut found = Vec::new();
    let each = |request: verger_audit::log::Request<'_>| {
        found.push(request.host.map(|host| String::from_utf8_lossy(&host).into_owned()));
    };
    read_log(lines.concat().as_bytes(), &LogOptions::default(), each).expect("a log");
    let found: Vec<_> = found.iter().map(Option::as_deref).collect();
    let shop = Some("shop.example");
    let expected = [None, shop, Some(""), Some(""), Some("shop.example:99999")];
    assert_eq!(found, expected);
}
