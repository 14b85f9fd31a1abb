//! Hostile inputs: the cases of `testdata/hostile` get their answers, and every input has the
//! general properties of `always.rs` in every dialect.
//!
//! The engine runs on a stack of [`STACK`] bytes. The benchmark in `bench/` has the time budgets,
//! because timers in tests fail for unrelated reasons. `hostile::judge_output` checks the output of
//! programs.

mod always;
mod pages;
mod shown;

use std::fmt::Debug;
use std::thread;

use verger::{Crawler, Dialect, Origin, OriginError};
use verger_testkit::generate::one_in;
use verger_testkit::hostile::{self, Claim, Kind, ORIGIN};
use verger_testkit::parallel::map;
use verger_testkit::suite::{
    Adapter, Compiled, ExpectedFailures, Library, OneShot, SuiteReport, run_statements,
    run_verdicts,
};

/// Size of the stack for the engine, in bytes.
///
/// In a debug build, sorting and formatting in the standard library and the URL parser need most of
/// it, more or less by the way in which the compiler divides the code: 64 KiB are not always
/// enough. The engine needs a few kilobytes, and 32 KiB to search in long texts. A recursion with
/// one frame per byte, line, rule or star would need megabytes for these inputs.
const STACK: usize = 128 * 1024;

fn on_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("no panic")
    })
}

/// The problems of one input.
#[derive(Debug, Default)]
struct Complaints(Vec<String>);

impl Complaints {
    /// Adds a complaint unless a condition is true.
    fn unless(&mut self, holds: bool, complaint: impl FnOnce() -> String) {
        if !holds {
            self.0.push(complaint());
        }
    }

    /// Adds a complaint unless two values are equal.
    #[expect(clippy::needless_pass_by_value, reason = "it reads like `assert_eq!`")]
    fn unless_equal<T: PartialEq + Debug>(&mut self, what: &str, found: T, expected: T) {
        self.unless(found == expected, || {
            format!("{what}: expected {expected:.300?}, but found {found:.300?}")
        });
    }
}

#[test]
fn hostile_cases_get_their_answers() {
    let suite = hostile::suite();
    let report = on_small_stack(|| {
        let mut report = SuiteReport::default();
        let adapters: [&mut dyn Adapter; 3] = [&mut Library, &mut OneShot, &mut Compiled];
        for adapter in adapters {
            run_verdicts(&suite, adapter, &mut report);
        }
        run_statements(&suite, &mut report);
        report
    });
    let unexpected = report.unexpected(&ExpectedFailures::default());
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    assert!(suite.verdicts.len() > 900 && suite.statements.len() > 1_000, "{}", report.tally());
}

#[test]
fn every_input_has_the_general_properties() {
    let mut inputs = hostile::inputs();
    let displayed = hostile::entries().into_iter();
    inputs.extend(displayed.map(|it| ((Kind::Robots, it.bytes), it.id.to_owned())));
    assert!(inputs.len() > 900, "{}", inputs.len());
    let problems = map(inputs.iter().step_by(one_in(4)), |((kind, bytes), name)| {
        let mut complaints = Complaints::default();
        on_small_stack(|| always::holds(*kind, bytes, &mut complaints));
        complaints.0.iter().map(|it| format!("{name}: {it}")).collect::<Vec<_>>()
    });
    let problems = problems.concat();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn hostile_text_is_shown_escaped() {
    let mut complaints = Complaints::default();
    for entry in hostile::entries() {
        match &entry.claim {
            Claim::Shown(shown) => shown::rule(&entry.bytes, shown, &mut complaints),
            Claim::FileName | Claim::Completion => shown::name(&entry.bytes, &mut complaints),
            Claim::BrokenPipe | Claim::StdoutClosed => {}
        }
    }
    assert!(complaints.0.is_empty(), "{}", complaints.0.join("\n"));
}

#[test]
fn the_last_of_many_agents_counts() {
    for count in [1_000, 10_000] {
        let names: Vec<String> = (0..count).map(|at| format!("bot{at}")).collect();
        let robots = format!("User-agent: bot{}\nDisallow: /\n", count - 1);
        let chain = Crawler::chain(names.iter().map(String::as_str));
        let union = Crawler::union(names.iter().map(String::as_str));
        let url = format!("{ORIGIN}/x");
        // Google's library reads the name of the group as `bot`, which is not in the list.
        for (dialect, crawler, allowed) in
            [(Dialect::RFC9309, chain, false), (Dialect::GOOGLE, union, true)]
        {
            assert_eq!(dialect.parse(&robots).check(&crawler, &url).is_allowed(), allowed);
            assert_eq!(dialect.is_allowed(&robots, &crawler, &url), allowed);
        }
    }
}

#[test]
fn many_sitemaps_are_listed() {
    let lines = (0..20_000).map(|at| format!("Sitemap: http://h/{at}"));
    let robots = lines.collect::<Vec<_>>().join("\n");
    for dialect in [Dialect::RFC9309, Dialect::GOOGLE] {
        assert_eq!(dialect.parse(&robots).sitemaps().count(), 20_000);
    }
}

#[test]
fn long_hosts_have_no_origin() {
    let hosts = [
        "a".repeat(64) + ".com",
        ("a".repeat(60) + ".").repeat(5),
        "a".repeat(1_000_000),
        "xn--".to_owned() + &"a".repeat(100_000),
    ];
    for host in hosts {
        assert_eq!(Origin::of(&format!("http://{host}/")), Err(OriginError::HostTooLong));
    }
}
