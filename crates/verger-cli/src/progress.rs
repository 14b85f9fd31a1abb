//! The progress bar of a long run.

use std::io::{self, IsTerminal as _};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::input::Lines;
use crate::limits::{PROGRESS_AFTER, PROGRESS_LINES};

/// A bar on standard error, by bytes for a file and by lines where the end is not known. It shows only
/// when somebody is there to see it, when the answers do not run over the same screen, and when the
/// run takes long enough.
#[derive(Debug)]
pub(crate) struct Progress {
    begun: Instant,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let wanted = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Self { begun: Instant::now(), wanted, bar: None }
    }

    /// Shows how far the lines have been read.
    pub(crate) fn show(&mut self, lines: &Lines) {
        if lines.number().is_multiple_of(PROGRESS_LINES) {
            self.show_at(lines.number(), lines.progress());
        }
    }

    /// Shows that a line has been reached, and so many of so many bytes where that is known.
    pub(crate) fn show_at(&mut self, line: u64, progress: Option<(u64, u64)>) {
        if !self.wanted {
            return;
        }
        if self.bar.is_none() && self.begun.elapsed() < PROGRESS_AFTER {
            return;
        }
        let size = progress.map(|(_, size)| size);
        let position = progress.map_or(line, |(read, _)| read);
        let begun = self.begun;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = bar(size).with_elapsed(begun.elapsed());
            bar.set_position(position);
            // What was read before the bar was there would look like endless speed.
            bar.reset_eta();
            bar
        });
        bar.set_position(position);
    }

    /// Takes the bar away while something else is written.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away for good.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn bar(size: Option<u64>) -> ProgressBar {
    // No colour: the bar says nothing by it.
    let template = if size.is_some() {
        "{bar:40} {bytes} of {total_bytes}, {eta} left"
    } else {
        "{human_pos} lines in {elapsed}"
    };
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("##-");
    let target = ProgressDrawTarget::stderr();
    ProgressBar::with_draw_target(size, target).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bars_can_be_drawn() {
        for size in [Some(9), None] {
            let template = bar(size);
            template.set_draw_target(ProgressDrawTarget::hidden());
            template.set_position(3);
            template.finish_and_clear();
        }
    }
}
