//! The order of modules: a module uses only modules before it in the map of its crate, and the
//! files of a folder do not use each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::files::read;
use crate::shell::Result;
use crate::sizes::is_test_file;

/// The names from the root of a crate to a module or an item.
type Names = Vec<String>;

pub(super) fn check(
    files: &[PathBuf],
    maps: &BTreeMap<String, Vec<String>>,
    wrong: &mut Vec<String>,
) -> Result {
    for (source, order) in maps {
        let mut texts = BTreeMap::new();
        for path in files {
            if let Ok(inner) = path.strip_prefix(source)
                && inner.extension().is_some_and(|extension| extension == "rs")
                && !is_test_file(path)
            {
                // Of a library and its program, the library is the root: it comes first.
                texts.entry(module(inner)).or_insert(code(&read(path)?));
            }
        }
        let order: Vec<&str> = order.iter().map(String::as_str).collect();
        let found = problems(&uses(&texts), &order);
        wrong.extend(found.into_iter().map(|problem| format!("{source}: {problem}")));
    }
    Ok(())
}

/// The module of a file: empty for the root.
fn module(file: &Path) -> Names {
    let mut names: Names =
        file.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    names.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
    names
}

/// The tokens of a text, without comments and unit tests.
fn code(text: &str) -> Vec<String> {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut tokens: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let mut in_word = false;
        for c in line.chars() {
            let is_word = c.is_alphanumeric() || c == '_';
            match tokens.last_mut() {
                Some(last) if is_word && in_word => last.push(c),
                Some(last) if c == ':' && last == ":" => last.push(c),
                _ if c.is_whitespace() => {}
                _ => tokens.push(c.to_string()),
            }
            in_word = is_word;
        }
    }
    tokens
}

/// The items of a tree of names: `a::{b, c::d}` after a path.
fn items(tokens: &[String], at: &mut usize, mut path: Names, found: &mut Vec<Names>) {
    while let Some(token) = tokens.get(*at) {
        if token == "{" {
            *at += 1;
            while tokens.get(*at).is_some_and(|token| token != "}") {
                items(tokens, at, path.clone(), found);
                while tokens.get(*at).is_some_and(|token| ![",", "}"].contains(&token.as_str())) {
                    *at += 1;
                }
                *at += usize::from(tokens.get(*at).is_some_and(|token| token == ","));
            }
            *at += 1;
            return;
        }
        path.push(token.clone());
        *at += 1;
        if tokens.get(*at).is_none_or(|token| token != "::") {
            break;
        }
        *at += 1;
    }
    found.push(path);
}

/// The pairs of modules of which the first uses the second.
fn uses(texts: &BTreeMap<Names, Vec<String>>) -> BTreeSet<(Names, Names)> {
    let named = |tokens: &[String], word: &str, base: &[String]| {
        let mut found = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let is_path = tokens[at] == word
                && (word == "use" || tokens.get(at + 1).is_some_and(|next| next == "::"));
            at += 1;
            if is_path {
                at += usize::from(word != "use");
                items(tokens, &mut at, base.to_vec(), &mut found);
            }
        }
        found
    };
    let exported = texts.get(&Vec::new()).map(|root| named(root, "use", &[])).unwrap_or_default();
    let mut used = BTreeSet::new();
    for (module, tokens) in texts {
        let parent = &module[..module.len().saturating_sub(1)];
        for mut path in [named(tokens, "crate", &[]), named(tokens, "super", parent)].concat() {
            // An item that the root exports belongs to its module. A module can have its name.
            if let Some(first) = path.first()
                && !texts.contains_key(&path[..1])
                && let Some(export) = exported.iter().find(|export| export.last() == Some(first))
            {
                path.clone_from(export);
            }
            while !path.is_empty() && !texts.contains_key(&path) {
                path.pop();
            }
            let is_apart = !path.starts_with(module) && !module.starts_with(&path);
            if is_apart {
                used.insert((module.clone(), path));
            }
        }
    }
    used
}

/// Uses against the order, and circles in folders.
fn problems(used: &BTreeSet<(Names, Names)>, order: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    let place = |name: &str| order.iter().position(|listed| *listed == name);
    let mut folders: BTreeMap<Names, BTreeSet<(String, String)>> = BTreeMap::new();
    for (user, target) in used {
        let common = user.iter().zip(target).take_while(|(one, other)| one == other).count();
        let (one, other) = (&user[common], &target[common]);
        folders.entry(user[..common].to_vec()).or_default().insert((one.clone(), other.clone()));
        if common > 0 {
            continue;
        }
        match (place(one), place(other)) {
            (Some(user), Some(target)) if target < user => {}
            (Some(_), Some(_)) => {
                problems.push(format!("`{one}` uses `{other}`, which is above it"));
            }
            _ => problems.push(format!("`{one}` or `{other}` is not in the map")),
        }
    }
    for (folder, mut pairs) in folders.into_iter().filter(|(folder, _)| !folder.is_empty()) {
        // Files that use no other file of the rest are not part of a circle.
        while let Some(free) = pairs
            .iter()
            .map(|(_, target)| target.clone())
            .find(|target| pairs.iter().all(|(user, _)| user != target))
        {
            pairs.retain(|(_, target)| *target != free);
        }
        if let Some((one, other)) = pairs.first() {
            let folder = folder.join("/");
            problems.push(format!("`{folder}`: `{one}` and `{other}` are in a circle"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], order: &str, expected: &[&str]) {
        let texts =
            files.iter().map(|(path, text)| (module(Path::new(path)), code(text))).collect();
        let order: Vec<&str> = order.split_whitespace().collect();
        assert_eq!(problems(&uses(&texts), &order), expected);
    }

    #[test]
    fn a_module_uses_only_modules_before_it() {
        let root = ("lib.rs", "mod a;\nmod b;\npub use a::x::One;\n");
        let files = [root, ("b.rs", "use crate::a::{y::Y, Z};\n// crate::c\n"), ("a/mod.rs", "")];
        check(&files, "a b", &[]);
        check(&files, "b a", &["`b` uses `a`, which is above it"]);
        let exported = [root, ("b.rs", "fn f(_: crate::One) {}"), ("a.rs", "")];
        check(&exported, "b a", &["`b` uses `a`, which is above it"]);
        check(&exported, "b", &["`b` or `a` is not in the map"]);
        let root = ("lib.rs", "mod a;\nmod b;\nmod c;\npub use c::a;\n");
        let named_as_a_module = [root, ("b.rs", "use crate::a::x;"), ("a.rs", ""), ("c.rs", "")];
        check(&named_as_a_module, "a b c", &[]);
    }

    #[test]
    fn files_of_a_folder_form_no_circle() {
        let x =
            ("a/x.rs", "use super::y::Y;\n\n#[cfg(test)]\nmod tests {\n    use crate::a::z;\n}\n");
        let (y, z) = (("a/y.rs", "use crate::a::z::Z;"), ("a/z.rs", "use super::Parent;"));
        check(&[("a/mod.rs", ""), x, y, z], "a", &[]);
        let z = ("a/z.rs", "use super::{Parent, x::X};");
        check(&[("a/mod.rs", ""), x, y, z], "a", &["`a`: `x` and `y` are in a circle"]);
    }
}
