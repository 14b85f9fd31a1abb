//! Standard input that goes on, with counters on a terminal.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::time::Instant;

use verger_audit::{Counts, Verdict};

use crate::limits::FOLLOW_PAUSE;

/// Standard input. The counters are on standard output; on a terminal, they replace the ones before.
pub(super) struct Following<'c> {
    counters: &'c RefCell<Counts>,
    shown_at: Option<Instant>,
    /// Whether nothing more could be read at once, so that the next read may wait.
    is_read: bool,
}

impl<'c> Following<'c> {
    pub(super) const fn new(counters: &'c RefCell<Counts>) -> Self {
        Self { counters, shown_at: None, is_read: false }
    }
}

impl Read for Following<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_read || self.shown_at.is_none_or(|at| at.elapsed() >= FOLLOW_PAUSE) {
            let is_first = self.shown_at.replace(Instant::now()).is_none();
            let mut out = io::stdout().lock();
            if !is_first && out.is_terminal() {
                write!(out, "\x1b[{}A", Verdict::ALL.len())?;
            }
            for verdict in Verdict::ALL {
                let number = self.counters.borrow().get(verdict);
                writeln!(out, "{:20} {number:>12}", verdict.name())?;
            }
            out.flush()?;
        }
        let read = io::stdin().read(buffer)?;
        self.is_read = read < buffer.len();
        Ok(read)
    }
}
