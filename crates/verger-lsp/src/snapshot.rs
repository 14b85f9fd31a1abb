//! A file at one time.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lsp_types::{Diagnostic, DiagnosticSeverity, Uri};
use verger_lint::{Report, Settings, lint_text};

use crate::diagnostics::{diagnostics, first_line, remark};
use crate::tests_file::{has_tests, problem, results};
use crate::text::Text;

/// A file at one time.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) uri: Uri,
    pub(crate) path: Option<PathBuf>,
    pub(crate) text: Arc<Text>,
    pub(crate) settings: Arc<Settings>,
    /// A sentence about a wrong `verger.toml`.
    pub(crate) wrong_settings: Option<String>,
    /// Other open files, for a file of tests.
    pub(crate) others: Vec<(PathBuf, Arc<Text>)>,
    /// The number of the change, and that of the last one.
    pub(crate) number: u64,
    pub(crate) last: Arc<AtomicU64>,
}

impl Snapshot {
    pub(crate) fn has_tests(&self) -> bool {
        has_tests(self.uri.as_str())
    }

    /// The results of a file of tests.
    pub(crate) fn results(&self) -> Vec<Diagnostic> {
        let open = |path: &Path| {
            let file = self.others.iter().find(|(it, _)| it == path);
            file.map(|(_, text)| text.bytes().to_vec())
        };
        results(&self.text, self.path.as_deref(), &open)
    }

    pub(crate) fn is_current(&self) -> bool {
        self.number == self.last.load(Ordering::Relaxed)
    }

    /// The diagnostics that need one pass over the text.
    pub(crate) fn quick(&self) -> Vec<Diagnostic> {
        if self.has_tests() {
            return problem(&self.text).into_iter().collect();
        }
        self.diagnostics(&lint_text(self.text.bytes(), &self.settings))
    }

    /// The diagnostics of a report, and one about wrong settings.
    pub(crate) fn diagnostics(&self, report: &Report) -> Vec<Diagnostic> {
        let mut found = diagnostics(report, &self.text, &self.uri);
        found.extend(self.wrong_settings.iter().map(|message| {
            let range = self.text.range(first_line(&self.text));
            remark(range, DiagnosticSeverity::ERROR, message.clone())
        }));
        found
    }
}
