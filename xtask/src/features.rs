//! Sets of features for the tests of a library.

use crate::disk;
use crate::shell::{Result, root};

/// A set of features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    None,
    One(String),
    All,
}

impl Set {
    /// The options of cargo that select the set.
    pub(crate) fn arguments(&self) -> Vec<&str> {
        match self {
            Self::None => vec!["--no-default-features"],
            Self::One(feature) => vec!["--no-default-features", "--features", feature],
            Self::All => vec!["--all-features"],
        }
    }
}

/// Returns no features, each feature of a package alone, and all features.
pub(crate) fn sets(package: &str) -> Result<Vec<Set>> {
    let each = public(package)?.into_iter().map(Set::One);
    Ok([Set::None].into_iter().chain(each).chain([Set::All]).collect())
}

/// Returns the features of a package, without those for other crates of the project, whose names
/// begin with `_`.
pub(crate) fn public(package: &str) -> Result<Vec<String>> {
    let path = root().join("crates").join(package).join("Cargo.toml");
    let text = disk::read(&path)?;
    let found: Vec<_> = features(&text).map(str::to_owned).collect();
    if found.is_empty() && text.contains("\n[features]") {
        return Err(format!("{}: expected features, but found none", path.display()));
    }
    Ok(found)
}

/// The names in the section `[features]`, without `default`.
fn features(manifest: &str) -> impl Iterator<Item = &str> {
    let section = manifest.split("\n[").find_map(|section| section.strip_prefix("features]\n"));
    let lines = section.unwrap_or_default().lines();
    // Lines of a list over several lines begin with white space.
    let names = lines.filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()));
    names.filter_map(|line| line.split_once(" = [")).map(|(name, _)| name).filter(is_choice)
}

fn is_choice(name: &&str) -> bool {
    *name != "default"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_the_keys_of_their_section() {
        let manifest = "[package]\nname = \"a\"\n\n[features]\ndefault = [\"one\"]\n# Why.\none = []\n\
                        two = [\n    \"dep:x\",\n]\n\n[dependencies]\nthree = [\"no\"]\n";
        assert_eq!(features(manifest).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(features("[package]\n").count(), 0);
    }

    #[test]
    fn every_library_has_sets_with_no_each_and_all_features() {
        let sets = sets("verger").unwrap();
        assert_eq!(sets.first(), Some(&Set::None));
        assert!(sets.contains(&Set::One("simd".to_owned())));
        assert_eq!(sets.last(), Some(&Set::All));
    }

    #[test]
    fn a_library_without_features_has_no_set_with_one() {
        assert_eq!(sets("verger-registry").unwrap(), [Set::None, Set::All]);
    }
}
