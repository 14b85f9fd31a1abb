//! Counters of verdicts on a terminal, while standard input goes on.

use std::fmt;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use verger_audit::{Counts, Verdict};

use crate::limits::FOLLOW_PAUSE;

/// Counters that standard error shows if it is a terminal.
pub(super) struct Counters {
    counts: Arc<Mutex<Counts>>,
    bar: ProgressBar,
}

impl Counters {
    pub(super) fn new() -> Self {
        let counts = Arc::new(Mutex::new(Counts::default()));
        let shown = Arc::clone(&counts);
        let counters = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = out.write_str(text(&shown).trim_end());
        };
        let style = ProgressStyle::with_template("{counters}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style.with_key("counters", counters));
        bar.enable_steady_tick(FOLLOW_PAUSE);
        Self { counts, bar }
    }

    pub(super) fn add(&self, verdict: Verdict) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).add(verdict);
    }

    /// Removes the counters from the terminal, and returns the last ones.
    pub(super) fn finish(&self) -> String {
        self.bar.finish_and_clear();
        text(&self.counts)
    }
}

fn text(counts: &Mutex<Counts>) -> String {
    let (counts, mut text) =
        (*counts.lock().unwrap_or_else(PoisonError::into_inner), String::new());
    for verdict in Verdict::ALL {
        let _ = writeln!(text, "{:20} {:>12}", verdict.name(), counts.get(verdict));
    }
    text
}
