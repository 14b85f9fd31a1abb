//! One run: from what was asked for to tables.

use indicatif::{ProgressBar, ProgressStyle};

use crate::agreement::{self, Agreement};
use crate::arguments::{Arguments, Subject};
use crate::corpus::{Corpus, Source};
use crate::measure::{Measured, compare};
use crate::peers::{self, Peer};
use crate::plan::Work;
use crate::report::{Table, grouped, percent, time, times};
use crate::survey::Survey;
use crate::{Result, statistics};

/// Measures what was asked for, and tells it on standard output.
///
/// # Errors
///
/// When files cannot be read or written, or a peer cannot be run.
pub fn run(arguments: &Arguments) -> Result {
    let source = match &arguments.corpus {
        Some(path) => Source::Files(path, arguments.golden.as_deref()),
        None => Source::Generated { seed: arguments.seed, sites: arguments.sites },
    };
    let corpus = Corpus::open(&source, &arguments.agent)?;
    if let Some(folder) = &arguments.generate_to {
        return corpus.write_to(folder);
    }
    let peers = peers::all();
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::default_spinner());
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let say = |what: &str, who: &str| bar.set_message(format!("{what}: {who}"));

    let survey = Survey::of(&corpus.set, &peers, &|who| say("asking everything once", who))?;
    let timed: Vec<&dyn Peer> =
        peers.iter().map(|peer| &**peer).filter(|peer| survey.takes_part(*peer)).collect();
    print(&bar, &told(&corpus, &survey));
    print(&bar, &format!("## peers\n\n{}", peers_table(&peers)));
    for (work, subject) in Work::ALL.into_iter().zip(SUBJECTS) {
        if arguments.wants(subject) {
            let done = |who: &str| say(work.name(), who);
            let measured = compare(work, &survey.set, &timed, arguments.rounds(), &done)?;
            print(&bar, &format!("## {}\n\n{}", work.name(), table(work, &measured, &survey)));
        }
    }
    if arguments.wants(Subject::Agreement) {
        let found = agreement::of(&corpus, &peers, &|who| say("agreement", who))?;
        print(&bar, &format!("## agreement\n\n{}", agreement_table(&found)));
    }
    bar.finish_and_clear();
    Ok(())
}

const SUBJECTS: [Subject; 6] = [
    Subject::OneShot,
    Subject::Parse,
    Subject::Compile,
    Subject::MatchHot,
    Subject::MatchPath,
    Subject::MatchCold,
];

fn print(bar: &ProgressBar, text: &str) {
    bar.suspend(|| println!("{text}"));
}

fn told(corpus: &Corpus, survey: &Survey) -> String {
    let set = &survey.set;
    let mut lines = vec![format!(
        "{}: {} files, {} bytes; {} files and {} questions are timed",
        corpus.name,
        corpus.set.sites.len(),
        corpus.set.bytes(),
        set.sites.len(),
        set.questions()
    )];
    lines.extend(survey.told());
    lines.join("\n")
}

fn peers_table(peers: &[Box<dyn Peer>]) -> Table {
    let mut table = Table::new(&["peer", "version", "registry", "to know"]);
    for about in peers.iter().map(|peer| peer.about()) {
        table.row([&*about.name, &about.version, about.registry, about.note]);
    }
    table
}

fn table(work: Work, all: &[Measured], survey: &Survey) -> Table {
    let mut table = Table::new(&["peer", "time", "beside Verger", "p99", "MB/s"]);
    for one in all {
        let ratio = all.first().map(|ours| times(one.times(ours))).unwrap_or_default();
        let p99 = if one.sites.is_empty() { String::new() } else { time(one.p99()) };
        let rate = if work.is_match() {
            String::new()
        } else {
            let mean = statistics::share(survey.set.bytes(), survey.set.sites.len());
            grouped(mean / one.time() * 1e3)
        };
        table.row([one.name.clone(), time(one.time()), ratio, p99, rate]);
    }
    table
}

fn agreement_table(found: &[Agreement]) -> Table {
    let mut table =
        Table::new(&["peer", "as Google", "differs", "of these wrongly allowed", "no answer"]);
    for one in found {
        let counts = [one.wrong, one.wrongly_allowed, one.unanswered];
        let mut row = vec![one.peer.clone(), percent(one.share())];
        row.extend(counts.map(|count| count.to_string()));
        table.row(row);
    }
    table
}
