//! Texts of the project's files.

use std::path::Path;

use crate::disk;
use crate::shell::{Result, root};

/// The text of a file; invalid UTF-8 is replaced.
pub(super) fn read(path: &Path) -> Result<String> {
    let bytes = disk::read_bytes(&root().join(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
}

/// The lines of a text, numbered from 1.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line))
}

/// Lines outside fenced code.
pub(super) fn prose<'t>(
    lines: impl Iterator<Item = (usize, &'t str)>,
) -> impl Iterator<Item = (usize, &'t str)> {
    let mut is_code = false;
    lines.filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}
