//! An entry: one hostile input with an expectation of a program's output.

/// One hostile input.
#[derive(Clone, Debug)]
pub struct OutputEntry {
    /// Its id, such as `O020`.
    pub id: &'static str,
    /// A short description of the hostile property.
    pub what: String,
    /// The input.
    pub bytes: Vec<u8>,
    /// The expectation.
    pub claim: Claim,
}

/// The expectation of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The entry is a robots text whose rule is displayed in a sink.
    Shown(Shown),
    /// The entry is a file name: always an operand, never an option, never a second line of output.
    FileName,
    /// The entry is a file name that a shell may offer as a completion. The program's completion
    /// scripts do not depend on files, and give the shell no name to execute.
    Completion,
    /// The entry is a list of URLs, and the reader closes the output early: the program exits
    /// quietly.
    BrokenPipe,
    /// The entry is a list of URLs, checked with standard output closed: no panic.
    StdoutClosed,
}

/// A rule with hostile text, and the sink that displays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The sink.
    pub sink: Sink,
    /// The pattern as the default dialect reads it.
    pub pattern: &'static [u8],
    /// The pattern as a sink for people may display it.
    pub spelt: &'static str,
}

/// An output of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Text for people, on a terminal or in a pipe: without any byte that [`super::unescaped`]
    /// finds.
    Terminal,
    /// A log: as for a terminal, and one event is one line.
    Log,
    /// Valid JSON with a string that decodes to the pattern (for bytes that are not UTF-8, see the
    /// documentation).
    Json,
    /// An error message: escaped, with quotations cut to 200 characters.
    Error,
}
