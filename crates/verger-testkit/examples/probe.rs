use std::collections::BTreeSet;
use verger::Dialect;
use verger_analysis::{Analysis, compare};
fn cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}
fn main() {
    let files = verger_testkit::corpus::corpus().unwrap().unwrap();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let one = Dialect::named(&args[0]).unwrap();
    let mut times = Vec::new();
    for (site, text) in &files {
        let start = cpu();
        let mut rules = 0;
        let mut count = 0;
        if let Some(other) = args.get(1) {
            let (before, after) = (one.parse(text), Dialect::named(other).unwrap().parse(text));
            let [before, after] = [&before, &after].map(|it| Analysis::new(it, "ExampleBot"));
            count = compare(&before, &after).changes().len();
        } else {
            let robots = one.parse(text);
            let agents = robots.groups().flat_map(|group| group.agents());
            let names: BTreeSet<String> = agents
                .map(|agent| String::from_utf8_lossy(agent.name()).to_ascii_lowercase())
                .chain(["*".to_owned()])
                .collect();
            let mut seen = BTreeSet::new();
            for name in names {
                let groups: Vec<usize> =
                    robots.groups_for(name.as_str()).map(|it| it.index()).collect();
                if !seen.insert(groups) {
                    continue;
                }
                let analysis = Analysis::new(&robots, name.as_str());
                rules = rules.max(analysis.rules().len());
                count += 1;
                let (dead, redundant) = (analysis.dead_rules(), analysis.redundant_rules());
                assert!(dead.undecided.is_empty() && redundant.undecided.is_empty());
                assert!(compare(&analysis, &analysis).is_equal());
            }
        }
        times.push((cpu() - start, site, count, rules));
    }
    times.sort();
    let total: u64 = times.iter().map(|it| it.0).sum();
    println!(
        "total {:.3} s, median {:.3} ms, 99 % {:.3} ms",
        total as f64 / 1e9,
        times[times.len() / 2].0 as f64 / 1e6,
        times[times.len() * 99 / 100].0 as f64 / 1e6
    );
    for (time, site, count, rules) in times.iter().rev().take(10) {
        println!("{:8.2} ms {site} {count} {rules}", *time as f64 / 1e6);
    }
}
