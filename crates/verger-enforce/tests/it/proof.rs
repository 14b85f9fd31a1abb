//! The intermediate form answers as the engine does.

use std::collections::BTreeSet;

use verger::access::Timestamp;
use verger::{Crawler, Robots};
use verger_enforce::{Answer, Choices, Options, Plan, PlanError, Target, Unproved};
use verger_identity::Lists;
use verger_registry::{Purpose, Registry};
use verger_testkit::corpus::corpus;
use verger_testkit::generate::cases;
use verger_testkit::shared::{Lacking, skip_loudly};

use crate::cases::{USUAL, must_refuse, targets};
use crate::servers::CHOICES;

pub(crate) fn plan(robots: &Robots) -> Result<Plan, PlanError> {
    let options =
        Options { agents: vec!["GPTBot".into(), "Googlebot-Image".into()], ..Options::default() };
    Plan::of(robots, &options, Lists::bundled(), Timestamp::EPOCH)
}

/// Checks the proof and random targets. Returns the number of compared targets.
#[track_caller]
fn check(text: &[u8], rng: &mut fastrand::Rng) -> usize {
    let robots = Robots::parse(text);
    let plan = plan(&robots).expect("a plan");
    let proof = plan.prove(&robots);
    let shown = String::from_utf8_lossy(text);
    assert_eq!(proof.disagreement, None, "{shown}");
    let mut compared = proof.compared;
    // A rule for which no expression is exact is not in the plan: `emit` names it.
    if plan.emit(Target::Nginx, &CHOICES).is_ok_and(|output| !output.missing.is_empty()) {
        return compared;
    }
    for (header, crawler) in [
        ("GPTBot/1.0", Crawler::new("GPTBot")),
        ("Googlebot-Image/1.0", Crawler::chain(["Googlebot-Image", "Googlebot"])),
    ] {
        for target in targets(&robots, &[], 60, rng) {
            let expected = must_refuse(&robots, &crawler, &target, USUAL);
            let found = plan.refuses(header, &target);
            assert_eq!(found, expected, "{header} {} {shown}", target.escape_ascii());
            compared += 1;
        }
    }
    compared
}

#[test]
fn small_files_are_answered_as_by_the_engine() {
    let mut rng = fastrand::Rng::with_seed(38);
    let pieces = [
        "/", "*", "$", "a", "b", "%61", "E", "2", "20", "%20", "%2F", "%2f", "?", "%3F", "//",
        "/../", ".", "%25", "%", "\u{e9}", "%C3%A9", "x=", ":", "%3A", "~",
    ];
    let mut compared = 0;
    for _ in 0..cases(300) {
        let mut text = "User-agent: GPTBot\n".to_owned();
        for _ in 0..rng.usize(1..6) {
            text += if rng.bool() { "Allow: " } else { "Disallow: " };
            text += if rng.u8(0..5) == 0 { "*" } else { "/" };
            for _ in 0..rng.usize(0..5) {
                text += rng.choice(&pieces).expect("pieces");
            }
            text += "\n";
        }
        compared += check(text.as_bytes(), &mut rng);
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn real_files_are_answered_as_by_the_engine() {
    let Some(corpus) = corpus().expect("a readable corpus") else {
        return skip_loudly("real files", Lacking::Data, "the corpus is missing");
    };
    let mut rng = fastrand::Rng::with_seed(39);
    let compared: usize = corpus.values().step_by(80).map(|text| check(text, &mut rng)).sum();
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn a_library_that_the_file_names_is_refused_and_a_name_without_end_is_none() {
    let long = "x".repeat(4_000);
    let text = format!("User-agent: Scrapy\nDisallow: /\n\nUser-agent: {long}\nDisallow: /y\n");
    let plan =
        Plan::of(&Robots::parse(&text), &Options::default(), Lists::bundled(), Timestamp::EPOCH);
    let plan = plan.expect("a plan");
    assert!(plan.refuses("Scrapy/2.11 (+https://scrapy.org)", b"/y"));
    assert!(!plan.refuses("Mozilla/5.0 (X11; Linux x86_64; rv:140.0)", b"/y"));
    assert!(!plan.refuses(&format!("{long}/1.0"), b"/y"));
    assert!(plan.notes()[0].contains("no User-Agent header has such a name: `xxx"), "{plan:?}");
}

#[test]
fn addresses_that_a_list_gives_to_another_service_are_refused() {
    let options = Options {
        agents: vec!["GPTBot".into()],
        verified: Some(Unproved::Refuse),
        ..Options::default()
    };
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /x\n");
    // Servers need an address. No request is from the last one.
    for (half, expected) in
        [("192.0.3.0/24", "192.0.2.0/25"), ("192.0.2.0/25", "255.255.255.255/32")]
    {
        let prefixes = [("192.0.2.0/24", "GPTBot"), (half, "B"), ("192.0.2.128/25", "B")]
            .map(|(it, service)| format!(r#"{{"ipv4Prefix":"{it}","services":["{service}"]}}"#));
        let (url, now) = ("https://openai.com/gptbot.json", Timestamp::EPOCH);
        let text = Lists::copy(url, now, format!("[{}]", prefixes.join(",")).as_bytes());
        let mut lists = Lists::default();
        lists.read(&text.expect("a list")).expect("a copy");
        let plan = Plan::of(&robots, &options, &lists, now).expect("a plan");
        assert!(plan.notes().is_empty(), "{:?}", plan.notes());
        let text = plan.emit(Target::Nginx, &CHOICES).expect("an output").text;
        assert!(text.ends_with(&format!("{{\n    default 0;\n    {expected} 1;\n}}\n")), "{text}");
    }
}

#[test]
fn names_are_the_words_that_the_registry_finds() {
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /\n");
    let plan = plan(&robots).expect("a plan");
    let mut named = 0;
    for c in (' '..='~').chain("\té\u{a0}\u{200b}".chars()) {
        for header in [
            format!("GPTBot{c}1.0"),
            format!("Mozilla/5.0 {c}GPTBot/1.0"),
            format!("x{c}GPTBot/1.0"),
            format!("x GPTBot{c}"),
            format!("x {c}GPTBot{c}"),
        ] {
            let is_known = Registry::bundled().identify(&header).any(|it| it.token() == "GPTBot");
            assert_eq!(plan.refuses(&header, b"/"), is_known, "{header}");
            named += usize::from(is_known);
        }
    }
    assert!((70..150).contains(&named), "{named}");
}

#[test]
fn a_server_is_asked_nothing_twice() {
    let robots = Robots::parse(
        "User-agent: GPTBot\nDisallow: /a\nAllow: /b\n\nUser-agent: CCBot\nDisallow: /a\n",
    );
    let plan = plan(&robots).expect("a plan");
    let cases = plan.cases(&robots, 100).requests;
    let asked: BTreeSet<_> = cases.iter().map(|it| (&it.crawler, &it.target)).collect();
    assert_eq!(asked.len(), cases.len());
    // The mark of the proof in each header changes no rule.
    for it in cases {
        assert_eq!(plan.refuses(&it.header, &it.target), it.is_refused, "{it:?}");
        assert!(it.header.ends_with(" verger-proof"), "{it:?}");
    }
}

#[test]
fn a_server_is_asked_for_each_rule_before_other_spellings() {
    let rules = (0..1_000).map(|number| format!("Disallow: /d{number:04}/"));
    let rules = rules.collect::<Vec<_>>().join("\n");
    let robots = Robots::parse(&format!("User-agent: GPTBot\n{rules}"));
    let plan = Plan::of(
        &robots,
        &Options { agents: vec!["GPTBot".into()], ..Options::default() },
        Lists::bundled(),
        Timestamp::EPOCH,
    );
    let plan = plan.expect("a plan");
    let all = plan.cases(&robots, usize::MAX).targets["GPTBot"];
    assert!(all.0 == all.1 && all.1 > 10_000, "{all:?}");
    // With those that no rule decides.
    for (most, expected) in [(1, 0), (500, 499), (1_001, 1_000), (3_000, 1_000)] {
        let cases = plan.cases(&robots, most);
        assert_eq!(cases.targets["GPTBot"], (most, all.1));
        let asked = cases.requests.iter().filter(|it| it.crawler == "GPTBot");
        let targets: BTreeSet<_> = asked.map(|it| &it.target).collect();
        assert_eq!(targets.len(), most);
        let of_rules = targets.iter().filter(|it| it.starts_with(b"/d"));
        let rules: BTreeSet<_> = of_rules.map(|it| &it[..6]).collect();
        assert!(rules.len() >= expected, "{most}: {}", rules.len());
        let has_spellings = targets.iter().any(|it| it.starts_with(b"//d"));
        assert_eq!(has_spellings, most == 3_000, "{most}");
    }
}

#[test]
fn a_name_that_no_header_has_is_an_error_or_noted() {
    let robots = Robots::parse("User-agent: Google-Extended\nDisallow: /\n");
    let plan = |purposes: &[Purpose], agents: &[&str]| {
        let agents = agents.iter().map(|name| (*name).to_owned()).collect();
        let options = Options { purposes: purposes.to_vec(), agents, ..Options::default() };
        Plan::of(&robots, &options, Lists::bundled(), Timestamp::EPOCH)
    };
    for (purposes, agents, expected) in [
        (
            &[Purpose::ControlToken][..],
            &[][..],
            "`control-token`: no User-Agent header has the name of a crawler with this purpose",
        ),
        (&[], &["Google-Extended"], "`Google-Extended`: no User-Agent header has such a name"),
        (&[], &[""], "``: the name is empty"),
        (&[], &["Mobile"], "`Mobile`: almost every User-Agent header has such a word"),
    ] {
        let error = plan(purposes, agents).expect_err("an error");
        assert_eq!(error.to_string(), expected);
    }
    for (purposes, reason) in [
        (&[Purpose::ControlToken, Purpose::Training][..], "no User-Agent header has such a name"),
        (&[Purpose::Training], "the options choose others"),
    ] {
        let plan = plan(purposes, &[]).expect("a plan");
        let expected = format!("because {reason}: `Google-Extended` (control-token)");
        assert!(plan.notes()[0].ends_with(&expected), "{:?}", plan.notes());
    }
}

/// Headers of browsers, in-app browsers, televisions, consoles and phones.
pub(crate) const BROWSERS: &[&str] = &[
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]",
    "Mozilla/5.0 (Linux; Android 14; SM-S911B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 [Pinterest/Android]",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 312.0.1.19.124 (iPhone12,1; iOS 17_2; en_US)",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/444.0.0.32.112;FBBV/548375665;FBDV/iPhone12,1]",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]/9.29.4962",
    "Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 musical_ly_2023209040 JsSdk/1.0 BytedanceWebview/d8a21c6 TikTok",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Snapchat/12.62.0.40 (like Safari/8617.1.17.10.9)",
    "Mozilla/5.0 (Linux; Android 13; SO-51C; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 Line/13.20.0/IAB",
    "Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0; SAMSUNG; UE55) AppleWebKit/537.36 (KHTML, like Gecko) Version/6.0 TV Safari/537.36",
    "Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Edge/44.18363.8131",
    "Mozilla/5.0 (compatible; MSIE 9.0; Windows Phone OS 7.5; Trident/5.0; IEMobile/9.0; Microsoft; XBOX 360)",
    "Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; Microsoft; Lumia 535) like iPhone OS 7_0_3 like Gecko",
    "Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/86.0.4240.99 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 11; iHunt Titan X 5G) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/103.0.0.0 Mobile Safari/537.36",
    "Huawei/1.0/0HuaweiU1300/B123 Browser/Obigo-Browser/Q05A Java/HWJa/1.0 Profile/MIDP-2.0",
    "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.2; LCC Internal User - 014; .NET CLR 1.1.4322)",
];

/// A file that names words of these headers, and a known crawler.
pub(crate) const ORDINARY: &str = "User-agent: Microsoft URL Control\nUser-agent: SAMSUNG\n\
    User-agent: Xbox\nUser-agent: Java\nUser-agent: K\nUser-agent: Titan\nUser-agent: CUBOT\n\
    User-agent: TV\nUser-agent: Line\nUser-agent: Mobile\nUser-agent: TikTok\n\
    User-agent: Instagram\nUser-agent: *\nDisallow: /\n";

/// Headers of crawlers that such words are the names of.
pub(crate) const NAMED: &[&str] = &[
    "Microsoft URL Control - 6.01.9782",
    "Java/1.8.0_151",
    "Mozilla/5.0 (compatible; Titan/1.0)",
    "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.0.0 Titan/1.0 (+https://titan.example/)",
    "Pinterest/0.2 (+https://www.pinterest.com/bot.html)",
    "Mozilla/5.0 (compatible; pinterestbot/1.0; +https://www.pinterest.com/bot.html)",
    "LCC (+http://corpora.informatik.uni-leipzig.de/crawler_faq.html)",
    "Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.0.0 Safari/537.36 GPTBot/1.2",
];

#[test]
fn browsers_are_not_refused_for_words_that_are_also_names() {
    let plan =
        Plan::of(&Robots::parse(ORDINARY), &Options::default(), Lists::bundled(), Timestamp::EPOCH);
    let plan = plan.expect("a plan");
    for header in BROWSERS {
        assert!(!plan.refuses(header, b"/x"), "{header}");
    }
    for header in NAMED {
        assert!(plan.refuses(header, b"/x"), "{header}");
    }
    let notes = plan.notes().join("\n");
    assert!(
        notes.contains("browsers can have these words") && notes.contains("`SAMSUNG`"),
        "{notes}"
    );
    assert!(
        notes.contains("almost every User-Agent header") && notes.contains(": `Mobile`"),
        "{notes}"
    );
}

#[test]
fn a_redirect_to_a_refused_path_is_an_error() {
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /\nAllow: /no\n");
    let plan =
        Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).expect("a plan");
    for (url, is_written) in [
        ("/no", true),
        ("/robots.txt", true),
        ("/blocked", false),
        ("/no/../x", false),
        ("https://e.example/blocked", true),
        ("//e.example/blocked", true),
        ("/no;", false),
    ] {
        let answer = Answer::Redirect(url.to_owned());
        let found = plan.emit(Target::Nginx, &Choices { answer, ..CHOICES });
        assert_eq!(found.is_ok(), is_written, "{url}");
    }
}

#[test]
fn an_incomplete_proof_is_named_in_the_output() {
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /x\n");
    let plan = plan(&robots).expect("a plan");
    let mut proof = plan.prove(&robots);
    let written = |proof: &verger_enforce::Proof| {
        let choices = Choices { proof: Some(proof), ..CHOICES };
        plan.emit(Target::Nginx, &choices).expect("rules").text
    };
    let text = written(&proof);
    assert!(text.contains(" answers of the engine\n"), "{text}");
    proof.undecided = Some(("GPTBot".to_owned(), verger_analysis::Undecided::TooMuchWork));
    let text = written(&proof);
    assert!(text.contains(" answers of the engine, not all that could differ\n"), "{text}");
}

#[test]
fn an_answer_that_a_target_does_not_have_is_an_error() {
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /x\n");
    let plan = plan(&robots).expect("a plan");
    let url = Answer::Redirect("https://e.example/".to_owned());
    let answers = [Answer::Status(403), Answer::Status(429), Answer::Close, url];
    let page = Answer::Page("<p>No</p>".to_owned());
    let answers = [&answers[..], &[page, Answer::Page("'".to_owned())]].concat();
    for (target, expected) in [
        (Target::Nginx, [true, true, true, true, false, false]),
        (Target::Apache, [true, true, false, true, false, false]),
        (Target::Caddy, [true, true, true, true, false, false]),
        (Target::Haproxy, [true, true, true, true, true, false]),
        (Target::Varnish, [true, true, false, false, false, false]),
        (Target::Anubis, [true, false, false, false, false, false]),
        (Target::Cloudflare, [true, false, false, false, false, false]),
    ] {
        let found = answers.iter().map(|answer| {
            let choices = Choices { answer: answer.clone(), ..CHOICES };
            plan.emit(target, &choices).is_ok()
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{target:?}");
        // All but the last, a page with wrong text.
        let has = answers[..5].iter().map(|answer| target.has(answer));
        assert!(has.eq(expected[..5].iter().copied()), "{target:?}");
    }
}
