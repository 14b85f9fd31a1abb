//! Standard input that goes on, with counters on a terminal.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::rc::Rc;
use std::time::Instant;

use verger_audit::{Counts, Verdict};

use crate::limits::FOLLOW_PAUSE;

/// Standard input. The counters are on standard output; on a terminal, they replace the ones before.
pub(super) struct Following {
    counters: Rc<RefCell<Counts>>,
    shown_at: Instant,
    is_shown: bool,
    /// Whether nothing more could be read at once, so that the next read may wait.
    is_read: bool,
}

impl Following {
    pub(super) fn new(counters: &Rc<RefCell<Counts>>) -> Self {
        let (counters, shown_at) = (Rc::clone(counters), Instant::now());
        Self { counters, shown_at, is_shown: false, is_read: false }
    }
}

impl Read for Following {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_read || self.shown_at.elapsed() >= FOLLOW_PAUSE {
            self.shown_at = Instant::now();
            let mut out = io::stdout().lock();
            if std::mem::replace(&mut self.is_shown, true) && out.is_terminal() {
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
