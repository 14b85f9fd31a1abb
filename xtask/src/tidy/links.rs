//! Links: relative links between Markdown files lead to a file, and to a heading or anchor in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::files::{has_extension, numbered, prose, read};
use crate::shell::Result;

/// Reports each relative link without a target.
pub(super) fn check(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    let mut pages = BTreeMap::new();
    for path in files.iter().filter(|path| has_extension(path, &["md"])) {
        pages.insert(path.clone(), read(path)?);
    }
    let anchors: BTreeMap<_, _> = pages.iter().map(|(path, text)| (path, anchors(text))).collect();
    for (path, text) in &pages {
        for (line, link) in links(text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { resolved(path, file) };
            let is_there =
                files.contains(&target) || files.iter().any(|one| one.starts_with(&target));
            let place = format!("{}:{line}", path.display());
            if !is_there {
                wrong.push(format!("{place}: the link has no target: {link}"));
            } else if !anchor.is_empty()
                && anchors.get(&target).is_some_and(|known| !known.contains(anchor))
            {
                wrong.push(format!("{place}: no heading or anchor of this name: {link}"));
            }
        }
    }
    Ok(())
}

/// A path that is relative to the folder of a page, relative to the root.
fn resolved(page: &Path, link: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(Path::new("")).to_path_buf();
    for component in Path::new(link).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            _ => path.push(component),
        }
    }
    path
}

/// Relative targets of inline links and images, with their lines.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    for (number, line) in prose(numbered(text)) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("](") {
            let Some((link, end)) = after.split_once(')') else { break };
            // After an odd number of backticks, the brackets are code.
            let is_code =
                line[..line.len() - rest.len() + before.len()].matches('`').count() % 2 == 1;
            let is_relative = !link.contains(':') && !link.contains(' ');
            if is_relative && !is_code {
                links.push((number, link));
            }
            rest = end;
        }
    }
    links
}

/// Names of headings, as GitHub and mdBook form them, and explicit anchors.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(numbered(text)) {
        if line.starts_with('#') {
            let name = slug(line.trim_start_matches('#').trim());
            let taken = (1..).map(|number| format!("{name}-{number}"));
            let names = std::iter::once(name.clone()).chain(taken);
            let free = names.into_iter().find(|name| !anchors.contains(name));
            anchors.extend(free);
        }
        for (_, rest) in
            line.match_indices("<a id=\"").map(|(at, tag)| line.split_at(at + tag.len()))
        {
            anchors.extend(rest.split_once('"').map(|(name, _)| name.to_owned()));
        }
    }
    anchors
}

fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# One `two`: three

[a](../b.md#c), ![d](e.svg), [f](https://g.example/)

```text
# code
[h](i.md)
```

`[j](k.md)`, [`l`](m.md) <a id=\"n\"></a>
## o
## o
";

    #[test]
    fn relative_links_outside_of_code_are_found() {
        assert_eq!(links(PAGE), [(3, "../b.md#c"), (3, "e.svg"), (10, "m.md")]);
    }

    #[test]
    fn headings_and_anchors_have_names() {
        let expected = ["n", "o", "o-1", "one-two-three"].map(str::to_owned);
        assert_eq!(anchors(PAGE), BTreeSet::from(expected));
    }

    #[test]
    fn links_are_relative_to_their_page() {
        assert_eq!(resolved(Path::new("docs/a.md"), "../b/c.md"), Path::new("b/c.md"));
        assert_eq!(resolved(Path::new("a.md"), "./b.md"), Path::new("b.md"));
    }
}
