//! The file that is linted, read once for all rules.

use verger::parse::Input;
use verger::{Dialect, Robots, Span};

use crate::settings::Settings;
use crate::syntax::Tree;

/// A file with everything that rules look at.
pub(crate) struct File<'a> {
    /// The file as received.
    pub(crate) bytes: &'a [u8],
    pub(crate) robots: Robots,
    /// The lines of the text of `robots`.
    pub(crate) tree: Tree,
    pub(crate) settings: &'a Settings,
}

impl<'a> File<'a> {
    pub(crate) fn new(bytes: &'a [u8], settings: &'a Settings) -> Self {
        let dialect = DIALECT;
        let robots = dialect.parse(bytes);
        let tree = Tree::new(&Input::read(bytes, &dialect), &dialect);
        Self { bytes, robots, tree, settings }
    }

    /// The text that spans refer to.
    pub(crate) fn text(&self) -> &[u8] {
        self.robots.text()
    }

    /// A part of the text, for messages.
    pub(crate) fn show(&self, span: Span) -> String {
        verger::Untrusted::new(&self.text()[span.range()]).limited_to(QUOTED_CHARS).to_string()
    }

    /// Whether spans are places in the bytes, so that edits are possible: not in UTF-16, and not in
    /// a file that was cut.
    pub(crate) fn is_editable(&self) -> bool {
        self.text() == self.bytes
    }
}

/// The dialect whose reading is linted. Others are for rules of category portability.
pub(crate) const DIALECT: Dialect = Dialect::RFC9309;

/// Maximum number of characters of a quoted text in a message.
const QUOTED_CHARS: usize = 60;
