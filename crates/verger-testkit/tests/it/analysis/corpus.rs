//! Real files: every rule is decided, every policy equals itself. With `VERGER_CASES`, in more
//! dialects.

use std::collections::BTreeSet;
use std::time::Instant;

use verger::{Dialect, Robots};
use verger_analysis::{Analysis, Budget, compare};
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::generate::{is_thorough, one_in};
use verger_testkit::parallel::map;
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

/// The numbers of crawlers, rules, dead and redundant rules of a file; what is undecided.
fn report(site: &str, text: &[u8], dialect: Dialect) -> ([usize; 4], Vec<String>) {
    let robots = dialect.parse(text);
    let (mut counts, mut undecided) = ([0; 4], Vec::new());
    for crawler in crawlers(&robots) {
        let analysis = Analysis::new(&robots, crawler.as_str());
        let dead = analysis.dead_rules(&mut Budget::default());
        let redundant = analysis.redundant_rules(&mut Budget::default());
        let more = [1, analysis.rules().len(), dead.found.len(), redundant.found.len()];
        counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        for (rule, reason) in dead.undecided.iter().chain(&redundant.undecided) {
            undecided.push(format!("{site} {crawler}: {rule}: {reason}"));
        }
        let comparison = compare(&analysis, &analysis, &mut Budget::default());
        if !comparison.is_equal() {
            undecided.push(format!("{site} {crawler}: {comparison:?}"));
        }
    }
    (counts, undecided)
}

/// The files, worked on by all processors; the default suite takes one of twelve.
fn of_files<T: Send>(test: &str, work: impl Fn(&str, &[u8]) -> T + Sync) -> Option<Vec<T>> {
    let Some(files) = corpus().expect("the archive is sound") else {
        skip_loudly(test, Lacking::Data, &format!("../shared/{CORPUS} is not there"));
        return None;
    };
    Some(map(files.iter().step_by(one_in(12)), |(site, text)| work(site, text)))
}

#[test]
fn every_rule_of_real_files_is_decided() {
    let others = [Dialect::GOOGLE, Dialect::BAIDU, Dialect::BOOK, Dialect::ORIG1994];
    let dialects = if is_thorough() { &others[..] } else { &others[..1] };
    for &dialect in [Dialect::RFC9309].iter().chain(dialects) {
        let work = |site: &str, text: &[u8]| report(site, text, dialect);
        let start = Instant::now();
        let Some(reports) = of_files("analysis of real files", work) else { return };
        let [crawlers, rules, dead, redundant] =
            [0, 1, 2, 3].map(|at| reports.iter().map(|it| it.0[at]).sum::<usize>());
        let undecided: Vec<&String> = reports.iter().flat_map(|it| &it.1).collect();
        say(&format!(
            "analysis: {dialect}: {} files, {crawlers} crawlers, {rules} rules, {dead} dead, \
             {redundant} redundant, {} undecided, in {:.2?}",
            reports.len(),
            undecided.len(),
            start.elapsed(),
        ));
        assert!(undecided.is_empty(), "{undecided:#?}");
    }
}

#[test]
fn real_files_are_compared_in_two_dialects() {
    use Dialect as D;
    let others = [(D::RFC9309, D::BAIDU), (D::GOOGLE, D::KOSTER1996), (D::RFC9309, D::ORIG1994)];
    let others = if is_thorough() { &others[..] } else { &[] };
    for &(one, other) in [(D::RFC9309, D::GOOGLE)].iter().chain(others) {
        let work = |site: &str, text: &[u8]| {
            let (before, after) = (one.parse(text), other.parse(text));
            let [before, after] = [&before, &after].map(|it| Analysis::new(it, "ExampleBot"));
            let comparison = compare(&before, &after, &mut Budget::default());
            let count = comparison.changes.len();
            (count, comparison.incomplete.map(|reason| format!("{site}: {reason}")))
        };
        let start = Instant::now();
        let Some(found) = of_files("comparison of dialects", work) else { return };
        let equal = found.iter().filter(|it| it.0 == 0 && it.1.is_none()).count();
        let changes: usize = found.iter().map(|(count, _)| count).sum();
        let incomplete: Vec<&String> = found.iter().filter_map(|it| it.1.as_ref()).collect();
        say(&format!(
            "analysis: {one} and {other}: {} files, {equal} equal, {changes} changes, {} incomplete, \
             in {:.2?}",
            found.len(),
            incomplete.len(),
            start.elapsed(),
        ));
        assert!(incomplete.is_empty(), "{incomplete:#?}");
    }
}
