//! `cargo xtask book`: builds the documentation as a book, with mdBook.
//!
//! The pages are Markdown files of the repository, and most of them are in `docs/`. mdBook reads a
//! copy of them with the same layout (`src` in `book.toml`), so links between them work in the
//! book, too. The playground is a folder of the book.

use std::path::{Component, Path, PathBuf};

use crate::disk;
use crate::setup::MDBOOK;
use crate::shell::{Result, execute, program, root, target_dir};
use crate::{npm, playground};

/// The table of contents. Its links are relative to its folder.
const SUMMARY: &str = "docs/SUMMARY.md";

/// Folders with pictures, and single files, that pages display or link.
const ASSETS: [&str; 4] = ["docs/performance", "docs/images", "LICENSE-APACHE", "LICENSE-MIT"];

/// Builds the book in `target/book`.
pub(crate) fn run() -> Result {
    MDBOOK.require()?;
    npm::build()?;
    let summary = disk::read(&root().join(SUMMARY))?;
    let source = target_dir().join("book-source");
    disk::remove_folder(&source)?;
    for page in pages(&summary) {
        copy(&page, &source)?;
    }
    for asset in ASSETS.map(Path::new) {
        copy(asset, &source)?;
    }
    disk::write(&source.join("SUMMARY.md"), from_root(&summary))?;

    let book = target_dir().join("book");
    let mut build = program("mdbook", ["build", "--dest-dir"]);
    build.arg(&book).env("MDBOOK_BOOK__SRC", &source);
    execute(&mut build)?;
    // After the pages: mdBook removes other files.
    playground::write(&book.join("playground"))?;
    println!("{}", book.join("index.html").display());
    Ok(())
}

/// Copies a file or the files of a folder to the same place below `to`. A missing asset is skipped.
fn copy(path: &Path, to: &Path) -> Result {
    let (from, to) = (root().join(path), to.join(path));
    if from.is_dir() {
        for file in disk::entries(&from)? {
            disk::copy(&file, &to.join(file.file_name().unwrap_or_default()))?;
        }
        return Ok(());
    }
    if from.is_file() { disk::copy(&from, &to) } else { Ok(()) }
}

/// The pages that the table of contents links, relative to the root.
fn pages(summary: &str) -> Vec<PathBuf> {
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(link, _)| below_root(link)).collect()
}

/// The table of contents with links relative to the root.
fn from_root(summary: &str) -> String {
    let mut out = String::new();
    for (number, part) in summary.split("](").enumerate() {
        match part.split_once(')') {
            Some((link, rest)) if number > 0 => {
                let path = below_root(link).to_string_lossy().replace('\\', "/");
                out.extend(["](", &path, ")", rest]);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// The path, relative to the root, of a link in the table of contents.
fn below_root(link: &str) -> PathBuf {
    let folder = Path::new(SUMMARY).parent().unwrap_or(Path::new(""));
    let mut path = PathBuf::new();
    for component in folder.join(link).components() {
        if component == Component::ParentDir {
            path.pop();
        } else {
            path.push(component);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_the_table_of_contents_become_relative_to_the_root() {
        let summary = "# Summary\n\n[Start](../README.md)\n\n- [Stores](store.md)\n";
        let expected = "# Summary\n\n[Start](README.md)\n\n- [Stores](docs/store.md)\n";
        assert_eq!(from_root(summary), expected);
        assert_eq!(pages(summary), [Path::new("README.md"), Path::new("docs/store.md")]);
    }
}
