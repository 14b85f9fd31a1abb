//! Number of histories that reach each step of each profile, and the differences.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A profile, a step of its outages, and whether there is a copy.
type Place = (&'static str, (&'static str, bool));

#[derive(Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) histories: u64,
    pub(crate) events: u64,
    /// Comparisons that only say that cut bodies or private states differ.
    pub(crate) exempt: u64,
    /// Answers that allow less than the model's.
    pub(crate) stricter: u64,
    pub(crate) differences: Vec<String>,
    reached: BTreeMap<Place, u64>,
    this: BTreeSet<Place>,
}

impl Coverage {
    pub(crate) fn begin(&mut self) {
        self.histories += 1;
        self.this.clear();
    }

    pub(crate) fn event(&mut self) {
        self.events += 1;
    }

    pub(crate) fn see(&mut self, profile: &'static str, step: (&'static str, bool)) {
        self.this.insert((profile, step));
    }

    pub(crate) fn end(&mut self) {
        for place in std::mem::take(&mut self.this) {
            *self.reached.entry(place).or_default() += 1;
        }
    }

    pub(crate) fn differ(&mut self, what: String) {
        self.differences.push(what);
    }

    pub(crate) fn with(mut self, other: Self) -> Self {
        self.histories += other.histories;
        self.events += other.events;
        self.exempt += other.exempt;
        self.stricter += other.stricter;
        self.differences.extend(other.differences);
        for (place, count) in other.reached {
            *self.reached.entry(place).or_default() += count;
        }
        self
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { histories, events, exempt, stricter, differences, .. } = self;
        writeln!(f, "{histories} histories, {events} events, {} differences", differences.len())?;
        writeln!(f, "{stricter} answers allow less than the model, {exempt} comparisons exempt")?;
        writeln!(f, "histories that reach a step, with a copy and without one:")?;
        let steps = ["none", "first", "later", "end"];
        write!(f, "{:<11}", "")?;
        for step in steps {
            write!(f, "{step:>17}")?;
        }
        let profiles: BTreeSet<_> = self.reached.keys().map(|(profile, _)| profile).collect();
        for profile in profiles {
            write!(f, "\n{profile:<11}")?;
            for step in steps {
                let count = |has_copy| {
                    self.reached.get(&(*profile, (step, has_copy))).copied().unwrap_or_default()
                };
                write!(f, "{:>9}{:>8}", count(true), count(false))?;
            }
        }
        Ok(())
    }
}
