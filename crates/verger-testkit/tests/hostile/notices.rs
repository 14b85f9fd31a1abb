//! Diagnostics.

use verger::diagnostic::DiagnosticKind;
use verger::{Dialect, Robots, Span};
use verger_testkit::hostile::Notice;

use crate::judge::Complaints;

/// The default dialect reports it.
pub(crate) fn noticed(bytes: &[u8], notice: Notice, complaints: &mut Complaints) {
    let found = kinds(&Dialect::RFC9309.parse(bytes));
    complaints.unless(found.iter().any(|&(kind, _)| is(kind, notice)), || {
        let codes: Vec<_> = found.iter().take(10).map(|(kind, _)| kind.code()).collect();
        format!("expected a notice of {notice:?}, but found {codes:?}")
    });
}

/// Whether a diagnostic of this kind reports the notice.
fn is(kind: DiagnosticKind, notice: Notice) -> bool {
    use DiagnosticKind as Kind;
    match notice {
        Notice::Encoding => matches!(kind, Kind::Utf16 | Kind::Utf32 | Kind::InvalidUtf8),
        Notice::ByteOrderMark => kind == Kind::ByteOrderMark,
        Notice::Space => kind == Kind::ForeignSpace,
        Notice::Nul => matches!(kind, Kind::Nul | Kind::ManyNuls),
        Notice::RuleBeforeAgent => kind == Kind::RuleOutsideGroup,
        Notice::UnknownKey => matches!(kind, Kind::UnknownKey | Kind::MistakableKey { .. }),
        Notice::Html => kind == Kind::LooksLikeHtml,
    }
}

/// The kinds of all diagnostics, each with its first position.
pub(crate) fn kinds(robots: &Robots) -> Vec<(DiagnosticKind, Span)> {
    let mut found: Vec<(DiagnosticKind, Span)> = Vec::new();
    robots.diagnose(|diagnostic| {
        if found.iter().all(|&(kind, _)| kind != diagnostic.kind) {
            found.push((diagnostic.kind, diagnostic.span));
        }
    });
    found
}
