//! `cargo xtask sizes`: the size of the project as a table, one row for each crate.
//!
//! Every line of the committed Rust files counts, blank lines and comments too. Tests are files
//! below a folder `tests`, files `tests.rs`, and the module at the end of a file that begins with
//! `#[cfg(test)]`. Supporting code is what no user runs: [`SUPPORT`].

use std::collections::BTreeMap;
use std::fs;
use std::iter::Sum;
use std::path::Path;

use crate::shell::{Result, output, program, root};

/// Crates that only developers run. The others are the product.
const SUPPORT: [&str; 5] =
    ["bench", "crates/verger-naive", "crates/verger-testkit", "fuzz", "xtask"];

/// Prints the table.
///
/// # Errors
///
/// If git or a file fails.
pub(crate) fn run() -> Result {
    let mut crates: BTreeMap<String, Size> = BTreeMap::new();
    for path in output(&mut program("git", ["ls-files", "*.rs", "*/api.txt"]))?.lines() {
        let text = fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"))?;
        crates.entry(crate_of(path)).or_default().add(path, &text);
    }
    let header = ["product", "support", "tests", "files", "executables", "API items"];
    println!("{:26}{}", "crate", header.map(|name| format!("{name:>12}")).concat());
    let total: Size = crates.values().copied().sum();
    for (name, size) in &crates {
        println!("{name:26}{}", size.row());
    }
    println!("{:26}{}", "total", total.row());
    Ok(())
}

/// The size of a crate, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Lines of the product without tests.
    product: usize,
    /// Lines of supporting code without tests.
    support: usize,
    /// Lines of tests.
    tests: usize,
    /// Number of Rust files.
    files: usize,
    /// Number of executables of integration tests.
    executables: usize,
    /// Number of items of the public API, where a listing exists.
    api_items: usize,
}

impl Size {
    fn add(&mut self, path: &str, text: &str) {
        let lines = text.lines().count();
        if path.ends_with("api.txt") {
            self.api_items += lines;
            return;
        }
        let tests =
            if is_test_file(Path::new(path)) { lines } else { lines - lines_before_tests(text) };
        let code = if SUPPORT.contains(&crate_of(path).as_str()) {
            &mut self.support
        } else {
            &mut self.product
        };
        *code += lines - tests;
        self.tests += tests;
        self.files += 1;
        self.executables += usize::from(is_executable(path));
    }

    fn row(self) -> String {
        let Self { product, support, tests, files, executables, api_items } = self;
        [product, support, tests, files, executables, api_items]
            .map(|number| format!("{number:>12}"))
            .concat()
    }
}

impl Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |a, b| Self {
            product: a.product + b.product,
            support: a.support + b.support,
            tests: a.tests + b.tests,
            files: a.files + b.files,
            executables: a.executables + b.executables,
            api_items: a.api_items + b.api_items,
        })
    }
}

/// `crates/verger` of `crates/verger/src/lib.rs`; `xtask` of `xtask/src/main.rs`.
fn crate_of(path: &str) -> String {
    const FOLDERS: [&str; 4] = ["bindings", "crates", "examples", "integrations"];
    let depth = if FOLDERS.iter().any(|folder| path.starts_with(folder)) { 2 } else { 1 };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// Whether a file has only tests.
pub(crate) fn is_test_file(path: &Path) -> bool {
    let path = path.to_string_lossy();
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Number of lines before the tests at the end of a file.
fn lines_before_tests(text: &str) -> usize {
    let lines: Vec<_> = text.lines().collect();
    let begins = |pair: &[&str]| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    };
    lines.windows(2).position(begins).unwrap_or(lines.len())
}

/// Whether Cargo makes an executable from a file: `tests/NAME.rs` and `tests/NAME/main.rs`.
pub(crate) fn is_executable(path: &str) -> bool {
    let inside = path.split_once("/tests/").filter(|(before, _)| !before.contains("/src"));
    inside.is_some_and(|(_, inside)| match inside.split_once('/') {
        None => true,
        Some((_, file)) => file == "main.rs",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_end_a_file_and_the_rest_is_code() {
        let mut size = Size::default();
        size.add("crates/verger/src/a.rs", "fn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n");
        size.add("crates/verger/tests/b.rs", "fn b() {}\n");
        size.add("crates/verger/tests/c/main.rs", "mod d;\n");
        size.add("crates/verger/tests/c/d.rs", "");
        size.add("crates/verger/api.txt", "pub fn a()\n");
        let expected =
            Size { product: 2, support: 0, tests: 5, files: 4, executables: 2, api_items: 1 };
        assert_eq!(size, expected);
    }

    #[test]
    fn supporting_code_is_counted_apart() {
        let mut size = Size::default();
        size.add("xtask/src/main.rs", "fn main() {}\n");
        assert_eq!((size.product, size.support), (0, 1));
    }
}
