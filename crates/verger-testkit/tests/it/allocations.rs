//! Answers of compiled policies allocate nothing, and neither do normal forms of targets.
//!
//! # Flow
//!
//! A counting allocator measures each answer on a separate thread. The questions are those of the
//! suite, those of Google's library about the corpus if the data exists, and targets of up to
//! [`LONGEST`] that every dialect must normalise; each in every published dialect.
//!
//! # Scope
//!
//! Nothing is excepted. A test with a deliberate allocation shows that the allocator counts.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

use allocation_counter::measure;
use verger::{Crawler, Dialect, Policy, Robots};
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::generate::one_in;
use verger_testkit::golden::{VERDICTS, answers};
use verger_testkit::parallel::map;
use verger_testkit::shared::{Lacking, say, skip_loudly};
use verger_testkit::suite::{Question, load};

/// Length of the longest tested URLs, in bytes.
const LONGEST: usize = 2 * 1024;

/// Targets up to this length are written on the stack.
const TARGET_BYTES: usize = 16 * 1024;

/// Counts of questions and allocations.
#[derive(Default)]
struct Counted {
    answers: usize,
    /// The first questions with forbidden allocations.
    allocated: Vec<String>,
}

impl Counted {
    /// Runs a question and counts its allocations.
    fn ask(&mut self, what: impl FnOnce() -> String, ask: impl FnOnce()) {
        self.answers += 1;
        let found = measure(ask).count_total;
        if found > 0 && self.allocated.len() < 20 {
            self.allocated.push(format!("{}: {found} allocations", what()));
        }
    }

    /// Runs a policy.
    fn policy(&mut self, dialect: Dialect, policy: &Policy, url: &[u8]) {
        let what = || format!("{dialect}: policy: {}", url.escape_ascii());
        self.ask(what, || _ = black_box(policy.check(url).line()));
    }

    /// Normalises the target of a URL: a policy without rules does nothing else.
    fn target(&mut self, dialect: Dialect, url: &[u8]) {
        let nobody = dialect.parse("").policy("nobody");
        let what = || format!("{dialect}: target: {}", url.escape_ascii());
        self.ask(what, || _ = black_box(nobody.check(url).reason()));
    }

    /// Runs all interfaces in every dialect.
    fn all(&mut self, text: &[u8], crawler: &Crawler, urls: &[&[u8]]) {
        for dialect in Dialect::PUBLISHED {
            let robots = dialect.parse(text);
            let policy = robots.policy(crawler);
            for url in urls.iter().filter(|url| url.len() <= LONGEST) {
                self.policy(dialect, &policy, url);
                self.target(dialect, url);
            }
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.answers += other.answers;
        self.allocated.extend(other.allocated);
        self
    }

    #[track_caller]
    fn nothing(&self, of: &str) {
        say(&format!("allocations: {of}: {} answers", self.answers));
        let some = &self.allocated[..self.allocated.len().min(20)];
        assert!(some.is_empty(), "{of}:\n{}", some.join("\n"));
        assert!(self.answers > 0, "{of}: nothing was asked");
    }
}

#[test]
fn questions_of_the_suite_allocate_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let suite = load(&folder).unwrap();
    let mut counted = Counted::default();
    for case in &suite.verdicts {
        counted.all(&case.robots, &case.crawler.to_crawler(), &[&case.url]);
    }
    for statement in &suite.statements {
        let (text, agent, url) = match &statement.question {
            Question::Usage(asked) => {
                (asked.robots.as_bytes(), Some(&asked.agent), Some(&asked.url))
            }
            Question::Extension(asked) => {
                (&asked.robots.0[..], asked.agent.as_ref(), asked.url.as_ref())
            }
            _ => continue,
        };
        let agent = Crawler::new(agent.map_or("", String::as_str));
        counted.all(text, &agent, &[url.map_or("/", String::as_str).as_bytes()]);
    }
    counted.nothing("the suite");
}

#[test]
fn every_golden_url_is_answered_without_an_allocation() {
    const TEST: &str = "allocations for the golden URLs";
    let Some(files) = corpus().unwrap() else {
        return skip_loudly(TEST, Lacking::Data, &format!("../shared/{CORPUS} is not there"));
    };
    let Some(answers) = answers().unwrap() else {
        return skip_loudly(TEST, Lacking::Data, &format!("../shared/{VERDICTS} is not there"));
    };
    let chosen = || answers.iter().step_by(one_in(4));
    let counted = map(chosen().enumerate(), |(at, answers)| {
        let mut counted = Counted::default();
        let text = files.get(&answers.file).expect("answers are about files of the corpus");
        // Each file is checked for one of the crawlers; a policy is compiled for it in every
        // dialect.
        let (agent, _) = &answers.verdicts[at % answers.verdicts.len()];
        let urls: Vec<&[u8]> = answers.urls.iter().map(String::as_bytes).collect();
        counted.all(text, &Crawler::new(agent.as_str()), &urls);
        counted
    });
    let counted = counted.into_iter().fold(Counted::default(), Counted::and);
    counted.nothing("golden URLs");
    let asked: usize = chosen().map(|answers| answers.urls.len()).sum();
    assert!(counted.answers >= 2 * asked * Dialect::PUBLISHED.len(), "{}", counted.answers);
}

/// Octets that some dialect normalises, and one that none does.
const PIECES: [&str; 12] =
    ["%61", "%c3%a9", "é", " ", "%", "%zz", "*", "$", "%2F", "\"", "\u{7f}", "a"];

/// Rules of every kind: literal, with one star and with several, anchored, not in normal form.
const RULES: &str = "User-agent: *\nDisallow: /a%61a\nAllow: /é\nDisallow: /*%61b\nDisallow: /*é*%20x$\n\
                     Allow: *%2f%2F\nDisallow: /aaaa/index.html\nAllow: /%\nDisallow: *\"\n";

#[test]
fn long_targets_are_brought_into_normal_form_without_an_allocation() {
    // Enough wildcards for an index.
    let mut many = RULES.to_owned();
    for at in 0..2_000 {
        // Writing to a string cannot fail.
        let _ = writeln!(many, "Disallow: /*w{at}*%7{}x", at % 10);
    }
    let mut counted = Counted::default();
    for (at, piece) in PIECES.iter().enumerate() {
        let other = PIECES[(at + 1) % PIECES.len()];
        for length in [1, 2, 3, 100, 511, 512, 513, 1_365, LONGEST - 1, LONGEST] {
            for start in ["", "/", "?", "https://shop.example/", "https://shop.example?"] {
                let url = format!("{start}{}", [*piece, other].concat().repeat(length));
                // Also ends in the middle of a letter or an escape.
                let url = &url.as_bytes()[..length];
                counted.all(RULES.as_bytes(), &Crawler::new("bot"), &[url]);
                if length == LONGEST {
                    counted.all(many.as_bytes(), &Crawler::new("bot"), &[url]);
                }
            }
        }
    }
    counted.nothing("long targets");
}

#[test]
fn an_allocation_in_an_answer_is_counted() {
    let planted = |size: usize| {
        let mut counted = Counted::default();
        let what = || "planted".to_owned();
        counted.ask(what, || {
            drop(black_box(vec![u8::from(black_box(true)); size]));
        });
        counted.allocated
    };
    assert_eq!(planted(1), ["planted: 1 allocations"]);
    assert!(planted(0).is_empty());
}

#[test]
fn the_one_allocation_of_a_target_that_is_too_long_for_the_stack_is_counted() {
    let url = format!("/{}", "%61".repeat(TARGET_BYTES));
    let mut counted = Counted::default();
    counted.target(Dialect::RFC9309, url.as_bytes());
    let robots = Robots::parse(RULES);
    counted.policy(Dialect::RFC9309, &robots.policy("bot"), url.as_bytes());
    assert_eq!(counted.allocated.len(), 2);
}
