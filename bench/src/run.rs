//! One run: from the arguments to the page.

use std::cell::RefCell;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::{Arguments, Subject, called};
use crate::corpus::Corpus;
use crate::growth::{self, Shape};
use crate::memory::{Held, Policies};
use crate::peers::{self, Peer};
use crate::plan::Work;
use crate::results::Results;
use crate::survey::Survey;
use crate::{Result, agreement, batch, floors, load, machine, measure, report, worst};

/// Measures, and prints the page on standard output, or writes `docs/performance.md`.
///
/// # Errors
///
/// If files cannot be read or written, a peer cannot be run, or a floor is missed.
pub fn run(arguments: &Arguments) -> Result {
    let corpus = arguments.corpus()?;
    if let Some(folder) = &arguments.generate_to {
        return corpus.write_to(folder);
    }
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::default_spinner());
    bar.enable_steady_tick(Duration::from_millis(200));
    let run = Run { arguments, corpus, bar, results: RefCell::default() };
    let results = run.all()?;
    run.bar.finish_and_clear();
    let command = called();
    let page = report::page(&results, &command, arguments.write)?;
    if arguments.write {
        page.write(&command)?;
    } else {
        page.print();
    }
    if arguments.floors { floors::check(&results) } else { Ok(()) }
}

struct Run<'a> {
    arguments: &'a Arguments,
    corpus: Corpus,
    bar: ProgressBar,
    results: RefCell<Results>,
}

impl Run<'_> {
    fn all(&self) -> Result<Results> {
        // Measured early, before this program itself adds load.
        self.results.borrow_mut().busy = machine::busy();
        let (peers, missing) = peers::all(&installed());
        for sentence in missing {
            self.note(sentence);
        }
        let say = |peer: &str| self.say("asking everything once", peer);
        let survey = Survey::of(&self.corpus.set, &peers, &say)?;
        survey.notes().into_iter().for_each(|sentence| self.note(sentence));
        self.begin(&peers, &survey);
        self.in_turn(&peers, &survey)?;
        self.alone(&survey)?;
        if self.arguments.wants(Subject::Agreement) {
            let say = |peer: &str| self.say("agreement", peer);
            self.results.borrow_mut().agreement = agreement::of(&self.corpus, &peers, &say)?;
        }
        if self.arguments.wants(Subject::Growth) {
            self.growth(&growth::peers(peers))?;
        }
        Ok(self.results.take())
    }

    fn begin(&self, peers: &[Box<dyn Peer>], survey: &Survey) {
        let mut results = self.results.borrow_mut();
        results.machine = machine::description();
        let set = &self.corpus.set;
        results.corpus = (self.corpus.name.clone(), set.sites.len(), set.bytes());
        results.has_golden = !self.corpus.golden.is_empty();
        results.rounds = self.arguments.rounds();
        results.peers = peers.iter().map(|peer| peer.about().clone()).collect();
        results.timed = survey.set.clone();
    }

    fn in_turn(&self, peers: &[Box<dyn Peer>], survey: &Survey) -> Result {
        let timed: Vec<&dyn Peer> =
            peers.iter().map(|peer| &**peer).filter(|peer| survey.takes_part(*peer)).collect();
        for work in Work::ALL {
            if self.arguments.wants(Subject::of(work)) {
                let say = |peer: &str| self.say(work.name(), peer);
                let rounds = self.arguments.rounds();
                let found = measure::compare(work, &survey.set, &timed, rounds, &say)?;
                self.results.borrow_mut().works.push((work, found));
            }
        }
        Ok(())
    }

    /// Measurements of Verger alone.
    fn alone(&self, survey: &Survey) -> Result {
        let (arguments, mut results) = (self.arguments, self.results.borrow_mut());
        if arguments.wants(Subject::Memory) {
            self.say("memory", "policies");
            results.policies = Some(Policies::of(&survey.set));
            results.load = Some(load::of(&survey.set, arguments.rounds()));
            match Held::ask() {
                Ok((held, peak)) => (results.held, results.peak) = (held, peak),
                Err(error) => results.notes.push(self.skipped("the heap", &error)),
            }
        }
        if arguments.wants(Subject::Worst) {
            let say = |case: &str| self.say("worst", case);
            (results.cases, results.worst) = worst::of(arguments.quick, &say);
        }
        if arguments.wants(Subject::Batch) {
            self.say("batch", "verger");
            match batch::of(&survey.set, arguments.program.as_deref()) {
                Ok(rate) => results.batch = Some(rate),
                Err(error) => results.notes.push(self.skipped("the batch", &error)),
            }
        }
        if arguments.wants(Subject::Tiers) {
            #[cfg(feature = "tiers")]
            {
                let say = |store: &str| self.say("stores", store);
                results.tiers = crate::tiers::of(&survey.set, arguments.rounds(), &say)?;
            }
            #[cfg(not(feature = "tiers"))]
            {
                let sentence = self.skipped("the stores", "built without the feature `tiers`");
                results.notes.push(sentence);
            }
        }
        Ok(())
    }

    fn growth(&self, peers: &[Box<dyn Peer>]) -> Result {
        let (rounds, largest) = if self.arguments.quick {
            (3, 10_000)
        } else {
            (self.arguments.rounds().min(7), usize::MAX)
        };
        for shape in [Shape::Prefixes, Shape::Wildcards] {
            let say = |size: &str| self.say("growth", size);
            let curves = growth::curves(shape, peers, rounds, largest, &say)?;
            self.results.borrow_mut().growth.push((shape, curves));
        }
        Ok(())
    }

    fn say(&self, work: &str, subject: &str) {
        self.bar.set_message(format!("{work}: {subject}"));
    }

    /// Prints a sentence now, and adds it to the page.
    fn note(&self, sentence: String) {
        self.bar.suspend(|| eprintln!("{sentence}"));
        self.results.borrow_mut().notes.push(sentence);
    }

    fn skipped(&self, what: &str, error: &str) -> String {
        let sentence = format!("SKIPPED {what}: {error}");
        self.bar.suspend(|| eprintln!("{sentence}"));
        sentence
    }
}

/// The folder of peers that `--setup` installs.
fn installed() -> PathBuf {
    let here = env::current_exe().unwrap_or_default();
    here.parent().and_then(Path::parent).unwrap_or(Path::new(".")).join("bench")
}
