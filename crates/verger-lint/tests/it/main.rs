//! Tests of the linter and the formatter.

mod diagnostics;
mod fixes;
mod format;
mod hostile;
mod lighthouse;
mod list;
mod page;
mod proved;
mod response;
mod rules;
mod shown;
