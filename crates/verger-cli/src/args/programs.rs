//! Names of separate programs in help and errors.

/// The separate programs of this project: name, summary, and installation.
pub(crate) const PROGRAMS: [(&str, &str, &str); 4] = [
    (
        "bulk",
        "Process robots.txt files and URLs of archives: WARC, ARC, Parquet, CSV, JSON Lines",
        "`cargo install --locked --path integrations/bulk` in the repository of verger installs it",
    ),
    (
        "lsp",
        "Check, explain and fix robots.txt files in editors: the language server",
        "`cargo install --locked --path crates/verger-lsp` in the repository of verger installs it",
    ),
    (
        "mcp",
        "Serve agents over MCP: ask before fetching",
        "`cargo install --locked --path crates/verger-mcp` in the repository of verger installs it",
    ),
    (
        "serve",
        "Answer over HTTP for crawlers in any language, with a web page",
        "`cargo install --locked --path crates/verger-server` in the repository of verger installs it",
    ),
];

/// The hint about a name that is neither a command nor an installed program.
pub(crate) fn hint(name: &str) -> Option<String> {
    if name == "explain" {
        return Some("`verger check --explain` explains an answer".to_owned());
    }
    let (.., source) = PROGRAMS.iter().find(|(known, ..)| *known == name)?;
    Some(format!("program `verger-{name}` is neither beside verger nor on the path; {source}"))
}

/// The part of `verger --help` about separate programs.
pub(crate) fn help() -> String {
    let lines = PROGRAMS.map(|(name, summary, _)| format!("  {name:<11}  {summary}\n"));
    format!(
        "Separate programs:\n{}\n`verger NAME` runs the program `verger-NAME` beside verger or on \
         the path.",
        lines.concat()
    )
}

/// Whether a name can be a part of the name of a program: no path, no option, no hidden file.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.bytes().all(is_part) && name.starts_with(|first: char| first.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_programs() {
        for name in ["bulk", "a-b", "x1"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "-x", "../x", "x/y", "X", "x y", "1", ".x", "é"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
