//! Peers that are libraries written in Rust.

use std::hint::black_box;
use std::marker::PhantomData;
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use super::peer::{About, Answers, Lap, Peer, Stage};
use crate::Result;
use crate::allocations::Count;
use crate::plan::{Plan, Work};
use crate::set::{Set, Site};

/// Usage of a library.
pub(crate) trait Engine: 'static {
    /// Its crate.
    const CRATE: &'static str;
    /// The variant of usage, if there are several.
    const WAY: &'static str = "";
    /// A note for readers of its figures.
    const NOTE: &'static str = "";
    /// The works that it supports.
    const WORKS: &'static [Work];

    /// Whether the parsed file must remain in memory for checks.
    const KEEPS_PARSED: bool = true;

    /// The parsed file.
    type Parsed<'f>;
    /// The form for checks, if different.
    type Ready<'p>;

    /// Parses a file; `None` if it is refused.
    fn parse<'f>(file: &'f [u8], agent: &str, origin: &str) -> Option<Self::Parsed<'f>>;

    /// Prepares the form for checks.
    fn ready<'p, 'f: 'p>(parsed: &'p Self::Parsed<'f>, agent: &str) -> Self::Ready<'p>;

    /// Parses a file, prepares it, and drops the result.
    fn compile(file: &[u8], agent: &str, origin: &str) {
        if let Some(parsed) = Self::parse(file, agent, origin) {
            drop(black_box(Self::ready(&parsed, agent)));
        }
    }

    /// Whether a URL is allowed; `None` if the text is refused.
    fn is_allowed(ready: &Self::Ready<'_>, agent: &str, url: &str) -> Option<bool>;

    /// The same for an extracted path.
    fn is_path_allowed(ready: &Self::Ready<'_>, agent: &str, path: &str) -> Option<bool> {
        Self::is_allowed(ready, agent, path)
    }

    /// One question, without a stored form.
    fn one_shot(file: &[u8], agent: &str, origin: &str, url: &str) -> Option<bool> {
        let parsed = Self::parse(file, agent, origin)?;
        Self::is_allowed(&Self::ready(&parsed, agent), agent, url)
    }
}

/// A library as a peer.
pub(crate) fn library<E: Engine>() -> Box<dyn Peer> {
    let way = if E::WAY.is_empty() { String::new() } else { format!(", {}", E::WAY) };
    let about = About {
        name: format!("{}{way}", E::CRATE),
        version: version_of(E::CRATE),
        registry: if E::CRATE == "verger" { "this project" } else { "crates.io" },
        note: E::NOTE,
        is_ours: E::CRATE == "verger",
    };
    Box::new(Library::<E> { about, engine: PhantomData })
}

/// Heap of a library for a file.
pub(crate) struct Heap {
    pub(crate) name: String,
    pub(crate) is_ours: bool,
    /// Whether the bytes of the file must remain in memory.
    pub(crate) borrows: bool,
    /// Bytes on the heap when a file is ready for checks; `None` if the file is refused.
    pub(crate) hold: fn(&Site, &str, Count) -> Option<u64>,
}

/// A library whose heap is measured.
pub(crate) fn heap<E: Engine>(borrows: bool) -> Heap {
    let about = library::<E>();
    let about = about.about();
    Heap { name: about.name.clone(), is_ours: about.is_ours, borrows, hold: hold::<E> }
}

fn hold<E: Engine>(site: &Site, agent: &str, count: Count) -> Option<u64> {
    let origin = site.origin();
    let mut parsed = None;
    let caught = panic::catch_unwind(AssertUnwindSafe(|| {
        count(&mut || parsed = E::parse(&site.bytes, agent, &origin)).held
    }));
    let (bytes, parsed) = (caught.ok()?, parsed?);
    let mut ready = None;
    let more = count(&mut || ready = Some(E::ready(&parsed, agent))).held;
    drop(ready);
    // Without need for the parsed file, its memory does not count.
    Some(if E::KEEPS_PARSED { bytes + more } else { more })
}

struct Library<E> {
    about: About,
    engine: PhantomData<E>,
}

impl<E: Engine> Peer for Library<E> {
    fn about(&self) -> &About {
        &self.about
    }

    fn can(&self, work: Work) -> bool {
        E::WORKS.contains(&work)
    }

    fn answers(&self, set: &Set) -> Result<Vec<Answers>> {
        // The panic itself is the result; suppress its message.
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let answers = set.sites.iter().map(|site| {
            let asked = panic::catch_unwind(AssertUnwindSafe(|| ask::<E>(site, &set.agent)));
            asked.unwrap_or(Answers::Panicked)
        });
        let answers = answers.collect();
        panic::set_hook(hook);
        Ok(answers)
    }

    fn stage<'s>(&'s self, set: &'s Set, work: Work) -> Result<Box<dyn Stage + 's>> {
        if !work.is_match() {
            return Ok(Box::new(Reading::<E> { set, work, engine: PhantomData }));
        }
        let parsed = set.sites.iter().map(|site| {
            let parsed = E::parse(&site.bytes, &set.agent, &site.origin());
            parsed.ok_or_else(|| format!("{} does not take the file of {}", E::CRATE, site.name))
        });
        Ok(Box::new(Asking::<E> { set, work, parsed: parsed.collect::<Result<_>>()? }))
    }
}

fn ask<E: Engine>(site: &Site, agent: &str) -> Answers {
    let Some(parsed) = E::parse(&site.bytes, agent, &site.origin()) else {
        return Answers::Refused;
    };
    let ready = E::ready(&parsed, agent);
    let answers = site.questions.iter().map(|one| E::is_allowed(&ready, agent, &one.url));
    Answers::Given(answers.collect())
}

/// Works that parse files.
struct Reading<'s, E> {
    set: &'s Set,
    work: Work,
    engine: PhantomData<E>,
}

impl<E: Engine> Stage for Reading<'_, E> {
    fn start(&mut self) -> Box<dyn Lap + '_> {
        let origins = self.set.sites.iter().map(Site::origin).collect();
        Box::new(ReadingLap::<E> { stage: self, origins })
    }
}

struct ReadingLap<'s, E> {
    stage: &'s Reading<'s, E>,
    origins: Vec<String>,
}

impl<E: Engine> Lap for ReadingLap<'_, E> {
    fn lap(&mut self, plan: &Plan, each: Option<&mut Vec<Duration>>) -> Result<Duration> {
        let Reading { set, work, .. } = self.stage;
        let agent = &*set.agent;
        let read = |number: usize| {
            let (site, origin) = (&set.sites[number], &*self.origins[number]);
            let file = black_box(&*site.bytes);
            match work {
                Work::OneShot => {
                    let question = &site.questions[plan.round % site.questions.len()];
                    black_box(E::one_shot(file, agent, origin, &question.url));
                }
                Work::Parse => drop(black_box(E::parse(file, agent, origin))),
                _ => E::compile(file, agent, origin),
            }
        };
        Ok(timed(set.sites.len(), each, read))
    }
}

/// Works that check with parsed files.
struct Asking<'s, E: Engine> {
    set: &'s Set,
    work: Work,
    parsed: Vec<E::Parsed<'s>>,
}

impl<E: Engine> Stage for Asking<'_, E> {
    fn start(&mut self) -> Box<dyn Lap + '_> {
        let ready = self.parsed.iter().map(|parsed| E::ready(parsed, &self.set.agent)).collect();
        Box::new(AskingLap::<E> { set: self.set, work: self.work, ready })
    }
}

struct AskingLap<'p, E: Engine> {
    set: &'p Set,
    work: Work,
    ready: Vec<E::Ready<'p>>,
}

impl<E: Engine> Lap for AskingLap<'_, E> {
    fn lap(&mut self, plan: &Plan, each: Option<&mut Vec<Duration>>) -> Result<Duration> {
        let agent = &*self.set.agent;
        if self.work == Work::Cold {
            let cold = &plan.cold;
            return Ok(timed(cold.questions.len(), each, |number| {
                let (site, question, at) = &cold.questions[number];
                let url = &cold.text[at.clone()];
                black_box(E::is_allowed(&self.ready[*site], agent, black_box(url)));
                black_box(question);
            }));
        }
        let is_path = self.work == Work::HotPath;
        Ok(timed(self.set.sites.len(), each, |number| {
            let (site, ready) = (&self.set.sites[number], &self.ready[number]);
            for _ in 0..plan.repeats {
                for question in &site.questions {
                    black_box(if is_path {
                        E::is_path_allowed(ready, agent, black_box(&question.path))
                    } else {
                        E::is_allowed(ready, agent, black_box(&question.url))
                    });
                }
            }
        }))
    }
}

/// Does something for each number; returns the total time, and optionally each time.
fn timed(count: usize, each: Option<&mut Vec<Duration>>, act: impl Fn(usize)) -> Duration {
    let start = Instant::now();
    if let Some(each) = each {
        each.clear();
        for number in 0..count {
            let start = Instant::now();
            act(number);
            each.push(start.elapsed());
        }
    } else {
        (0..count).for_each(act);
    }
    start.elapsed()
}

/// The version of a linked crate.
fn version_of(name: &str) -> String {
    version_in(include_str!("../../Cargo.lock"), name)
}

fn version_in(lockfile: &str, name: &str) -> String {
    let package = lockfile.split("[[package]]").find(|package| {
        package.lines().any(|line| line.strip_prefix("name = ") == Some(&format!("\"{name}\"")))
    });
    let version = package
        .and_then(|package| package.lines().find_map(|line| line.strip_prefix("version = ")));
    version.unwrap_or("?").trim_matches('"').to_owned()
}
