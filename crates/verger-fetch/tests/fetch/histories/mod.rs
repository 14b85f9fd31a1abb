//! The records of the client against a naive model, on random histories: attempts, silence, clocks
//! that jump, several crawlers and size limits, diagnostic commands in between.
//!
//! `VERGER_HISTORIES`: their number, 80 by default; `cargo xtask histories` runs 200,000 and
//! plants faults. `VERGER_HISTORIES_SEED`: the first of their seeds.
#![expect(clippy::print_stdout, reason = "the coverage is for people")]

mod coverage;
mod machine;
pub(crate) mod model;
mod world;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::histories::coverage::Coverage;
use crate::histories::machine::Machine;
use crate::histories::model::{Answer, Came, Due, Model};
use crate::histories::world::{Event, World};

/// Events before a difference that are shown.
const SHOWN_EVENTS: usize = 12;

/// Maximum number of differences shown.
const SHOWN: usize = 5;

#[test]
fn records_agree_with_the_model() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number is expected"))
    };
    let histories = number("VERGER_HISTORIES", 80);
    let seed = number("VERGER_HISTORIES_SEED", 9309);
    let next = AtomicU64::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let run = || {
        let mut coverage = Coverage::default();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= histories || coverage.differences.len() >= SHOWN {
                return coverage;
            }
            play(seed + at, &mut coverage);
        }
    };
    let coverage = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Coverage>| {
            thread.join().expect("a history does not panic")
        };
        running.into_iter().map(join).fold(Coverage::default(), Coverage::with)
    });
    println!("{coverage}");
    for difference in coverage.differences.iter().take(SHOWN) {
        println!("{difference}\n");
    }
    assert!(coverage.differences.is_empty(), "{} differences", coverage.differences.len());
}

/// One history. It ends at the first difference.
fn play(seed: u64, coverage: &mut Coverage) {
    let mut world = World::new(seed);
    let mut machine = Machine::new(world.profile, &world.askers);
    let mut model = Model::new(world.profile);
    let mut story = Vec::new();
    let smallest = world.askers.iter().map(|asker| asker.limit).min().unwrap_or_default();
    let mut has_cut = false;
    coverage.begin();
    for _ in 0..world.length {
        let event = world.next();
        world.others.drain(..).for_each(|other| machine.other(other));
        let (asker, is_offline, is_forced) = match event {
            Event::Check { asker, is_offline } => (asker, is_offline, false),
            Event::Fetch { asker } => (asker, false, true),
            Event::Import { asker } => {
                let (version, now, who) = (world.imported(), world.now, world.askers[asker]);
                if machine.import(asker, version, now) {
                    let file = Came::File { version, size: 1, max_age: None };
                    model.fetched(who, (file, false), now);
                }
                story.push(format!("{now} {event:?} {who:?} version {version}"));
                continue;
            }
            Event::Release => {
                machine.release(world.now);
                continue;
            }
            Event::Silence => continue,
        };
        coverage.event();
        let (who, now) = (world.askers[asker], world.now);
        // Offline, nothing is stored, not even the check itself, and no record is created.
        let leaves_no_trace = is_offline || !machine.has_record();
        let before = leaves_no_trace.then(|| model.clone());
        let due = model.due(who, now);
        let is_due = machine.is_due(asker, now);
        let is_held = machine.holds_back(asker, now);
        // The model advances the private state of one crawler by fetches of others; here they end
        // it.
        let is_alone = model.is_alone(who);
        // After a cut body, the model has a state for each size limit; a record has one.
        let is_split = has_cut && world.askers.iter().any(|asker| asker.limit != who.limit);
        let mut wrong = None;
        if is_due && due == Due::No {
            if is_alone || has_cut {
                coverage.exempt += 1;
            } else {
                wrong = Some("a fetch when nothing is due");
            }
        }
        if due == Due::Yes && !is_due && !is_held && !is_alone && !has_cut {
            wrong = Some("no fetch although one is due");
        }
        let is_young = model.answer_while_refreshing(who, now).is_some();
        if machine.may_answer_while_refreshing(asker, now) && !is_young && !is_alone && !has_cut {
            wrong = Some("an answer that is too old while it is refreshed");
        }
        let mut came = None;
        if !is_offline && (is_due || is_forced) {
            let known = machine.validated(asker).filter(|_| model.sends_validators(who));
            let end = world.came(known);
            let is_extra = !is_due;
            machine.fetched(asker, (end, is_extra), now, seed);
            model.fetched(who, (end, is_extra), now);
            match end {
                Came::Part { .. } => has_cut = true,
                Came::File { size, .. } => has_cut |= size > smallest,
                _ => {}
            }
            came = Some(end);
        }
        let has_tried = match came {
            // If no fetch was due, none is missing.
            Some(Came::OwnFault | Came::ReachFailure { .. }) if is_due || is_held => {
                model.due(who, now) == Due::No
            }
            Some(_) => true,
            // It was not due because of the spread of retries.
            None => due == Due::No || due == Due::Perhaps && !is_due && !is_held,
        };
        let expected = model.answer(who, now, has_tried, world.site_available);
        let found = machine.answer(asker, now, is_offline, world.site_available);
        story.push(format!("{now} {event:?} {who:?} due {due:?}/{is_due} {came:?} -> model {expected:?}, found {found:?}"));
        coverage.see(world.profile, model.step(who));
        if let Some(before) = before
            .filter(|_| is_offline || !machine.has_record() && came != Some(Came::DisallowedHop))
        {
            model = before;
        } else if !machine.has_record() {
            model.forget(who);
        }
        let is_same = match (expected, found) {
            (Answer::File { version, .. }, Answer::File { version: other, .. }) => version == other,
            (expected, found) => expected == found,
        };
        match (expected, found) {
            _ if is_same => {}
            (Answer::Allow, _) | (_, Answer::Deny | Answer::Unknown) => coverage.stricter += 1,
            // The copy for a reader of more bytes may be either of two bodies.
            (_, Answer::File { .. }) if has_cut => coverage.exempt += 1,
            (_, Answer::File { .. } | Answer::Allow) if is_alone || is_split => {
                coverage.exempt += 1;
            }
            _ => wrong = Some("more is allowed than by the model"),
        }
        // No exemption: the rest may forbid what the beginning allows (REP-CACHE-30).
        if matches!(found, Answer::File { .. }) && machine.is_cut_short(asker) {
            wrong = Some("an answer by the beginning of a file, to one who reads more");
        }
        if let Some(wrong) = wrong {
            let from = story.len().saturating_sub(SHOWN_EVENTS);
            coverage.differ(format!("seed {seed}: {wrong}\n{}", story[from..].join("\n")));
            break;
        }
    }
    coverage.end();
}
