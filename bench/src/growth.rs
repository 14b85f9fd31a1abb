//! Cost of a check as a file grows.
//!
//! # Flow
//!
//! Files of 10 to 100,000 rules in two shapes, and the same kinds of URLs, for all peers. Before
//! the laps their answers are compared with Verger's: a curve of wrong answers is of little use,
//! and some parsers stop at a size limit. A peer that would take too long at the next size stops
//! there.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::Result;
use crate::peers::{self, Answers, Lap, Peer, Stage};
use crate::plan::{Plan, Work};
use crate::set::{Set, Site};
use crate::statistics::{median, share};

/// Numbers of rules.
pub(crate) const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// Number of questions for each file.
const QUESTIONS: usize = 60;

/// Minimum duration of a lap, reached by repetition.
const LAP: Duration = Duration::from_millis(10);

/// Maximum time of a peer for all questions once; a slower peer skips the next size, which is ten
/// times as large.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Shape of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Paths.
    Prefixes,
    /// 30 % with a wildcard: a quarter of these begin with `/*`, the others have distinct literal
    /// prefixes.
    Wildcards,
}

impl Shape {
    /// Name in `budgets.txt`, and of its chart.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Prefixes => "growth-prefixes",
            Self::Wildcards => "growth-wildcards",
        }
    }
}

/// Times of a peer.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) peer: String,
    pub(crate) is_ours: bool,
    pub(crate) points: Vec<Point>,
}

/// Cost of a check at one size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) rules: usize,
    pub(crate) nanos: f64,
    /// The share of answers that differ from Verger's.
    pub(crate) wrong: f64,
}

impl Curve {
    /// Nanoseconds at a number of rules, if measured.
    pub(crate) fn at(&self, rules: usize) -> Option<f64> {
        self.points.iter().find(|point| point.rules == rules).map(|point| point.nanos)
    }

    /// The largest share of different answers.
    pub(crate) fn wrong(&self) -> f64 {
        self.points.iter().map(|point| point.wrong).fold(0.0, f64::max)
    }
}

/// The curves of all peers: Verger first, then by the last point.
pub(crate) fn curves(
    shape: Shape,
    peers: &[Box<dyn Peer>],
    rounds: usize,
    largest: usize,
    done: &dyn Fn(&str),
) -> Result<Vec<Curve>> {
    let mut curves: Vec<Curve> = peers.iter().map(|peer| Curve::new(&**peer)).collect();
    let mut going: Vec<usize> = (0..peers.len()).collect();
    for size in SIZES.into_iter().filter(|&size| size <= largest) {
        done(&format!("{size} rules"));
        let set = Set { agent: "GPTBot".to_owned(), sites: vec![site(shape, size)] };
        let asked: Vec<&dyn Peer> = going.iter().map(|&number| &*peers[number]).collect();
        let found = at_size(&set, &asked, rounds)?;
        let mut still = Vec::new();
        for (number, found) in going.into_iter().zip(found) {
            let Some((nanos, wrong, once)) = found else { continue };
            curves[number].points.push(Point { rules: size, nanos, wrong });
            if once < PATIENCE {
                still.push(number);
            }
        }
        going = still;
    }
    curves.retain(|curve| !curve.points.is_empty());
    let reach = |curve: &Curve| curve.points.last().map(|point| (point.rules, point.nanos));
    curves.sort_by(|a, b| {
        let ((far, slow), (other_far, other_slow)) =
            (reach(a).unwrap_or_default(), reach(b).unwrap_or_default());
        let by_reach = other_far.cmp(&far).then(slow.total_cmp(&other_slow));
        b.is_ours.cmp(&a.is_ours).then(by_reach)
    });
    Ok(curves)
}

impl Curve {
    fn new(peer: &dyn Peer) -> Self {
        let about = peer.about();
        Self { peer: about.name.clone(), is_ours: about.is_ours, points: Vec::new() }
    }
}

/// For each peer: nanoseconds for a question, the share of wrong answers, and the time to parse and
/// check once; `None` if the peer refuses the file.
type Found = Option<(f64, f64, Duration)>;

/// A peer in the rounds of one size: its number of repetitions, and nanoseconds for a question.
type Running<'s> = (Box<dyn Lap + 's>, usize, Vec<f64>);

#[expect(clippy::cast_precision_loss, reason = "thousands")]
fn at_size(set: &Set, peers: &[&dyn Peer], rounds: usize) -> Result<Vec<Found>> {
    let right = peers.first().map(|peer| peer.answers(set)).transpose()?.unwrap_or_default();
    let mut before = Vec::new();
    for peer in peers {
        let start = Instant::now();
        let answers = peer.answers(set)?;
        before.push((wrong(&right, &answers), start.elapsed()));
    }
    let mut stages: Vec<Option<Box<dyn Stage + '_>>> = Vec::new();
    for (peer, (wrong, _)) in peers.iter().zip(&before) {
        stages.push(wrong.map(|_| peer.stage(set, Work::Hot)).transpose()?);
    }
    let mut laps: Vec<Option<Running<'_>>> = Vec::new();
    for stage in &mut stages {
        let Some(stage) = stage else {
            laps.push(None);
            continue;
        };
        let mut lap = stage.start();
        let plan = Plan { repeats: 1, ..Plan::default() };
        // A first lap for preparations, which are not part of the cost.
        lap.lap(&plan, None)?;
        let once = lap.lap(&plan, None)?;
        let repeats = LAP.as_nanos() / once.as_nanos().max(1);
        laps.push(Some((lap, usize::try_from(repeats).unwrap_or(1).clamp(1, 100_000), Vec::new())));
    }
    for round in 0..rounds {
        for (lap, repeats, times) in laps.iter_mut().flatten() {
            let plan = Plan { round, repeats: *repeats, ..Plan::default() };
            let time = lap.lap(&plan, None)?;
            times.push(time.as_nanos() as f64 / (QUESTIONS * *repeats) as f64);
        }
    }
    let found = laps.into_iter().zip(before).map(|(lap, (wrong, once))| {
        lap.map(|(_, _, times)| (median(&times), wrong.unwrap_or_default(), once))
    });
    Ok(found.collect())
}

/// The share of different answers; `None` if the file is refused.
fn wrong(right: &[Answers], given: &[Answers]) -> Option<f64> {
    let (Some(Answers::Given(right)), Some(Answers::Given(given))) = (right.first(), given.first())
    else {
        return None;
    };
    let differing = right.iter().zip(given).filter(|(right, given)| right != given).count();
    Some(share(differing, right.len()))
}

fn site(shape: Shape, rules: usize) -> Site {
    let mut random = Rng::with_seed(rules as u64);
    let mut robots = String::from("User-agent: *\n");
    let rules: Vec<Rule> = (0..rules).map(|number| Rule::new(shape, number, &mut random)).collect();
    for rule in &rules {
        // Writing to a string cannot fail.
        let _ = writeln!(robots, "Disallow: {}", rule.pattern);
    }
    let urls = (0..QUESTIONS).map(|number| {
        let rule = &rules[random.usize(..rules.len())];
        let path = match number % 3 {
            0 => rule.hit.clone(),
            1 => rule.miss.clone(),
            _ => format!("/catalogue/{}/view?page={}", random.u32(..100_000), random.u8(..)),
        };
        format!("https://grown.example{path}")
    });
    let urls = urls.collect();
    Site::new("grown.example", robots.into_bytes(), urls)
}

/// A rule, a path that it matches and one that it almost matches.
struct Rule {
    pattern: String,
    hit: String,
    miss: String,
}

impl Rule {
    fn new(shape: Shape, number: usize, random: &mut Rng) -> Self {
        const FOLDERS: [&str; 6] = ["shop", "users", "archive", "media", "forum", "api"];
        let folder = FOLDERS[random.usize(..FOLDERS.len())];
        // In groups of ten, so that every size has both kinds.
        let is_wild = shape == Shape::Wildcards && number % 10 < 3;
        if !is_wild {
            let pattern = format!("/{folder}/{number:x}/private");
            let (hit, miss) =
                (format!("{pattern}/page.html"), format!("/{folder}/{number:x}/prices"));
            return Self { pattern, hit, miss };
        }
        // Every fourth of the rules with wildcards.
        if (number / 10 * 3 + number % 10).is_multiple_of(4) {
            let pattern = format!("/*/{number:x}-print");
            let (hit, miss) = (
                format!("/{folder}/a/{number:x}-print.html"),
                format!("/{folder}/a/{number:x}-prices"),
            );
            return Self { pattern, hit, miss };
        }
        let pattern = format!("/{folder}/{number:x}/*/edit");
        let (hit, miss) =
            (format!("/{folder}/{number:x}/7/edit?x=1"), format!("/{folder}/{number:x}/7/view"));
        Self { pattern, hit, miss }
    }
}

/// The participating peers: those that store a parsed form, without size limits where these can be
/// removed.
pub(crate) fn peers(all: Vec<Box<dyn Peer>>) -> Vec<Box<dyn Peer>> {
    let mut peers = peers::unbounded();
    let lifted: Vec<String> = peers.iter().map(|peer| peer.about().name.clone()).collect();
    peers.extend(all.into_iter().filter(|peer| {
        let about = peer.about();
        peer.can(Work::Hot) && !about.is_ours && !lifted.contains(&about.name)
    }));
    peers
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger::Robots;

    #[test]
    fn a_third_of_the_questions_hits_a_rule_and_a_third_nearly() {
        for shape in [Shape::Prefixes, Shape::Wildcards] {
            let site = site(shape, 1_000);
            let robots = Robots::parse(&site.bytes);
            let disallowed: Vec<bool> = site
                .questions
                .iter()
                .map(|one| !robots.check("GPTBot", &one.url).is_allowed())
                .collect();
            assert!(disallowed.iter().step_by(3).all(|&hit| hit), "{shape:?}");
            assert_eq!(disallowed.iter().filter(|&&hit| hit).count(), QUESTIONS / 3, "{shape:?}");
        }
    }

    #[test]
    fn three_tenths_have_wildcards_and_a_quarter_of_these_begins_with_one() {
        let site = site(Shape::Wildcards, 1_000);
        let text = String::from_utf8(site.bytes).unwrap();
        assert_eq!(text.matches('*').count() - 1, 300);
        assert_eq!(text.matches(": /*").count(), 75);
    }

    #[test]
    fn a_curve_has_a_point_for_each_size() {
        let curves = curves(Shape::Wildcards, &peers::unbounded(), 1, 100, &|_| {}).unwrap();
        assert!(curves[0].is_ours);
        for curve in &curves {
            assert_eq!(curve.points.len(), 2, "{curve:?}");
            assert!(curve.wrong() < 1e-9, "{curve:?}");
        }
    }
}
