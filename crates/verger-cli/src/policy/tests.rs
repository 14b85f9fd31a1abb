//! Tests of policies: all answers, random registries, the owner's lines.
//!
//! `VERGER_CASES` multiplies the number of random registries; if it is set, every combination of
//! answers is tested, otherwise some of them.

use verger::{Crawler, Robots};
use verger_registry::{Purpose, Registry};
use verger_testkit::generate::{cases, one_in};

use super::block::Subject;
use super::marks::{BEGIN, EDITS, END, Marked};
use crate::args::{Answer, PolicyArgs};
use crate::error::Error;

/// Sets the answer for a purpose.
fn set(policy: &mut PolicyArgs, purpose: Purpose, answer: Answer) {
    let field = match purpose {
        Purpose::Search => &mut policy.search,
        Purpose::Training => &mut policy.training,
        Purpose::UserTriggered => &mut policy.user_triggered,
        Purpose::Preview => &mut policy.preview,
        Purpose::Archive => &mut policy.archive,
        Purpose::Seo => &mut policy.seo,
        Purpose::Dataset => &mut policy.dataset,
        Purpose::Advertising => &mut policy.advertising,
        Purpose::Monitoring => &mut policy.monitoring,
        Purpose::ControlToken => &mut policy.control_token,
        _ => &mut policy.other,
    };
    *field = Some(answer);
}

/// The new text of a file, if it is proved.
fn updated(policy: &PolicyArgs, subjects: &[Subject<'_>], old: &[u8]) -> Result<Vec<u8>, Error> {
    super::proof::updated(&Marked::split(old, "f")?, policy, subjects, "2026-11-23")
}

/// Compares the answers of the engine with the policy. The owner's rules for `*` are those of
/// [`OWNER`]: `yes` opens all to crawlers that do not obey them.
fn check_answers(policy: &PolicyArgs, subjects: &[Subject<'_>], text: &[u8]) {
    let file = Robots::parse(text);
    for subject in subjects.iter().filter(|it| !it.rules.ignores_robots()) {
        let answer = policy.answer(subject.purpose.unwrap());
        let others = policy.all_others.unwrap_or(Answer::Yes);
        let is_free = answer == Some(Answer::Yes) && subject.rules.ignores_star();
        let is_open = match answer {
            None if subject.rules.ignores_star() => continue,
            answer => answer.unwrap_or(others) == Answer::Yes,
        };
        for (url, expected) in [
            ("/", is_open),
            ("/press", is_open),
            ("/press/a", true),
            ("/press/a?b", false),
            ("/a?b", false),
            ("/cart", false),
        ] {
            let found = file.is_allowed(subject.rules, url);
            let text = file.text().escape_ascii();
            assert_eq!(
                found,
                expected || is_free,
                "{url} for {}, {answer:?}: {text}",
                subject.token
            );
        }
    }
}

const OWNER: &str = "User-agent: *\nDisallow: /cart\nDisallow: /*?\nCrawl-delay: 2\n";

#[test]
fn every_combination_of_answers_is_proved() {
    let subjects = Subject::all(Registry::bundled());
    let all = 1_usize << Purpose::ALL.len();
    for bits in (0..all).step_by(one_in(127)).chain([all - 1]) {
        let mut policy = PolicyArgs { except: vec!["/press/".into()], ..PolicyArgs::default() };
        for (at, purpose) in Purpose::ALL.iter().enumerate() {
            let answer = if bits >> at & 1 == 1 { Answer::Yes } else { Answer::No };
            set(&mut policy, *purpose, answer);
        }
        policy.all_others = [None, Some(Answer::No)][bits % 3 % 2];
        let text = updated(&policy, &subjects, OWNER.as_bytes()).unwrap();
        check_answers(&policy, &subjects, &text);
        // Without exceptions, refused crawlers get nothing.
        policy.except.clear();
        let text = updated(&policy, &subjects, OWNER.as_bytes()).unwrap();
        let file = Robots::parse(&text);
        for subject in subjects.iter().filter(|it| !it.rules.ignores_robots()) {
            let is_open = policy.answer(subject.purpose.unwrap()) == Some(Answer::Yes);
            assert_eq!(file.is_allowed(subject.rules, "/press/a"), is_open, "{}", subject.token);
        }
    }
}

/// Numbers from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

#[test]
fn random_registries_and_owners_are_proved_or_refused() {
    let mut refused = 0;
    for seed in 0..cases(30) {
        let mut random = Numbers(seed);
        let tokens: Vec<String> = (0..5 + random.below(40)).map(|it| format!("bot{it}x")).collect();
        let crawlers: Vec<Crawler> = tokens
            .iter()
            .map(|token| {
                let fallbacks = (0..random.below(3)).map(|_| random.below(tokens.len()));
                let fallbacks: Vec<&str> = fallbacks.map(|at| tokens[at].as_str()).collect();
                let crawler = Crawler::chain([token.as_str()].into_iter().chain(fallbacks));
                match random.below(8) {
                    0 => crawler.without_star(),
                    1 => crawler.without_robots(),
                    _ => crawler,
                }
            })
            .collect();
        let subject = |(token, rules)| {
            let purpose = Some(Purpose::ALL[random.below(Purpose::ALL.len())]);
            Subject { token, purpose, rules }
        };
        let names = tokens.iter().map(String::as_str);
        let subjects: Vec<_> = names.zip(&crawlers).map(subject).collect();
        let mut policy = PolicyArgs { except: vec!["/press/".into()], ..PolicyArgs::default() };
        for purpose in Purpose::ALL {
            match random.below(3) {
                0 => set(&mut policy, *purpose, Answer::Yes),
                1 => set(&mut policy, *purpose, Answer::No),
                _ => {}
            }
        }
        policy.all_others = [None, Some(Answer::No), Some(Answer::Yes)][random.below(3)];
        let text = updated(&policy, &subjects, OWNER.as_bytes()).unwrap();
        check_answers(&policy, &subjects, &text);
        // With groups of the owner by name: either the policy holds, or they contradict it.
        let mut owner = OWNER.to_owned();
        for _ in 0..3 {
            let rule = [
                "Allow: /",
                "Disallow: /own",
                "Disallow: /",
                "Disallow:",
                "Crawl-delay: 3\nDisallow:",
                "Content-Usage: search=n\nDisallow: /own",
            ][random.below(6)];
            let token = &tokens[random.below(tokens.len())];
            owner.push_str(&["\nUser-agent: ", token, "\n", rule, "\n"].concat());
        }
        let before = Robots::parse(&owner);
        let Ok(text) = updated(&policy, &subjects, owner.as_bytes()) else {
            refused += 1;
            continue;
        };
        assert!(text.starts_with(owner.as_bytes()));
        let after = Robots::parse(&text);
        for subject in subjects.iter().filter(|it| !it.rules.ignores_robots()) {
            let [old, new] = [&before, &after].map(|it| it.is_allowed(subject.rules, "/x"));
            let named = before.groups_for(subject.rules).any(|it| !it.is_for_everybody());
            match policy.answer(subject.purpose.unwrap()) {
                Some(answer) => {
                    assert_eq!(new, answer == Answer::Yes, "{}", subject.token);
                    let [old, new] =
                        [&before, &after].map(|it| it.is_allowed(subject.rules, "/cart"));
                    assert!(
                        answer == Answer::No || new == old,
                        "`yes` never closes: {}",
                        subject.token
                    );
                }
                None if named => assert_eq!(new, old, "{}", subject.token),
                None => {}
            }
        }
    }
    assert!(refused > 0, "some owners contradict the policy");
}

#[test]
fn the_owners_lines_stay() {
    let subjects = Subject::all(Registry::bundled());
    let policy = PolicyArgs { training: Some(Answer::No), ..PolicyArgs::default() };
    let changed = PolicyArgs { seo: Some(Answer::No), ..policy.clone() };
    for (owner, end) in [
        (&b"User-agent: *\r\nDisallow: /a\r\n"[..], &b"\r\n"[..]),
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /a", b"\n"),
        (b"\xef\xbb\xbf", b"\n"),
        (b"User-agent: *\nDisallow: /\xe9\n", b"\n"),
        (b"", b"\n"),
    ] {
        let first = updated(&policy, &subjects, owner).unwrap();
        assert!(first.starts_with(owner) && first.ends_with(&[END.as_bytes(), end].concat()));
        assert_eq!(updated(&policy, &subjects, &first).unwrap(), first, "a second time");
        // Lines after the block stay, too.
        let more = [&first[..], b"# mine", end].concat();
        let second = updated(&changed, &subjects, &more).unwrap();
        let begin =
            |text: &[u8]| text.windows(BEGIN.len()).position(|it| it == BEGIN.as_bytes()).unwrap();
        assert_eq!(second[..begin(&second)], first[..begin(&first)]);
        assert!(second.ends_with(&[b"# mine", end].concat()) && second != more);
    }
}

#[test]
fn damaged_marks_are_errors() {
    for (text, expected) in [
        (format!("a\n{BEGIN}\n"), "f:2: the block has no end"),
        (
            format!("{END}\n"),
            "f:1: expected one block, but found the mark `# verger generate: end`",
        ),
        (
            format!("\n{BEGIN}\n{BEGIN}\n{END}\n"),
            "f:3: expected one block, but found the mark `# verger generate: begin`",
        ),
        (
            format!("{BEGIN}\r\n{END}\r\n{BEGIN}\r\n{END}\r\n"),
            "f:3: expected one block, but found the mark `# verger generate: begin`",
        ),
        (
            format!("{BEGIN}\n{END}\n{END}\n"),
            "f:3: expected one block, but found the mark `# verger generate: end`",
        ),
        (
            format!("# mine\r{BEGIN}\r{END}\r"),
            "f:1: expected one block, but found the mark `# mine\\r# verger generate: begin\\r# verger generate: end`",
        ),
    ] {
        assert_eq!(Marked::split(text.as_bytes(), "f").unwrap_err().to_string(), expected);
    }
    // Each would otherwise be a comment of the owner, and the next run would add a second block.
    let block = format!("{BEGIN}\n{EDITS} Crawlers: …\n{END}\n");
    for damaged in [
        "# verger generate: begn",
        "#verger generate: begin",
        "# VERGER generate: begin",
        "# verger generate begin",
        "## verger  genrate: begin",
        "# verger generate: begin # mine",
        "",
        "# mine",
    ] {
        let text = block.replace(BEGIN, damaged);
        let error = Marked::split(text.as_bytes(), "f").unwrap_err().to_string();
        assert!(error.starts_with("f:2: expected one block"), "{error}");
        let text = block.replace(END, &damaged.replace("begin", "end").replace("begn", "edn"));
        assert!(Marked::split(text.as_bytes(), "f").is_err(), "{text}");
    }
    for comment in ["# verger generate writes the block below", "# verger", "# begin", "#"] {
        assert_eq!(Marked::split(comment.as_bytes(), "f").unwrap().block, None, "{comment}");
    }
    let text = format!(" {BEGIN} \r\n{END}");
    assert!(Marked::split(text.as_bytes(), "f").unwrap().block.is_some());
}

#[test]
fn lines_that_contradict_the_policy_are_errors() {
    let subjects = Subject::all(Registry::bundled());
    let no = PolicyArgs {
        training: Some(Answer::No),
        search: Some(Answer::Yes),
        except: vec!["/press/".into()],
        ..PolicyArgs::default()
    };
    for (owner, expected) in [
        (
            "User-agent: gptbot\nAllow: /blog/\n",
            "f:2: `/blog/` would be opened to `GPTBot` by `Allow: /blog/`, against",
        ),
        // Of two purposes, after a block that grows.
        (
            "# verger generate: begin\n# verger generate: end\nUser-agent: GPTBot\nUser-agent: \
             Googlebot\nUser-agent: ClaudeBot\nAllow: /\nDisallow: /x\n",
            "f:6: `/` would be opened to `ClaudeBot` by `Allow: /`, against",
        ),
        ("User-agent: GPTBot\nDisallow: /press/x\n", "`/press/x` would be closed to `GPTBot`"),
        // The exception would win by its length, or as `Allow` of equal length.
        ("User-agent: GPTBot\nDisallow: /press/\n", CLOSED_EXCEPTION),
        ("User-agent: GPTBot\nDisallow: /press\n", CLOSED_EXCEPTION),
        ("User-agent: GPTBot\nDisallow: /\n", CLOSED_EXCEPTION),
        (
            "User-agent: GPTBot\nDisallow: /*.pdf$\n",
            ".pdf` is closed to `GPTBot` by `Disallow: /*.pdf$`, but `--except` would open it",
        ),
        // The block would join these groups.
        ("User-agent: mine\n", "f:1: `User-agent: mine` would join the block"),
        ("\u{feff}User-agent: GPTBot\n", "f:1: `User-agent: GPTBot` would join"),
        ("User-agent: *\nDisallow: /press\n", "`/press/` is closed to all crawlers"),
        ("User-agent: *\nDisallow: /\n", "`/press/` is closed to all crawlers"),
        ("User-agent: *\nDisallow: /\nAllow: /press/\n", " to `360Spider`, but a rule closes `/`"),
        ("User-agent: googlebot\nDisallow: /\n", " to `Applebot`, but a rule closes `/`"),
        (
            "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n",
            "f:2: `Content-Signal: ai-train=yes` would also count for all others",
        ),
        (
            "Content-Signal: ai-train=yes\nUser-agent: *\nAllow: /\n",
            "f:1: `Content-Signal: ai-train=yes` would also count for all others",
        ),
        // The groups of the block join it.
        (
            "User-agent: *\nDisallow: /x\n\nUser-agent: Foo\nLicense: https://a.example/\n",
            "f:4: `User-agent: Foo` would join the block",
        ),
        (
            "User-agent: *\nAllow: /\n# verger generate: begin\n# verger generate: end\nCrawl-delay: 5\n",
            "f:5: `Crawl-delay: 5` would join the block",
        ),
        (
            "# verger generate: begin\n# verger generate: end\nSitemap: /s\nAllow: /blog/\nCrawl-delay: 5\n",
            "f:4: `Allow: /blog/` would join the block",
        ),
    ] {
        let error = updated(&no, &subjects, owner.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{owner:?}: {error}");
        let helps = error.hint().is_some_and(|it| it.contains("`--all-others no`"));
        assert_eq!(helps, owner.contains("*\nDisallow: /\n"), "{owner:?}: {:?}", error.hint());
    }
    let rules = (0..500).map(|at| ["Disallow: /*t*u*v*w*x*y*z", &at.to_string(), "\n"].concat());
    let owner = format!("User-agent: *\n{}Allow: /secret\n", rules.collect::<String>());
    let policy = PolicyArgs { except: vec!["/*a*b*c*d*e*f*g".into()], ..no.clone() };
    let error = updated(&policy, &subjects, owner.as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("the rules could not be proved, because"), "{error}");
    let open = PolicyArgs { all_others: Some(Answer::Yes), ..PolicyArgs::default() };
    let error = updated(&open, &subjects, b"User-agent: *\nDisallow: /\n").unwrap_err().to_string();
    assert_eq!(error, "f:2: the policy opens the site to all others, but a rule closes `/`");
    for bad in [
        "press/",
        "*.pdf$",
        "https://shop.example/press/",
        "",
        "press /",
        "/a b",
        "/a#b",
        "/a\nAllow: /",
    ] {
        let policy = PolicyArgs { except: vec![bad.to_owned()], ..no.clone() };
        let error = updated(&policy, &subjects, b"").unwrap_err().to_string();
        assert!(error.starts_with("expected a path that begins with `/`"), "{error}");
    }
}

/// Of lines above that differ only in their rule.
const CLOSED_EXCEPTION: &str = "f:2: `/press/` is closed to `GPTBot` by `Disallow: /";

#[test]
fn records_of_a_fallback_are_repeated_for_a_refused_crawler() {
    let rules = Crawler::chain(["b", "c"]);
    let subject = Subject { token: "b", purpose: Some(Purpose::Training), rules: &rules };
    let policy = PolicyArgs { training: Some(Answer::No), ..PolicyArgs::default() };
    let owner = b"User-agent: *\nDisallow: /x\n\nUser-agent: c\nCrawl-delay: 7\nDisallow:\n";
    let file = Robots::parse(&updated(&policy, &[subject], owner).unwrap());
    assert!(!file.is_allowed(&rules, "/"));
    assert!(file.records_for(&rules).any(|it| it.value() == b"7"));
}

#[test]
fn a_second_statement_for_all_others_is_an_error() {
    let subjects = Subject::all(Registry::bundled());
    for (line, except) in [
        ("Content-Usage: /blog/ train-ai=y", None),
        ("Content-Signal: /blog/ ai-train=yes", None),
        // Named groups would not have it.
        ("Content-Signal: use=reference", Some("/p/")),
    ] {
        let policy = PolicyArgs {
            training: Some(Answer::No),
            except: except.into_iter().map(str::to_owned).collect(),
            ..PolicyArgs::default()
        };
        let owner = ["User-agent: *\n", line, "\nAllow: /\n"].concat();
        let error = updated(&policy, &subjects, owner.as_bytes()).unwrap_err().to_string();
        assert!(
            error.contains("f:2: ") && error.contains(" would also count for"),
            "{line}: {error}"
        );
    }
}

#[test]
fn a_sitemap_is_a_whole_url() {
    let policy = |url: &str| PolicyArgs {
        training: Some(Answer::No),
        sitemaps: vec![url.to_owned()],
        ..PolicyArgs::default()
    };
    for bad in [
        "",
        "://",
        "/sitemap.xml",
        "https:",
        "https://",
        "https:///s.xml",
        "https:a.example/s.xml",
        "https://a.example:99999/s.xml",
        "https://a.example/a b",
        "https://a.example/a#b",
        "https://a.example/\n",
        "mailto:a@a.example",
    ] {
        let error = updated(&policy(bad), &[], b"").unwrap_err().to_string();
        assert!(error.starts_with("expected the whole URL of a sitemap"), "{error}");
    }
    assert!(updated(&policy("https://a.example/s.xml"), &[], b"").is_ok());
}

#[test]
fn statements_match_the_answers() {
    let subjects = Subject::all(Registry::bundled());
    let policy = PolicyArgs {
        training: Some(Answer::No),
        search: Some(Answer::Yes),
        all_others: Some(Answer::No),
        except: vec!["/press/".into(), "/*.pdf".into()],
        ..PolicyArgs::default()
    };
    let file = Robots::parse(&updated(&policy, &subjects, b"").unwrap());
    let find = |token| Registry::bundled().find(token).unwrap().rules();
    for (token, url, usage, signals) in [
        ("Googlebot", "/a", "train-ai=n search=y", "search=yes ai-train=no"),
        ("Googlebot", "/press/a", "train-ai=y search=y", "search=yes ai-train=yes"),
        ("GPTBot", "/press/a", "train-ai=y search=y", "search=yes ai-train=yes"),
        ("GPTBot", "/a.pdf", "train-ai=y search=y", "search=yes ai-train=yes"),
    ] {
        let text = |pairs: Vec<(&str, &str)>| {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
            pairs.join(" ")
        };
        let found = file.content_usage(find(token), url).unwrap();
        assert_eq!(text(found.stated().collect()), usage, "{token} {url}");
        let found = file.content_signals(find(token), url);
        assert_eq!(text(found.stated().collect()), signals, "{token} {url}");
    }
    let none = PolicyArgs { no_statements: true, ..policy };
    let text = updated(&none, &subjects, b"").unwrap();
    assert!(!text.windows(8).any(|it| it == b"Content-"));
}
