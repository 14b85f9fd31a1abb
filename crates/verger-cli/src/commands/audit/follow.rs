//! Standard input that goes on, with counters on a terminal.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::rc::Rc;
use std::time::Instant;

use verger_audit::{Counts, Verdict};

use crate::limits::FOLLOW_PAUSE;

/// Standard input. The counters on standard output replace the ones before, if it is a terminal.
pub(super) struct Following {
    counters: Rc<RefCell<Counts>>,
    shown: String,
    shown_at: Instant,
    /// Whether nothing more could be read at once, so that the next read may wait.
    is_read: bool,
}

impl Following {
    pub(super) fn new(counters: &Rc<RefCell<Counts>>) -> Self {
        let (counters, shown_at) = (Rc::clone(counters), Instant::now());
        Self { counters, shown: String::new(), shown_at, is_read: false }
    }

    /// Shows the counters, if they differ from the last ones.
    fn show(&mut self) -> io::Result<()> {
        self.shown_at = Instant::now();
        let (counters, mut text) = (self.counters.borrow(), String::new());
        for verdict in Verdict::ALL {
            let _ = writeln!(text, "{:20} {:>12}", verdict.name(), counters.get(verdict));
        }
        if text == self.shown {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match self.shown.lines().count() {
            // Up to the first of the lines before.
            count @ 1.. if out.is_terminal() => write!(out, "\x1b[{count}A")?,
            1.. => writeln!(out)?,
            _ => {}
        }
        out.write_all(text.as_bytes())?;
        self.shown = text;
        out.flush()
    }
}

impl Read for Following {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_read || self.shown_at.elapsed() >= FOLLOW_PAUSE {
            self.show()?;
        }
        let read = io::stdin().read(buffer)?;
        self.is_read = read < buffer.len();
        if read == 0 {
            self.show()?;
        }
        Ok(read)
    }
}
