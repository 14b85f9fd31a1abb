//! The map: ARCHITECTURE.md names every file and folder directly under the `src` of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::files::read;
use crate::shell::Result;

/// The map.
const MAP: &str = "ARCHITECTURE.md";

/// Files of every crate that the map need not mention.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

pub(super) fn check(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    let map = read(Path::new(MAP))?;
    for (source, names) in sources(files) {
        let Some(section) = section(&map, &source) else {
            wrong.push(format!("{MAP}: no heading of a section names `{source}`"));
            continue;
        };
        let unnamed = names.iter().filter(|name| !section.contains(&format!("`{name}`")));
        wrong.extend(unnamed.map(|name| format!("{MAP}: `{name}` of `{source}` is missing")));
    }
    Ok(())
}

/// The source folder of each crate, and its direct contents; a folder ends with a slash.
fn sources(files: &[PathBuf]) -> BTreeMap<String, BTreeSet<String>> {
    let mut sources = BTreeMap::<_, BTreeSet<_>>::new();
    for path in files {
        let path = path.to_string_lossy();
        let parts: Vec<&str> = path.split('/').collect();
        let ["crates", name, "src", first, rest @ ..] = &parts[..] else { continue };
        let names = sources.entry(format!("crates/{name}/src")).or_default();
        if !rest.is_empty() {
            names.insert(format!("{first}/"));
        } else if !ROOTS.contains(first) {
            names.insert((*first).to_owned());
        }
    }
    sources
}

/// The text after the heading that names a folder, up to the next heading.
fn section<'m>(map: &'m str, source: &str) -> Option<&'m str> {
    let named = format!("(`{source}`)");
    map.split("\n#")
        .find(|section| section.lines().next().is_some_and(|heading| heading.contains(&named)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_has_a_separate_section() {
        let map =
            "# A\n\n### One (`crates/one/src`)\n\n`a.rs`\n\n### Two (`crates/two/src`)\n`b/`\n";
        assert!(section(map, "crates/one/src").is_some_and(|found| found.contains("`a.rs`")));
        assert!(section(map, "crates/one/src").is_some_and(|found| !found.contains("`b/`")));
        assert_eq!(section(map, "crates/three/src"), None);
    }

    #[test]
    fn files_in_a_folder_are_listed_as_the_folder() {
        let files = ["crates/one/src/lib.rs", "crates/one/src/a.rs", "crates/one/src/b/mod.rs"];
        let files: Vec<_> = files.iter().chain(&["xtask/src/main.rs"]).map(PathBuf::from).collect();
        let names = ["a.rs", "b/"].map(str::to_owned);
        let expected = ("crates/one/src".to_owned(), BTreeSet::from(names));
        assert_eq!(sources(&files), BTreeMap::from([expected]));
    }
}
