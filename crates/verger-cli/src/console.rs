//! The two outputs: standard output for data, standard error for messages and the progress bar.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::time::Instant;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use verger::diagnostic::Severity;

use crate::error::{Error, ExitStatus};
use crate::limits::{OUTPUT_BYTES, PROGRESS_AFTER};

/// Both outputs.
pub(crate) struct Console {
    pub(crate) out: Out,
    /// The colours of `out`.
    pub(crate) palette: Palette,
    pub(crate) messages: Messages,
}

impl Console {
    pub(crate) fn new() -> Self {
        let stdout = io::stdout();
        let choice = AutoStream::choice(&stdout);
        let writer: Box<dyn Write> = match choice {
            // The palette is empty, so there are no colours to remove.
            ColorChoice::Never => Box::new(stdout.lock()),
            _ => Box::new(AutoStream::new(stdout.lock(), choice)),
        };
        let out = BufWriter::with_capacity(OUTPUT_BYTES, writer);
        Self { out, palette: Palette::for_choice(choice), messages: Messages::stderr() }
    }

    /// Writes the last output of a run, and returns its exit status.
    pub(crate) fn finish(
        &mut self,
        status: ExitStatus,
        write: impl FnOnce(&mut Out) -> io::Result<()>,
    ) -> ExitStatus {
        let result = write(&mut self.out).and_then(|()| self.out.flush());
        output_status(result, status, &mut self.messages)
    }
}

/// Standard output, buffered.
pub(crate) type Out = BufWriter<Box<dyn Write>>;

/// The exit status after output. Failed output is an error; after a closed pipe there is no
/// message.
pub(crate) fn output_status(
    result: io::Result<()>,
    status: ExitStatus,
    messages: &mut Messages,
) -> ExitStatus {
    match result {
        Ok(()) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitStatus::Error,
        Err(error) => messages.fail(&Error::io("write", "standard output", &error)),
    }
}

/// Standard error: errors, warnings, hints and the progress bar. Failed writes are ignored.
pub(crate) struct Messages {
    stream: AutoStream<io::Stderr>,
    palette: Palette,
    hints: Vec<String>,
    /// The warnings so far, for a report that repeats them.
    pub(crate) warnings: Option<Vec<String>>,
    pub(crate) progress: Progress,
}

impl Messages {
    pub(crate) fn stderr() -> Self {
        let stderr = io::stderr();
        let choice = AutoStream::choice(&stderr);
        Self {
            stream: AutoStream::new(stderr, choice),
            palette: Palette::for_choice(choice),
            hints: Vec::new(),
            warnings: None,
            progress: Progress::new(),
        }
    }

    /// Shows an error on one line, without its hint.
    pub(crate) fn error(&mut self, error: &Error) {
        self.line("error", self.palette.error, error);
    }

    /// Shows one of several errors after its place, `FILE:LINE: `. The hint is the next line.
    pub(crate) fn error_at(&mut self, place: &str, error: &Error) {
        self.line("error", self.palette.error, format_args!("{place}{error}"));
        if let Some(hint) = error.hint() {
            self.line("hint", self.palette.hint, hint);
        }
    }

    /// Shows the error that ends the run, and its hint.
    pub(crate) fn fail(&mut self, error: &Error) -> ExitStatus {
        let text = self.text_of(error);
        self.line("error", self.palette.error, text);
        self.finish();
        ExitStatus::Error
    }

    pub(crate) fn warning(&mut self, text: impl Display) {
        let text = text.to_string();
        self.line("warning", self.palette.warning, &text);
        if let Some(warnings) = &mut self.warnings {
            warnings.push(text);
        }
    }

    pub(crate) fn note(&mut self, text: impl Display) {
        self.line("note", self.palette.note, text);
    }

    /// Adds a hint that is shown at the end, once.
    pub(crate) fn hint(&mut self, hint: String) {
        if !self.hints.contains(&hint) {
            self.hints.push(hint);
        }
    }

    /// The text of an error that becomes a part of a report. Adds its hint.
    pub(crate) fn text_of(&mut self, error: &Error) -> String {
        if let Some(hint) = error.hint() {
            self.hint(hint.to_owned());
        }
        error.to_string()
    }

    /// Removes the progress bar and shows the hints, each after an empty line.
    pub(crate) fn finish(&mut self) {
        self.progress.finish();
        for hint in std::mem::take(&mut self.hints) {
            let _ = writeln!(self.stream);
            self.line("hint", self.palette.hint, hint);
        }
    }

    /// Writes a text that is escaped already.
    pub(crate) fn text(&mut self, text: &[u8]) {
        let stream = &mut self.stream;
        let _ = self.progress.suspend(|| stream.write_all(text));
    }

    fn line(&mut self, label: &str, style: Style, text: impl Display) {
        // In one write: other programs can write to the same terminal or file.
        let line = format!("{style}{label}{style:#}: {text}\n");
        let stream = &mut self.stream;
        let _ = self.progress.suspend(|| stream.write_all(line.as_bytes()));
    }
}

/// The colours of a stream; none unless it is a terminal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Palette {
    pub(crate) has_colour: bool,
    pub(crate) allow: Style,
    pub(crate) disallow: Style,
    pub(crate) hint: Style,
    error: Style,
    pub(crate) warning: Style,
    note: Style,
}

impl Palette {
    fn for_choice(choice: ColorChoice) -> Self {
        if choice == ColorChoice::Never {
            return Self::default();
        }
        Self {
            has_colour: true,
            allow: AnsiColor::Green.on_default(),
            disallow: AnsiColor::Red.on_default(),
            hint: AnsiColor::Cyan.on_default().bold(),
            error: AnsiColor::Red.on_default().bold(),
            warning: AnsiColor::Yellow.on_default().bold(),
            note: AnsiColor::Blue.on_default().bold(),
        }
    }

    /// The style for the name of a severity.
    pub(crate) const fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Note => self.note,
        }
    }
}

/// A progress bar on standard error for the bytes of files. It appears only if standard error is a
/// terminal, standard output is not, and the run takes longer than [`PROGRESS_AFTER`].
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

    /// Shows the bytes that were read and the bytes in total, if these are known.
    pub(crate) fn show(&mut self, progress: Option<(u64, u64)>) {
        let Some((read, size)) = progress.filter(|_| self.wanted) else { return };
        if self.bar.is_none() && self.begun.elapsed() < PROGRESS_AFTER {
            return;
        }
        let begun = self.begun;
        let bar = self.bar.get_or_insert_with(|| {
            // Without colour, which would add nothing.
            let style =
                ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {eta} left");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::stderr());
            let bar = bar.with_style(style.progress_chars("##-")).with_elapsed(begun.elapsed());
            bar.set_position(read);
            // Otherwise the bytes before the first drawing count as read in no time.
            bar.reset_eta();
            bar
        });
        bar.set_position(read);
    }

    /// Removes the bar during a write.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_and_total_bytes_are_shown() {
        let begun = Instant::now().checked_sub(2 * PROGRESS_AFTER).expect("an earlier time");
        let mut progress = Progress { begun, wanted: true, bar: None };
        progress.show(None);
        assert!(progress.bar.is_none());
        progress.show(Some((3, 9)));
        let bar = progress.bar.take().expect("a bar");
        bar.set_draw_target(ProgressDrawTarget::hidden());
        assert_eq!((bar.position(), bar.length()), (3, Some(9)));
    }

    #[test]
    fn a_short_run_has_no_bar() {
        let mut progress = Progress { begun: Instant::now(), wanted: true, bar: None };
        progress.show(Some((1, 2)));
        assert!(progress.bar.is_none());
    }
}
