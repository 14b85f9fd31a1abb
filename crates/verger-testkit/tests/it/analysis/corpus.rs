//! Real files: every rule is decided, every policy equals itself. With `VERGER_CASES`, in more
//! dialects.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use verger::{Dialect, Robots};
use verger_analysis::{Analysis, compare};
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::generate::cases;
use verger_testkit::parallel::on_all_processors;
use verger_testkit::shared::{Lacking, say, skip_loudly};

/// The crawlers that a file names, one for each set of groups.
fn crawlers(robots: &Robots) -> Vec<String> {
    let agents = robots.groups().flat_map(|group| group.agents());
    let names = agents.map(|agent| String::from_utf8_lossy(agent.name()).to_ascii_lowercase());
    let names: BTreeSet<String> = names.chain(["*".to_owned()]).collect();
    let mut seen = BTreeSet::new();
    names
        .into_iter()
        .filter(|name| {
            let groups: Vec<usize> =
                robots.groups_for(name.as_str()).map(|it| it.index()).collect();
            seen.insert(groups)
        })
        .collect()
}

#[derive(Debug, Default)]
struct Report {
    site: String,
    crawlers: usize,
    rules: usize,
    most_rules: usize,
    dead: usize,
    redundant: usize,
    undecided: Vec<String>,
    time: Duration,
}

fn report(site: &str, text: &[u8], dialect: Dialect) -> Report {
    let start = Instant::now();
    let robots = dialect.parse(text);
    let mut report = Report { site: site.to_owned(), ..Report::default() };
    for crawler in crawlers(&robots) {
        let analysis = Analysis::new(&robots, crawler.as_str());
        let (dead, redundant) = (analysis.dead_rules(), analysis.redundant_rules());
        report.crawlers += 1;
        report.rules += analysis.rules().len();
        report.most_rules = report.most_rules.max(analysis.rules().len());
        report.dead += dead.found.len();
        report.redundant += redundant.found.len();
        for (rule, reason) in dead.undecided.iter().chain(&redundant.undecided) {
            report.undecided.push(format!("{site} {crawler}: {rule}: {reason}"));
        }
        let comparison = compare(&analysis, &analysis);
        if !comparison.is_equal() {
            report.undecided.push(format!("{site} {crawler}: {comparison:?}"));
        }
    }
    report.time = start.elapsed();
    report
}

/// All files, worked on by all processors.
fn of_all_files<T: Send>(test: &str, work: impl Fn(&str, &[u8]) -> T + Sync) -> Option<Vec<T>> {
    let Some(files) = corpus().expect("the archive is sound") else {
        skip_loudly(test, Lacking::Data, &format!("../shared/{CORPUS} is not there"));
        return None;
    };
    let files: Vec<(&String, &Vec<u8>)> = files.iter().collect();
    let results = on_all_processors(|worker, workers| {
        let share = files.iter().skip(worker).step_by(workers);
        share.map(|(site, text)| work(site, text)).collect::<Vec<T>>()
    });
    Some(results.into_iter().flatten().collect())
}

#[test]
fn every_rule_of_real_files_is_decided() {
    let others = [Dialect::GOOGLE, Dialect::BAIDU, Dialect::BOOK, Dialect::ORIG1994];
    let dialects = if cases(1) > 1 { &others[..] } else { &others[..1] };
    for &dialect in [Dialect::RFC9309].iter().chain(dialects) {
        let work = |site: &str, text: &[u8]| report(site, text, dialect);
        let Some(mut reports) = of_all_files("analysis of real files", work) else { return };
        let sum = |count: fn(&Report) -> usize| reports.iter().map(count).sum::<usize>();
        let total: Duration = reports.iter().map(|report| report.time).sum();
        let undecided: Vec<&String> = reports.iter().flat_map(|report| &report.undecided).collect();
        say(&format!(
            "analysis: {dialect}: {} files, {} crawlers, {} rules, {} dead, {} redundant, {} undecided, \
             in {total:.2?}",
            reports.len(),
            sum(|report| report.crawlers),
            sum(|report| report.rules),
            sum(|report| report.dead),
            sum(|report| report.redundant),
            undecided.len(),
        ));
        assert!(undecided.is_empty(), "{undecided:#?}");
        reports.sort_by_key(|report| Reverse(report.time));
        println!("99 % of the files take less than {:.2?}", reports[reports.len() / 100].time);
        for report in &reports[..10] {
            println!(
                "{:.2?} {}: {} crawlers, {} rules, at most {}",
                report.time, report.site, report.crawlers, report.rules, report.most_rules
            );
        }
    }
}

#[test]
fn real_files_are_compared_in_two_dialects() {
    use Dialect as D;
    let others = [(D::RFC9309, D::BAIDU), (D::GOOGLE, D::KOSTER1996), (D::RFC9309, D::ORIG1994)];
    let others = if cases(1) > 1 { &others[..] } else { &[] };
    for &(one, other) in [(D::RFC9309, D::GOOGLE)].iter().chain(others) {
        let work = |site: &str, text: &[u8]| {
            let start = Instant::now();
            let (before, after) = (one.parse(text), other.parse(text));
            let [before, after] = [&before, &after].map(|it| Analysis::new(it, "ExampleBot"));
            let comparison = compare(&before, &after);
            let incomplete = comparison.incomplete();
            let count = comparison.changes().len();
            (start.elapsed(), count, incomplete.map(|reason| format!("{site}: {reason}")))
        };
        let Some(mut found) = of_all_files("comparison of dialects", work) else { return };
        let equal = found.iter().filter(|it| it.1 == 0 && it.2.is_none()).count();
        let changes: usize = found.iter().map(|(_, count, _)| count).sum();
        let total: Duration = found.iter().map(|(time, ..)| time).sum();
        found.sort_by_key(|(time, ..)| Reverse(*time));
        let incomplete: Vec<String> = found.iter().filter_map(|it| it.2.clone()).collect();
        say(&format!(
            "analysis: {one} and {other}: {} files, {equal} equal, {changes} changes, {} incomplete, \
             in {total:.2?}, at most {:.2?}",
            found.len(),
            incomplete.len(),
            found[0].0,
        ));
        assert!(incomplete.is_empty(), "{incomplete:#?}");
    }
}
