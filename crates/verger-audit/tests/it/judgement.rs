//! Verdicts and flags, as [scripts](crate::script).

use verger_audit::{Options, Verdict};

use crate::script::play;

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
            "0 serves = User-agent: mybot | Disallow: /m | User-agent: * | Disallow: /cart | User-agent: samsung | User-agent: java | Disallow: /
             -48 visits
             1 browser 200 /cart = not_a_crawler
             1 curl 200 /cart = not_a_crawler
             1 pretender 200 /cart = not_a_crawler
             1 app 200 /cart = not_a_crawler
             1 phone 200 /cart = not_a_crawler
             1 television 200 /cart = not_a_crawler
             1 nobody 200 /cart = not_a_crawler
             1 impostor 200 /cart = impostor unproved
             1 impostor 200 /robots.txt = impostor unproved
             1 person 200 /robots.txt = robots_txt
             1 person 200 /cart = user_triggered
             1 bytespider 200 /cart = disallowed_unread unproved @4
             2 gptbot? 200 /cart = disallowed_unread unproved @4
             2 gptbot0 200 /cart = disallowed_unread unproved @4
             2 cut 200 /cart = disallowed_unread unproved @4
             2 cut6 200 /cart = disallowed_unread unproved @4
             2 two 200 /cart = disallowed_unread unproved @4
             2 both 200 /cart = disallowed_unread unproved @4
             2 mybot 200 /m = disallowed_unread unproved @2
             2 mybot 200 /cart = allowed unproved
             2 mybot 200 //Robots.txt = robots_txt unproved",
        ),
        (
            "a library that a group names",
            "0 serves = User-agent: curl | Disallow: /
             -48 visits
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
             -48 visits
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
             32 browser 200 /robots.txt = not_a_crawler
             54 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "our server failed",
            "0 serves /cart
             -48 visits
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
             13 browser 200 / = not_a_crawler
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
             25 gptbot 200 /old = disallowed_known unproved @2
             26 gptbot 304 /robots.txt = robots_txt
             28 gptbot 200 /old = disallowed_known @2",
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
             30 googlebot 200 /new = unknown",
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
             -48 visits
             30 gptbot 301 /robots.txt = robots_txt
             31 gptbot 200 /cart = unknown
             31 gptbot 200 / = allowed
             54:01 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "crawlers of one operator share what they read",
            "0 serves /cart
             -48 visits
             1 googlebot 200 /robots.txt = robots_txt
             2 image 200 /cart = disallowed_known @2 by Googlebot
             2 gptbot 200 /cart = disallowed_unread @2
             3 gptbot? 200 /robots.txt = robots_txt unproved
             4 searchbot 200 /cart = disallowed_unread @2
             5 person 200 //robots.txt = robots_txt
             5 person 200 /robots.txt = robots_txt
             6 searchbot 200 /cart = disallowed_unread @2",
        ),
        (
            "profiles of operators",
            "0 serves /cart
             -48 visits
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
            "a clock that goes back",
            "0 serves /old
             10 serves /new
             -48 visits
             1 gptbot 200 /robots.txt = robots_txt
             12 gptbot 200 /robots.txt = robots_txt
             5 gptbot 200 /old = unknown backwards
             11 gptbot 200 /new = grace backwards @2
             0:30 gptbot 200 /old = unknown backwards
             13 gptbot 200 /new = disallowed_known @2
             12:59 gptbot 200 /new = disallowed_known @2
             12:58:59 gptbot 200 /new = unknown
             11 gptbot 200 /robots.txt = robots_txt
             11:30 gptbot 200 /new = grace backwards @2
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
             53:01 gptbot 200 /new = disallowed_unread @2
             54 gptbot 403 /robots.txt = robots_txt refused
             55 searchbot 200 /robots.txt = robots_txt
             56 gptbot 200 /old = allowed refused",
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
             -48 visits
             1 impostor 200 /robots.txt = impostor unproved
             2 gptbot 200 /cart = disallowed_unread unproved @2
             3 gptbot 200 /robots.txt = robots_txt
             4 gptbot 200 /cart = disallowed_known @2
             5 impostor 200 /robots.txt = impostor unproved
             6 gptbot 200 /cart = disallowed_known @2
             6:20 impostor 200+3 /robots.txt = impostor unproved
             6:25 gptbot 200 /cart = disallowed_known unproved @2
             6:30 impostor 206 /robots.txt = impostor unproved
             7 gptbot 200 /cart = disallowed_known unproved @2
             7 gptbot 200 / = allowed
             28 gptbot 200 /cart = disallowed_unread unproved @2
             30:30:59 gptbot 200 /cart = disallowed_unread unproved @2
             30:31 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "it may have read another file from such an address",
            "0 serves /old
             10 serves /new
             20 serves /old
             9 gptbot 200 /robots.txt = robots_txt
             9:30 impostor 200 /robots.txt = impostor unproved
             9:50 gptbot 200 /old = disallowed_known @2
             11 gptbot 200 /old = disallowed_known unproved @2
             11 gptbot 200 /new = grace @2
             21 gptbot 200 /old = disallowed_known unproved @2
             22 gptbot 200 /robots.txt = robots_txt
             22:30 impostor 200 /robots.txt = impostor unproved
             23 gptbot 200 /old = disallowed_known @2",
        ),
        (
            "times without a zone",
            "0 serves /old /both
             100 serves /new /both
             40 visits
             85L gptbot 200 /robots.txt = robots_txt
             85L gptbot 200 /old = disallowed_known @2
             87L googlebot 200 /robots.txt = robots_txt
             87L googlebot 200 /old = unknown
             110L searchbot 200 /old = unknown
             110L searchbot 200 /both = unknown
             113L gptbot 200 /both = unknown
             115L gptbot 200 /robots.txt = robots_txt
             116L gptbot 200 /new = grace @2
             116:01L gptbot 200 /new = disallowed_known @2
             114L gptbot 200 /both = unknown backwards
             140L gptbot 200 /new = unknown
             154L gptbot 200 /new = unknown
             155L gptbot 200 /new = disallowed_unread @2",
        ),
        (
            "a log without queries",
            "0 serves /cart
             -48 visits
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
             -48 visits
             1 nobody 200 /robots.txt = not_a_crawler
             2 gptbot 200 /cart = disallowed_unread @2
             3 nameless 200 /robots.txt = not_a_crawler
             4 gptbot 200 /cart = disallowed_unread unproved @2
             27:01 gptbot 200 /cart = disallowed_unread @2",
        ),
        (
            "a fetch while the file changes",
            "0 serves /old
             10 serves /new
             -48 visits
             9:58:59 googlebot 200 /robots.txt = robots_txt
             9:59:01 gptbot 200 /robots.txt = robots_txt
             9:59:59 googlebot 200 /old = disallowed_known @2
             12 gptbot 200 /old = unknown
             13 gptbot 200 /robots.txt = robots_txt
             14 gptbot 200 /new = disallowed_known @2",
        ),
        (
            "an own outage while others of the operator read the file",
            "0 serves /old
             5 serves /new
             1 gptbot 200 /robots.txt = robots_txt
             10 searchbot 200 /robots.txt = robots_txt
             25 gptbot 503 /robots.txt = robots_txt
             48 gptbot 200 /new = grace @2
             48 searchbot 200 /new = disallowed_unread @2",
        ),
        (
            "requests for robots.txt are not logged",
            "0 serves /cart
             -20 browser 200 / = not_a_crawler
             2 browser 301 /robots.txt = not_a_crawler
             24 browser 400 /robots.txt = not_a_crawler
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
             1 gptbot 200 /robots.txt = robots_txt
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
         -48 visits
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
