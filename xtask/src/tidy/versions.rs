//! Versions: packages of other workspaces are released with the crates, with their version.

use std::path::Path;

use super::files::read;
use crate::shell::Result;

/// The version of all crates.
const CRATES: &str = "Cargo.toml";

/// Packages with the same version.
const PACKAGES: [&str; 6] = [
    "bindings/c/Cargo.toml",
    "bindings/python/Cargo.toml",
    "bindings/wasm/Cargo.toml",
    "bindings/wasm/package/lib/version.js",
    "bindings/wasm/package/package.json",
    "integrations/Cargo.toml",
];

/// Reports each package with another version.
pub(super) fn check(wrong: &mut Vec<String>) -> Result {
    let version = |path: &str| {
        let text = read(Path::new(path))?;
        version(&text).map(str::to_owned).ok_or_else(|| format!("{path}: expected a version"))
    };
    let expected = version(CRATES)?;
    for package in PACKAGES {
        let found = version(package)?;
        if found != expected {
            wrong.push(format!(
                "{package}: expected version {expected} as in {CRATES}, but found {found}"
            ));
        }
    }
    Ok(())
}

/// The first version in a `Cargo.toml`, a `package.json` or a `version.js`.
fn version(text: &str) -> Option<&str> {
    let mut values = text.lines().filter_map(|line| {
        let json = || line.trim_start().strip_prefix("\"version\": \"");
        let javascript = || line.strip_prefix("export const VERSION = \"");
        line.strip_prefix("version = \"").or_else(json).or_else(javascript)
    });
    values.find_map(|value| value.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_format_are_found() {
        let toml = "[package]\nname = \"a\"\nrust-version = \"1.89\"\nversion = \"0.1.0\"\n";
        assert_eq!(version(toml), Some("0.1.0"));
        let json = "{\n  \"name\": \"a\",\n  \"version\": \"0.2.0\",\n  \"type\": \"module\"\n}\n";
        assert_eq!(version(json), Some("0.2.0"));
        assert_eq!(version("// a\nexport const VERSION = \"0.3.0\";\n"), Some("0.3.0"));
        assert_eq!(version("[dependencies]\na = { version = \"1\" }\n"), None);
    }
}
