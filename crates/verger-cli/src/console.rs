//! The two ways out: standard output for data, standard error for talk.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use verger::diagnostic::Severity;

use crate::error::Error;
use crate::exit::ExitStatus;
use crate::limits::OUTPUT_BYTES;
use crate::progress::Progress;

/// Standard output, buffered. Colour is used only when [`Out::palette`] has it.
pub(crate) struct Out {
    writer: BufWriter<Box<dyn Write>>,
    palette: Palette,
}

impl Out {
    pub(crate) fn stdout() -> Self {
        let stdout = io::stdout();
        let choice = AutoStream::choice(&stdout);
        let writer: Box<dyn Write> = match choice {
            // Nothing coloured is written then, so there is nothing to take out again.
            ColorChoice::Never => Box::new(stdout.lock()),
            _ => Box::new(AutoStream::new(stdout.lock(), choice)),
        };
        Self {
            writer: BufWriter::with_capacity(OUTPUT_BYTES, writer),
            palette: Palette::for_choice(choice),
        }
    }

    pub(crate) fn palette(&self) -> Palette {
        self.palette
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    // JSON is written in many small pieces.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Exit status of a run after its output. Output that was not written is an error. If the reader has
/// closed the pipe, the exit code alone says so: usually nobody wants the rest.
pub(crate) fn written(result: io::Result<()>, status: ExitStatus, talk: &mut Talk) -> ExitStatus {
    match result {
        Ok(()) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitStatus::Error,
        Err(error) => talk.fail(&Error::writing("standard output", &error)),
    }
}

/// Standard error: errors, warnings, hints, progress. That nobody listens is no error.
pub(crate) struct Talk {
    stream: AutoStream<io::Stderr>,
    palette: Palette,
    hints: Vec<String>,
    pub(crate) progress: Progress,
}

impl Talk {
    pub(crate) fn stderr() -> Self {
        let stderr = io::stderr();
        let choice = AutoStream::choice(&stderr);
        Self {
            stream: AutoStream::new(stderr, choice),
            palette: Palette::for_choice(choice),
            hints: Vec::new(),
            progress: Progress::new(),
        }
    }

    /// Says an error on one line.
    pub(crate) fn error(&mut self, error: &Error) {
        self.say("error", self.palette.error, error);
    }

    /// Says one error of many with its place, `FILE:LINE: `, before it. Its hint is the next line, so that
    /// it is clear what it is about.
    pub(crate) fn error_at(&mut self, place: &str, error: &Error) {
        self.say("error", self.palette.error, format_args!("{place}{error}"));
        if let Some(hint) = error.hint() {
            self.say("hint", self.palette.hint, hint);
        }
    }

    /// Says the error that ends the run, and its hint.
    pub(crate) fn fail(&mut self, error: &Error) -> ExitStatus {
        self.error(error);
        if let Some(hint) = error.hint() {
            self.hint(hint.to_owned());
        }
        self.finish();
        ExitStatus::Error
    }

    pub(crate) fn warning(&mut self, text: impl Display) {
        self.say("warning", self.palette.warning, text);
    }

    pub(crate) fn note(&mut self, text: impl Display) {
        self.say("note", self.palette.note, text);
    }

    /// Keeps a hint for the end.
    pub(crate) fn hint(&mut self, hint: String) {
        self.hints.push(hint);
    }

    /// Takes the progress bar away and gives the hints, apart from everything before them.
    pub(crate) fn finish(&mut self) {
        self.progress.finish();
        for hint in std::mem::take(&mut self.hints) {
            let _ = writeln!(self.stream);
            self.say("hint", self.palette.hint, hint);
        }
    }

    /// Says a text that is ready to be shown, in one piece.
    pub(crate) fn block(&mut self, text: &[u8]) {
        let stream = &mut self.stream;
        let _ = self.progress.suspend(|| stream.write_all(text));
    }

    fn say(&mut self, what: &str, style: Style, text: impl Display) {
        // In one piece: other programs may write to the same screen or file.
        let line = format!("{style}{what}{style:#}: {text}\n");
        let stream = &mut self.stream;
        let _ = self.progress.suspend(|| stream.write_all(line.as_bytes()));
    }
}

/// The colours of a stream; none for one that is no terminal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Palette {
    pub(crate) has_colour: bool,
    pub(crate) allow: Style,
    pub(crate) disallow: Style,
    pub(crate) hint: Style,
    error: Style,
    warning: Style,
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

    /// The style of the word for a severity.
    pub(crate) const fn severity(&self, severity: Severity) -> Style {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.warning,
            Severity::Note => self.note,
        }
    }
}
