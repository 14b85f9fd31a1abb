//! A file at one time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lsp_types::{Diagnostic, Uri};
use verger_lint::{Settings, lint_text};

use crate::diagnostics::diagnostics;
use crate::text::Text;

/// A file at one time.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) uri: Uri,
    pub(crate) path: Option<PathBuf>,
    pub(crate) text: Arc<Text>,
    pub(crate) settings: Arc<Settings>,
    /// The number of the change, and that of the last one.
    pub(crate) number: u64,
    pub(crate) last: Arc<AtomicU64>,
}

impl Snapshot {
    pub(crate) fn is_current(&self) -> bool {
        self.number == self.last.load(Ordering::Relaxed)
    }

    /// The diagnostics that need one pass over the text.
    pub(crate) fn quick(&self) -> Vec<Diagnostic> {
        diagnostics(&lint_text(self.text.bytes(), &self.settings), &self.text, &self.uri)
    }
}
