//! Real files: every rule is decided, every policy equals itself, in bounded time.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use verger::{Dialect, Robots};
use verger_analysis::{Analysis, compare};
use verger_testkit::corpus::{CORPUS, corpus};
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

#[test]
fn every_rule_of_real_files_is_decided() {
    let Some(files) = corpus().expect("the archive is sound") else {
        let why = format!("../shared/{CORPUS} is not there");
        return skip_loudly("analysis of real files", Lacking::Data, &why);
    };
    let files: Vec<(&String, &Vec<u8>)> = files.iter().collect();
    for dialect in [Dialect::RFC9309, Dialect::GOOGLE, Dialect::BAIDU, Dialect::BOOK] {
        let reports = on_all_processors(|worker, workers| {
            let share = files.iter().skip(worker).step_by(workers);
            share.map(|(site, text)| report(site, text, dialect)).collect::<Vec<_>>()
        });
        let mut reports = reports.concat_all();
        let sum = |count: fn(&Report) -> usize| reports.iter().map(count).sum::<usize>();
        let total: Duration = reports.iter().map(|report| report.time).sum();
        let undecided: Vec<&String> = reports.iter().flat_map(|report| &report.undecided).collect();
        say(&format!(
            "analysis: {dialect}: {} files, {} crawlers, {} rules, {} dead, {} redundant, {} undecided, {total:?}",
            reports.len(),
            sum(|report| report.crawlers),
            sum(|report| report.rules),
            sum(|report| report.dead),
            sum(|report| report.redundant),
            undecided.len(),
        ));
        assert!(undecided.is_empty(), "{undecided:#?}");
        reports.sort_by_key(|report| std::cmp::Reverse(report.time));
        println!("99 %: {:?}", reports[reports.len() / 100].time);
        for report in &reports[..10] {
            println!(
                "{:?} {} ({} crawlers, {} rules, at most {})",
                report.time, report.site, report.crawlers, report.rules, report.most_rules
            );
        }
    }
}

trait ConcatAll {
    fn concat_all(self) -> Vec<Report>;
}

impl ConcatAll for Vec<Vec<Report>> {
    fn concat_all(self) -> Vec<Report> {
        self.into_iter().flatten().collect()
    }
}
