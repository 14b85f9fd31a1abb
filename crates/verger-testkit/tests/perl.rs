//! `RobotRules` in dialect `orig1994` against Perl's WWW::RobotRules, on generated sessions; `VERGER_CASES` multiplies
//! them.

#![expect(clippy::print_stdout, reason = "the table of forms is for the reader")]

use verger::{Dialect, RobotRules};
use verger_testkit::generate::{Profile, Session, Step, Tally, cases, session};
use verger_testkit::parallel::on_all_processors;
use verger_testkit::perl;
use verger_testkit::shared::{Lacking, say, skip_loudly};

const SEED: u64 = 1994;
const SESSIONS: u64 = 6_000;

/// The engine's answers to the questions of a session, in Perl's format: 1, 0 or −1.
fn engine(session: &Session) -> Vec<i8> {
    let mut rules = RobotRules::in_dialect(&session.name, Dialect::ORIG1994);
    let mut answers = Vec::new();
    for step in &session.steps {
        match step {
            Step::Rename(name) => rules.rename(name),
            Step::Parse { now, url, text, fresh_until } => {
                assert!(rules.parse(url, text, *fresh_until, *now), "{url}");
            }
            Step::Ask { now, url } => {
                answers.push(rules.allowed(url, *now).is_allowed().map_or(-1, i8::from));
            }
        }
    }
    answers
}

/// Perl's answers. It reads the texts without NULs at the ends of lines: it would not remove them,
/// so that such a rule matches nothing, while the engine removes them in every dialect except
/// `google` (REP-AMB-21).
fn perl_answers(sessions: &[Session]) -> Vec<Vec<i8>> {
    let mut sessions = sessions.to_vec();
    for step in sessions.iter_mut().flat_map(|session| &mut session.steps) {
        if let Step::Parse { text, .. } = step {
            *text = text.split_inclusive(|octet| b"\r\n".contains(octet)).flat_map(line).collect();
        }
    }
    perl::answers(&sessions).expect("Perl answers")
}

/// A line without NULs at the end of its content.
fn line(line: &[u8]) -> Vec<u8> {
    let end = line.iter().position(|octet| b"#\r\n".contains(octet)).unwrap_or(line.len());
    let (content, rest) = line.split_at(end);
    let is_dropped = |octet: &u8| b"\0 \t\x0b\x0c".contains(octet);
    let kept = content.iter().rposition(|octet| !is_dropped(octet)).map_or(0, |last| last + 1);
    let content = if content[kept..].contains(&0) { &content[..kept] } else { content };
    [content, rest].concat()
}

fn both(session: &Session) -> (Vec<i8>, Vec<i8>) {
    let perl = perl_answers(std::slice::from_ref(session));
    (engine(session), perl.into_iter().next().expect("one session, one list of answers"))
}

/// Removes steps, then lines, as long as the two differ.
fn shrunk(session: &Session) -> Session {
    let differs = |session: &Session| {
        let (engine, perl) = both(session);
        engine != perl
    };
    let mut session = session.clone();
    for at in (0..session.steps.len()).rev() {
        let mut tried = session.clone();
        tried.steps.remove(at);
        if differs(&tried) {
            session = tried;
        }
    }
    for at in 0..session.steps.len() {
        let Step::Parse { text, .. } = &session.steps[at] else {
            continue;
        };
        let count = text.split_inclusive(|&octet| octet == b'\n').count();
        for line in (0..count).rev() {
            let mut tried = session.clone();
            if let Step::Parse { text, .. } = &mut tried.steps[at] {
                let mut lines: Vec<_> = text.split_inclusive(|&octet| octet == b'\n').collect();
                lines.remove(line);
                *text = lines.concat();
            }
            if differs(&tried) {
                session = tried;
            }
        }
    }
    session
}

fn description(session: &Session) -> String {
    let steps: Vec<String> = session.steps.iter().map(step).collect();
    let (engine, perl) = both(session);
    let name = &session.name;
    format!("name: {name:?}\n{}\nengine: {engine:?}\nPerl:   {perl:?}", steps.join("\n"))
}

fn step(step: &Step) -> String {
    match step {
        Step::Rename(name) => format!("rename: {name:?}"),
        Step::Ask { now, url } => format!("at {now}: {url}"),
        Step::Parse { now, url, text, fresh_until } => {
            let text = text.escape_ascii();
            format!("at {now}: {url} fresh until {fresh_until:?}: \"{text}\"")
        }
    }
}

/// Questions for one process of Perl, and the counts of its answers.
struct Share {
    tally: Tally,
    /// Number of answers -1, 0 and 1.
    counts: [usize; 3],
    differences: Vec<String>,
}

impl Share {
    /// Compares the answers in one session.
    fn add(&mut self, index: u64, session: &Session, expected: &[i8]) {
        self.tally.add(&session.forms, !expected.contains(&0));
        for &answer in expected {
            self.counts[usize::try_from(answer + 1).expect("an answer is from -1 on")] += 1;
        }
        if engine(session) != *expected && self.differences.len() < 3 {
            let description = description(&shrunk(session));
            self.differences.push(format!("session {index} of seed {SEED}\n{description}"));
        }
    }
}

fn compare(worker: usize, workers: usize) -> Share {
    let tally = Tally::new(Profile::Sites);
    let mut share = Share { tally, counts: [0; 3], differences: Vec::new() };
    let indices: Vec<u64> = (0..cases(SESSIONS)).skip(worker).step_by(workers).collect();
    // In batches, because both sides hold them in memory.
    for indices in indices.chunks(3_000) {
        let sessions: Vec<Session> = indices.iter().map(|&index| session(SEED, index)).collect();
        let answers = perl_answers(&sessions);
        for ((index, session), expected) in indices.iter().zip(&sessions).zip(&answers) {
            share.add(*index, session, expected);
        }
    }
    share
}

#[test]
fn robot_rules_answer_as_perl_does_for_paths_in_its_spelling() {
    if !perl::is_installed() {
        return skip_loudly(
            "comparison with WWW::RobotRules",
            Lacking::Tool,
            "Perl's module WWW::RobotRules (Debian: libwww-robotrules-perl) is not installed",
        );
    }
    let mut tally = Tally::new(Profile::Sites);
    let mut counts = [0; 3];
    let mut differences = Vec::new();
    for share in on_all_processors(compare) {
        tally.merge(&share.tally);
        differences.extend(share.differences);
        for (count, more) in counts.iter_mut().zip(share.counts) {
            *count += more;
        }
    }
    println!("{tally}");
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    let total: usize = counts.iter().sum();
    let [unknown, disallowed, allowed] = counts.map(|count| count * 100 / total);
    let rarest = tally.rarest();
    say(&format!(
        "perl: {} generated sessions, {total} answers: {allowed} % 1, {disallowed} % 0, \
         {unknown} % -1; {} forms, the rarest in {:.1} % ({}): 0 differences",
        cases(SESSIONS),
        Profile::Sites.forms().count(),
        tally.share(rarest),
        rarest.name(),
    ));
    assert!(disallowed >= 15 && unknown >= 5, "{counts:?}");
    assert!(tally.share(rarest) >= 1.0, "{:.2} % hold: {}", tally.share(rarest), rarest.name());
}
