//! A limit that was reached.

use std::error::Error;
use std::fmt;

/// A limit of the client that was reached. The site is not at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LimitReached {
    size: usize,
    counted: &'static str,
}

impl LimitReached {
    /// A limit by its size and the text after it in a message: `connections to one address are
    /// open`.
    pub const fn new(size: usize, counted: &'static str) -> Self {
        Self { size, counted }
    }

    /// The size of the limit.
    pub const fn size(&self) -> usize {
        self.size
    }
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} already, which is the limit", self.size, self.counted)
    }
}

impl Error for LimitReached {}
