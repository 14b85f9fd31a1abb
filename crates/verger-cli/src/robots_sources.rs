//! The files that `verger lint` and `verger fmt` work on: from arguments to texts.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::input::{below, bytes_of, is_stdin, read_regular, read_whole_robots, shown};
use crate::limits::{FOLDER_DEPTH, FOLDER_FILES, ROBOTS_BYTES};
use crate::url_check::is_url;

/// A robots.txt that an argument names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RobotsSource {
    /// A file, named by an argument.
    File(PathBuf),
    /// Something named `robots.txt` in a folder. Reading it fails unless it is a regular file.
    Found(PathBuf),
    /// Standard input, with the name of its file if it is known.
    Stdin(Option<PathBuf>),
    /// A URL of a site.
    Url(PathBuf),
}

impl RobotsSource {
    /// The sources of all arguments, in order. A folder has those of its files.
    pub(crate) fn all(
        arguments: &[PathBuf],
        stdin_name: Option<&Path>,
    ) -> Result<Vec<Self>, Error> {
        let current = [PathBuf::from(".")];
        let arguments = if arguments.is_empty() { &current[..] } else { arguments };
        crate::input::read_stdin_once(arguments)?;
        let mut sources = Vec::new();
        for path in arguments {
            if is_stdin(path) {
                sources.push(Self::Stdin(stdin_name.map(Path::to_owned)));
            } else if is_url(path) {
                sources.push(Self::Url(path.clone()));
            } else if path.is_dir() {
                let files = files_below(path)?;
                if files.is_empty() {
                    let name = shown(path);
                    let error = Error::new(format!(
                        "no file named `robots.txt` in {name} or its subfolders"
                    ));
                    return Err(error.with_hint("for a file with another name, give its path"));
                }
                sources.extend(files.into_iter().map(Self::Found));
            } else {
                sources.push(Self::File(path.clone()));
            }
        }
        Ok(sources)
    }

    /// The name for output, not escaped.
    pub(crate) fn name(&self) -> &[u8] {
        match self {
            Self::File(path) | Self::Found(path) | Self::Stdin(Some(path)) | Self::Url(path) => {
                bytes_of(path)
            }
            Self::Stdin(None) => b"<stdin>",
        }
    }

    /// The name for services: see [`below`].
    pub(crate) fn name_below(&self) -> Vec<u8> {
        match self {
            Self::File(path) | Self::Found(path) | Self::Stdin(Some(path)) => {
                bytes_of(&below(path)).to_vec()
            }
            Self::Stdin(None) | Self::Url(_) => self.name().to_vec(),
        }
    }

    /// The path for messages, and for the search of a `verger.toml`; `None` for a URL.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Found(path) | Self::Stdin(Some(path)) => Some(path),
            Self::Stdin(None) => Some(Path::new("-")),
            Self::Url(_) => None,
        }
    }

    /// Reads the whole file, without the limits of dialects.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Error> {
        match self {
            Self::File(path) => read_whole_robots(path),
            Self::Found(path) => read_regular(path, ROBOTS_BYTES),
            _ => read_whole_robots(Path::new("-")),
        }
    }
}

/// Everything named `robots.txt` in a folder and below, by path: also links without a target, pipes
/// and folders, so that none is skipped silently. Symbolic links to folders are not followed, so
/// there are no cycles.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let failed = |error| Error::io("read", &shown(&folder), &error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (name, path) = (entry.file_name(), entry.path());
            let kind = entry.file_type().map_err(failed)?;
            if name == "robots.txt" {
                found.push(path.strip_prefix(".").map_or_else(|_| path.clone(), Path::to_owned));
            }
            if kind.is_dir() {
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                if !is_hidden && name != "node_modules" && depth < FOLDER_DEPTH {
                    folders.push((path, depth + 1));
                }
            }
        }
        if found.len() > FOLDER_FILES {
            let name = shown(&folder);
            let message = format!(
                "expected at most {FOLDER_FILES} files named `robots.txt` in {name}, but found more"
            );
            return Err(Error::new(message));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_its_files_named_robots_txt() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b/c", "a", ".git", "node_modules"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["robots.txt", "b/c/robots.txt", ".git/robots.txt", "a/robots.txt.bak"] {
            fs::write(at(name), "").unwrap();
        }
        fs::write(at("node_modules/robots.txt"), "").unwrap();
        let sources = RobotsSource::all(&[folder.path().to_owned()], None).unwrap();
        let expected = ["b/c/robots.txt", "robots.txt"].map(|name| RobotsSource::Found(at(name)));
        assert_eq!(sources, expected);
        assert!(RobotsSource::all(&[at("a")], None).is_err());
    }

    #[test]
    fn a_name_can_be_relative_to_the_current_folder() {
        let folder = std::env::current_dir().unwrap();
        let name = |path: PathBuf| RobotsSource::File(path).name_below();
        if std::env::var_os("GITHUB_WORKSPACE").is_none() {
            assert_eq!(name(folder.join("robots.txt")), b"robots.txt");
        }
        assert_eq!(name(PathBuf::from("a/robots.txt")), b"a/robots.txt");
        assert_eq!(name(PathBuf::from("./a/robots.txt")), b"a/robots.txt");
        let other = folder.with_file_name("y").join("robots.txt");
        assert_eq!(name(other.clone()), other.as_os_str().as_encoded_bytes());
    }

    #[test]
    fn arguments_are_files_urls_or_standard_input() {
        let all = |arguments: &[&str]| {
            let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
            RobotsSource::all(&arguments, Some(Path::new("x/robots.txt")))
        };
        let sources = all(&["-", "https://shop.example", "no-such-file"]).unwrap();
        let names: Vec<_> = sources.iter().map(|source| source.name().to_vec()).collect();
        assert_eq!(names, [&b"x/robots.txt"[..], b"https://shop.example", b"no-such-file"]);
        assert!(all(&["-", "-"]).is_err());
    }
}
