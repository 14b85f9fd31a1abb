//! Messages on standard error, and the progress bar.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::Error;

/// Shows an error that ends the run, and its hint. After a closed pipe there is no message.
pub(crate) fn fail(error: &Error) {
    if error.is_closed_pipe {
        return;
    }
    message("error", "\u{1b}[1;31m", &error.to_string());
    if let Some(hint) = &error.hint {
        let _ = writeln!(anstream::stderr());
        message("hint", "\u{1b}[1;36m", hint);
    }
}

pub(crate) fn note(text: &str) {
    message("note", "\u{1b}[1;34m", text);
}

pub(crate) fn warning(text: &str) {
    message("warning", "\u{1b}[1;33m", text);
}

fn message(label: &str, style: &str, text: &str) {
    // In one write: other programs can write to the same terminal.
    let line = format!("{style}{label}\u{1b}[0m: {text}\n");
    let _ = anstream::stderr().write_all(line.as_bytes());
}

/// Number of rows after which the shown one changes.
const SHOWN_ROWS: u64 = 1_024;

/// The progress of one stage: tasks, rows, rate and remaining time. Shown only if standard error is
/// a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) bar: ProgressBar,
    begun: Instant,
    rows: AtomicU64,
}

impl Progress {
    pub(crate) fn new(stage: &str, tasks: usize, done: usize) -> Self {
        let template = "{prefix} {bar:40} {pos} of {len} tasks, {msg}, {eta} left";
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(Some(tasks as u64), target);
        bar.set_style(style.progress_chars("##-"));
        bar.set_prefix(stage.to_owned());
        bar.set_position(done as u64);
        // Tasks of an earlier run took none of the time.
        bar.reset_eta();
        Self { bar, begun: Instant::now(), rows: AtomicU64::new(0) }
    }

    /// Counts processed rows.
    pub(crate) fn add_rows(&self, rows: usize) {
        let before = self.rows.fetch_add(rows as u64, Ordering::Relaxed);
        let rows = before + rows as u64;
        // Records of archives come one by one, and all threads share the lock of the bar.
        if before / SHOWN_ROWS == rows / SHOWN_ROWS {
            return;
        }
        let rate = u128::from(rows) * 1_000 / self.begun.elapsed().as_millis().max(1);
        self.bar.set_message(format!("{rows} rows, {rate} rows/s"));
    }
}
