//! Files that are not linted, by patterns of their paths.

/// Whether one of the patterns means a file with this path, which is relative to the folder of the
/// `verger.toml` and has `/` between its parts.
///
/// A pattern without `/` means all files and folders of this name. One with `/` means a path from
/// the folder of the `verger.toml`. A `*` means any characters except `/`.
pub(super) fn excludes(patterns: &[String], path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    patterns.iter().any(|pattern| {
        let pattern = pattern.trim_end_matches('/');
        if !pattern.contains('/') {
            return parts.iter().any(|part| matches(pattern, part));
        }
        let wanted: Vec<&str> = pattern.trim_start_matches('/').split('/').collect();
        parts.len() >= wanted.len() && wanted.iter().zip(&parts).all(|(it, part)| matches(it, part))
    })
}

/// Whether a name matches a pattern with `*`.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    // The first match of each part leaves most for the others.
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        let paths = ["robots.txt", "a/robots.txt", "b/a/x/robots.txt", "b/staging.txt"];
        let patterns = [pattern.to_owned()];
        let found: Vec<_> = paths.into_iter().filter(|path| excludes(&patterns, path)).collect();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn names_mean_files_and_folders_everywhere() {
        check("a", &["a/robots.txt", "b/a/x/robots.txt"]);
        check("a/", &["a/robots.txt", "b/a/x/robots.txt"]);
        check("stag*.txt", &["b/staging.txt"]);
        check("rob", &[]);
        check("", &[]);
    }

    #[test]
    fn paths_begin_at_the_folder_of_the_settings() {
        check("/a", &["a/robots.txt"]);
        check("b/a", &["b/a/x/robots.txt"]);
        check("b/*", &["b/a/x/robots.txt", "b/staging.txt"]);
        check("*/x", &[]);
        check("a/robots.txt", &["a/robots.txt"]);
    }

    #[test]
    fn stars_do_not_share_characters() {
        for (pattern, name, expected) in [
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*a*b*", "xaxbx", true),
            ("*a*b*", "xbxa", false),
            ("*ab*ab", "ab", false),
            ("**", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
