//! Displayed text: foreign characters must not move the cursor, hide text, or forge a line.

use std::fmt::{Debug, Display};

use verger_testkit::hostile::unescaped;

/// Checks the displayed form of a value by the documentation of [`verger::Untrusted`].
///
/// # Panics
///
/// If it has a control, invisible or reordering character.
#[track_caller]
pub(crate) fn assert_shown_inert<T: Display + Debug>(value: &T) {
    assert_inert(&value.to_string());
    assert_inert(&format!("{value:?}"));
}

/// Checks a text in the same way.
#[track_caller]
pub(crate) fn assert_inert(text: &str) {
    let live = unescaped(text.as_bytes());
    assert!(live.is_none() && !text.contains('\n'), "in {text:?}");
}
