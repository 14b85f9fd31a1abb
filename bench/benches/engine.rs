//! What the engine costs on ordinary files, beside a peer, in the same run.
//!
//! # Flow
//!
//! [`Set`] is the example file, and the corpus with the URLs of the golden answers where they stand
//! beside the project. Criterion measures each kind of work for the engine and for `fast-robots`, the
//! fastest peer that is right; the table at the end gives the ratios, which is what counts: times on
//! one machine say little.
//!
//! # Scope
//!
//! Both sides read the same bytes and are handed the same ready path. The peer takes UTF-8 up to
//! 512 KiB only, so other files of the corpus are left out. It keeps no places in the file; its
//! compiled matcher is built for one file and all agents, and building is not counted.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use criterion::Criterion;
use fast_robots::RobotsTxt;
use verger::Robots;

const AGENT: &str = "GPTBot";

fn main() {
    let start = SystemTime::now();
    let directory = output_directory();
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .without_plots()
        .output_directory(&directory)
        .configure_from_args();
    let sets: Vec<Set> = [Some(Set::example()), Set::corpus()].into_iter().flatten().collect();
    for set in &sets {
        set.measure(&mut criterion);
    }
    criterion.final_summary();
    for set in &sets {
        set.print_ratios(&directory, start);
    }
}

/// Where Criterion keeps its results.
fn output_directory() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target")).join("criterion")
}

/// Files, and the paths that each is asked about.
struct Set {
    name: &'static str,
    files: Vec<(Vec<u8>, Vec<String>)>,
}

/// A kind of work, who does it, and whom the others are compared with.
const WORK: &[(&str, &[&str])] = &[
    ("parse", &["verger", "fast-robots"]),
    ("check", &["verger", "fast-robots", "fast-robots-compiled"]),
    ("check", &["verger-policy", "fast-robots-compiled", "verger"]),
    ("compile", &["verger", "fast-robots-compiled"]),
    ("one-shot", &["verger", "fast-robots"]),
    ("explain", &["verger", "verger-check"]),
];

impl Set {
    fn example() -> Self {
        let file = include_bytes!("../../examples/shop/robots.txt").to_vec();
        let paths = ["/", "/cart", "/catalogue/chair.html", "/catalogue/?sort=price", "/about"];
        Self { name: "shop", files: vec![(file, paths.map(str::to_owned).into())] }
    }

    /// `None` where the data is absent.
    fn corpus() -> Option<Self> {
        let mut corpus = verger_testkit::corpus::corpus().ok()??;
        let answers = verger_testkit::golden::answers().ok()??;
        let files = answers.into_iter().filter_map(|answers| {
            let bytes = corpus.remove(&answers.file)?;
            RobotsTxt::parse_bytes(&bytes).ok()?;
            let paths: Vec<String> = answers.urls.iter().map(|url| path(url).to_owned()).collect();
            (!paths.is_empty()).then_some((bytes, paths))
        });
        Some(Self { name: "corpus", files: files.collect() })
    }

    fn measure(&self, criterion: &mut Criterion) {
        self.measure_parse(criterion);
        self.measure_check(criterion);
        self.measure_compile(criterion);
        self.measure_one_shot(criterion);
        self.measure_explain(criterion);
    }

    fn measure_parse(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.group("parse"));
        let each = |parse: fn(&[u8])| self.files.iter().for_each(|(file, _)| parse(file));
        group.bench_function("verger", |bench| {
            bench.iter(|| each(|file| drop(black_box(Robots::parse(file)))));
        });
        group.bench_function("fast-robots", |bench| {
            bench.iter(|| each(|file| drop(black_box(RobotsTxt::parse_bytes(file)))));
        });
        group.finish();
    }

    fn measure_check(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.group("check"));
        let ours = self.parsed();
        group.bench_function("verger", |bench| {
            bench.iter(|| count(&ours, |robots, path| robots.check(AGENT, path).is_allowed()));
        });
        let policies: Vec<_> =
            ours.iter().map(|(robots, paths)| (robots.policy(AGENT), *paths)).collect();
        drop(ours);
        group.bench_function("verger-policy", |bench| {
            bench.iter(|| count(&policies, |policy, path| policy.check(path).is_allowed()));
        });
        drop(policies);
        let theirs: Vec<_> = self
            .files
            .iter()
            .filter_map(|(file, paths)| Some((RobotsTxt::parse_bytes(file).ok()?, &**paths)))
            .collect();
        group.bench_function("fast-robots", |bench| {
            bench.iter(|| count(&theirs, |robots, path| robots.is_allowed(AGENT, path)));
        });
        let compiled: Vec<_> =
            theirs.iter().map(|(robots, paths)| (robots.matcher(), *paths)).collect();
        group.bench_function("fast-robots-compiled", |bench| {
            bench.iter(|| count(&compiled, |robots, path| robots.is_allowed(AGENT, path)));
        });
        group.finish();
    }

    /// From bytes to what can be asked: for one crawler ours, for all of them theirs.
    fn measure_compile(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.group("compile"));
        let each = |compile: fn(&[u8])| self.files.iter().for_each(|(file, _)| compile(file));
        group.bench_function("verger", |bench| {
            bench.iter(|| each(|file| drop(black_box(Robots::parse(file).policy(AGENT)))));
        });
        group.bench_function("fast-robots-compiled", |bench| {
            bench.iter(|| {
                each(|file| {
                    let parsed = RobotsTxt::parse_bytes(file).ok();
                    drop(black_box(parsed.as_ref().map(RobotsTxt::matcher)));
                });
            });
        });
        group.finish();
    }

    fn measure_one_shot(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.group("one-shot"));
        let files: Vec<(&[u8], &[String])> =
            self.files.iter().map(|(file, paths)| (&**file, &paths[..1])).collect();
        group.bench_function("verger", |bench| {
            bench.iter(|| count(&files, |file, path| verger::is_allowed(file, AGENT, path)));
        });
        group.bench_function("fast-robots", |bench| {
            bench.iter(|| {
                count(&files, |file, path| {
                    RobotsTxt::parse_bytes(file).is_ok_and(|robots| robots.is_allowed(AGENT, path))
                })
            });
        });
        group.finish();
    }

    /// No peer explains, so the engine's own `check` stands beside it.
    fn measure_explain(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.group("explain"));
        let ours = self.parsed();
        group.bench_function("verger", |bench| {
            bench.iter(|| {
                count(&ours, |robots, path| robots.explain(AGENT, path).verdict.is_allowed())
            });
        });
        group.bench_function("verger-check", |bench| {
            bench.iter(|| count(&ours, |robots, path| robots.check(AGENT, path).is_allowed()));
        });
        group.finish();
    }

    fn parsed(&self) -> Vec<(Robots, &[String])> {
        self.files.iter().map(|(file, paths)| (Robots::parse(file), &**paths)).collect()
    }

    fn group(&self, work: &str) -> String {
        format!("{}-{work}", self.name)
    }

    /// Prints how many times as fast as each other the engine was, as far as it was measured now.
    fn print_ratios(&self, directory: &Path, start: SystemTime) {
        println!("\n{}: {} files", self.name, self.files.len());
        for (work, names) in WORK {
            let median = |name: &str| {
                let path = directory.join(self.group(work)).join(name);
                median(&path.join("new/estimates.json"), start)
            };
            let Some(time) = median(names[0]) else { continue };
            let ours = names[0];
            for name in &names[1..] {
                if let Some(theirs) = median(name) {
                    println!("  {work:9} {ours:13} {:6.2} x as fast as {name}", theirs / time);
                }
            }
        }
    }
}

/// Asks every file about every path, and counts what is allowed.
fn count<R>(files: &[(R, &[String])], ask: impl Fn(&R, &str) -> bool) -> usize {
    files
        .iter()
        .flat_map(|(robots, paths)| paths.iter().map(move |path| (robots, path)))
        .filter(|(robots, path)| black_box(ask(robots, path)))
        .count()
}

/// The path of a URL.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |slash| &rest[slash..])
}

/// The median that Criterion wrote, unless it is of an earlier run.
fn median(path: &Path, start: SystemTime) -> Option<f64> {
    if fs::metadata(path).ok()?.modified().ok()? < start {
        return None;
    }
    let estimates: serde_json::Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    estimates.get("median")?.get("point_estimate")?.as_f64()
}
