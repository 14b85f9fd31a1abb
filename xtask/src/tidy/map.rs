//! The map of a crate: its `lib.rs` or `main.rs` lists the files and folders beside it, from the bottom up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::files::read;
use crate::shell::Result;

/// The first words of a map.
const TITLE: &str = "// Files, from the bottom up";

/// Files that a map need not mention.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// The map of each crate that has one: its source folder and the modules in their order.
pub(super) fn all(files: &[PathBuf]) -> Result<BTreeMap<String, Vec<String>>> {
    let mut maps = BTreeMap::new();
    let is_root = |path: &&PathBuf| ROOTS.iter().any(|root| path.ends_with(format!("src/{root}")));
    for root in files.iter().filter(is_root) {
        if let (Some(names), Some(source)) = (names(&read(root)?), root.parent()) {
            maps.insert(source.to_string_lossy().into_owned(), names);
        }
    }
    Ok(maps)
}

/// Reports each file without a place in the map, and each place without a file.
pub(super) fn check(
    files: &[PathBuf],
    maps: &BTreeMap<String, Vec<String>>,
    wrong: &mut Vec<String>,
) {
    for (source, found) in sources(files) {
        // A crate of one file or two needs no map.
        let listed = maps.get(&source).map(Vec::as_slice).unwrap_or_default();
        if listed.is_empty() && found.len() < 3 {
            continue;
        }
        let listed: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        let map = format!("{source}, the list of files");
        wrong.extend(found.difference(&listed).map(|name| format!("{map}: `{name}` is missing")));
        wrong.extend(listed.difference(&found).map(|name| format!("{map}: no file `{name}`")));
    }
}

/// The modules of a map: the names before the first colon of each item.
fn names(text: &str) -> Option<Vec<String>> {
    let items = text.lines().skip_while(|line| !line.starts_with(TITLE));
    let items: Vec<&str> = items.take_while(|line| line.starts_with("//")).collect();
    let mut names = Vec::new();
    for item in items.iter().filter_map(|line| line.strip_prefix("// - ")) {
        let (places, _) = item.split_once(": ")?;
        names.extend(places.split('`').skip(1).step_by(2).map(module));
    }
    (!names.is_empty()).then_some(names)
}

fn module(place: &str) -> String {
    place.trim_end_matches('/').trim_end_matches(".rs").to_owned()
}

/// The source folder of each crate of the workspace, and its modules.
fn sources(files: &[PathBuf]) -> BTreeMap<String, BTreeSet<String>> {
    let mut sources = BTreeMap::<_, BTreeSet<_>>::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|one| one == "rs")) {
        let path = path.to_string_lossy();
        let parts: Vec<&str> = path.split('/').collect();
        let ["crates", name, "src", first, ..] = &parts[..] else { continue };
        if !ROOTS.contains(first) {
            sources.entry(format!("crates/{name}/src")).or_default().insert(module(first));
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "//! A.\n\n// Files, from the bottom up.\n//\n// - `a.rs`, `b/`: one: `c.rs`\n\
                       //   and more\n// - `d.rs`: two\n\nmod a;\n";

    #[test]
    fn a_map_names_modules_in_order() {
        assert_eq!(names(MAP), Some(["a", "b", "d"].map(str::to_owned).to_vec()));
        assert_eq!(names("mod a;\n// - `a.rs`: one\n"), None);
    }

    #[test]
    fn missing_and_surplus_files_are_reported() {
        let files = ["src/lib.rs", "src/a.rs", "src/b/mod.rs", "src/e.rs"];
        let files: Vec<_> = files.iter().map(|file| PathBuf::from("crates/x").join(file)).collect();
        let maps = BTreeMap::from([("crates/x/src".to_owned(), names(MAP).unwrap_or_default())]);
        let mut wrong = Vec::new();
        check(&files, &maps, &mut wrong);
        let place = "crates/x/src, the list of files";
        assert_eq!(wrong, [format!("{place}: `e` is missing"), format!("{place}: no file `d`")]);
    }
}
