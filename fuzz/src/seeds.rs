//! Seeds for the fuzz targets, generated from the conformance suite.
//!
//! The suite has inputs that parsers get wrong, so a fuzzer need not find them first. `cargo run
//! --example seeds` writes them to `seeds/`, as does `cargo xtask fuzz`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use verger_testkit::suite::{Case, NamedCrawler, Question as Asked, Suite};

use crate::input;

/// Seeds by target and name.
pub type Seeds = BTreeMap<(&'static str, String), Vec<u8>>;

/// Generates the seeds from a suite: some for each target, small and without duplicates.
pub fn make(suite: &Suite) -> Seeds {
    let mut seeds = Collected::default();
    large(&mut seeds);
    long_target(&mut seeds);
    // The suite has nothing about identity and logs.
    for (target, texts) in [
        ("address_list", &crate::address_list::SEEDS[..]),
        ("key_set", &crate::key_set::SEEDS),
        ("signature", &crate::signature::SEEDS),
        ("log", &crate::log::SEEDS),
        ("enforce", &crate::enforce::SEEDS),
    ] {
        for text in texts {
            seeds.add(target, target, Some(text.as_bytes().to_vec()));
        }
    }
    for case in &suite.verdicts {
        let crawler = crawler(&case.crawler);
        let question =
            input::Question { crawler, url: case.url.clone(), robots: case.robots.clone(), row: 0 };
        let text = question.to_text();
        seeds.add("parse", &case.file, Some(case.robots.clone()));
        seeds.add("record", &case.file, Some(crate::record::seed(&case.robots)));
        seeds.add("check_against_naive", &case.file, text.clone());
        for target in ["analysis", "policy", "fmt", "fixes"] {
            seeds.add(target, &case.file, text.clone());
        }
        seeds.add("explain", &case.file, text);
        seeds.add("normal_form", &case.file, url_seed(case));
    }
    for statement in &suite.statements {
        let file = &statement.file;
        let (robots, url, agent) = match &statement.question {
            Asked::Scope(scope) => {
                let urls = format!("{}\n{}", scope.robots_url, scope.url);
                seeds.add("url_scope", file, Some(urls.into_bytes()));
                continue;
            }
            Asked::Derive(derive) => {
                seeds.add("url_scope", file, Some(derive.url.clone().into_bytes()));
                continue;
            }
            Asked::Page(page) => {
                seeds.add("page_directives", file, Some(crate::page_directives::seed(page)));
                continue;
            }
            Asked::Usage(usage) => {
                (usage.robots.as_bytes(), usage.url.clone(), usage.agent.clone())
            }
            Asked::Extension(extension) => (
                &extension.robots.0[..],
                extension.url.clone().unwrap_or_default(),
                extension.agent.clone().unwrap_or_default(),
            ),
            _ => continue,
        };
        let question = input::Question {
            crawler: input::NamedCrawler { tokens: vec![agent], ..input::NamedCrawler::default() },
            url: url.into_bytes(),
            robots: robots.to_vec(),
            row: 0,
        };
        seeds.add("extension_values", file, question.to_text());
    }
    seeds.chosen()
}

/// Inputs with many lines, which neither the suite has nor a fuzzer finds.
fn large(seeds: &mut Collected) {
    // More diagnostics than the limit.
    seeds.add(
        "parse",
        "many-findings",
        Some("x\n".repeat(verger::limits::DIAGNOSTICS + 20).into_bytes()),
    );
    // Enough names to be sorted, some of them repeated; short, so that a fuzzer can still change
    // them.
    let lines = (0..128 + 2).map(|at| {
        let name = char::from(b'a' + u8::try_from(at % 26 + at % 2).unwrap_or_default());
        let rule = if at % 10 == 0 { format!("disallow:/{name}\n") } else { String::new() };
        format!("user-agent:{name}\n{rule}")
    });
    let robots = lines.collect::<String>();
    for crawler in ["chain\tb", "chain\tx1\tC\td", "union\tz\ty\tb\tB\t", "chain*\t1"] {
        let text = format!("{crawler}\n/b\n{robots}").into_bytes();
        seeds.add("check_against_naive", "many-agents", Some(text.clone()));
        seeds.add("explain", "many-agents", Some(text));
    }
    // The maximum number of tokens that are compared with each user-agent line, and one more.
    for count in [16, 17] {
        let tokens = vec!["x"; count - 1].join("\t");
        let text = format!("chain\t{tokens}\tb\n/b\n{robots}");
        seeds.add("check_against_naive", "many-tokens", Some(text.into_bytes()));
    }
}

/// A target long enough for the search by blocks, which almost contains the literals in every
/// place.
fn long_target(seeds: &mut Collected) {
    for (path, rule) in [
        ("ab".repeat(350), "disallow:/*ababbaba\nallow:*ba$\n"),
        ("abc%41".repeat(110), "disallow:/*cAa*abcAb\nallow:*c%41abd\n"),
        ("z".repeat(700) + "ey", "disallow:*zzzzzzzze*y\nallow:*zzx*\n"),
    ] {
        let text = format!("chain\tx\n/{path}\nuser-agent:*\n{rule}").into_bytes();
        for target in ["check_against_naive", "explain", "policy"] {
            seeds.add(target, "long-target", Some(text.clone()));
        }
    }
}

/// Writes seeds into a folder, and deletes files that are no longer seeds.
///
/// # Errors
///
/// If a file or folder cannot be written.
pub fn write(seeds: &Seeds, folder: &Path) -> io::Result<()> {
    for target in crate::TARGETS {
        let folder = folder.join(target.name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
    }
    for ((target, name), bytes) in seeds {
        std::fs::write(folder.join(target).join(name), bytes)?;
    }
    Ok(())
}

/// Candidates by target and file of the suite, without duplicates.
#[derive(Default)]
struct Collected {
    found: BTreeMap<(&'static str, String), Vec<Vec<u8>>>,
    contents: BTreeSet<(&'static str, Vec<u8>)>,
}

impl Collected {
    fn add(&mut self, target: &'static str, file: &str, bytes: Option<Vec<u8>>) {
        let Some(bytes) = bytes.filter(|bytes| bytes.len() <= LARGEST) else { return };
        if self.contents.insert((target, bytes.clone())) {
            let topic = file.trim_end_matches(".toml").to_owned();
            self.found.entry((target, topic)).or_default().push(bytes);
        }
    }

    /// A few of each file, evenly spaced, named by the file and a number.
    fn chosen(self) -> Seeds {
        let mut seeds = Seeds::new();
        for ((target, topic), found) in self.found {
            let wanted = most_of_a_file(target).min(found.len());
            for number in 0..wanted {
                let name = format!("{topic}-{:02}", number + 1);
                seeds.insert((target, name), found[number * found.len() / wanted].clone());
            }
        }
        seeds
    }
}

/// Maximum length of a seed in bytes: in small seeds, mutations hit the interesting bytes more
/// often.
const LARGEST: usize = 2_100;

/// Maximum number of seeds from a file. The topics of the suite are its files, and a few cases of
/// each suffice.
fn most_of_a_file(target: &str) -> usize {
    match target {
        "check_against_naive" => 16,
        "parse" | "explain" | "normal_form" => 3,
        "record" => 1,
        // These targets use one or two files each.
        _ => 50,
    }
}

fn crawler(named: &NamedCrawler) -> input::NamedCrawler {
    let (tokens, is_union) = match named {
        NamedCrawler::Token(token) => (vec![token.clone()], false),
        NamedCrawler::Chain(tokens) => (tokens.clone(), false),
        NamedCrawler::Union(tokens) => (tokens.clone(), true),
    };
    input::NamedCrawler { tokens, is_union, ..input::NamedCrawler::default() }
}

/// The URL, and the case's name as source of spelling choices.
fn url_seed(case: &Case) -> Option<Vec<u8>> {
    let is_line = !case.url.contains(&b'\n');
    is_line.then(|| [&case.url[..], b"\n", case.name.as_bytes()].concat())
}
