//! The corpus: a folder, the data beside the project, or generated files.
//!
//! # Flow
//!
//! [`Corpus::open`] reads or generates the files. The URLs for files of a folder are derived from
//! their rules (`urls.rs`), or are those with golden answers. Generated files (`generated.rs`) have
//! the shape of those of the Web (`shape.rs`).

mod generated;
mod shape;
mod urls;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use fastrand::Rng;
use verger_testkit::golden::GoldenAnswers;
use verger_testkit::shared::shared;
use verger_testkit::{corpus, golden};

use crate::Result;
use crate::set::{Set, Site};

/// Files, questions, and the answers of Google's library if available.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// A description for people.
    pub(crate) name: String,
    pub(crate) set: Set,
    /// For each site, the answers to its questions; empty if unknown.
    pub(crate) golden: Vec<GoldenAnswers>,
}

/// Source of the files.
#[derive(Clone, Debug)]
pub(crate) enum Source<'a> {
    /// All files of a folder, or of a `.tar.gz`; with the answers of Google's library in the second
    /// path, if given.
    Files(&'a Path, Option<&'a Path>),
    /// Generated files.
    Generated {
        /// Seed.
        seed: u64,
        /// Number of files.
        sites: usize,
    },
}

impl Corpus {
    /// Reads or generates the files.
    ///
    /// # Errors
    ///
    /// If files cannot be read, or there are none.
    pub(crate) fn open(source: &Source<'_>, agent: &str) -> Result<Self> {
        let (name, sites, golden) = match *source {
            Source::Files(path, golden) => of_files(path, golden)?,
            Source::Generated { seed, sites } => {
                let name = format!("generated from seed {seed}");
                (name, generated::sites(seed, sites), Vec::new())
            }
        };
        if sites.is_empty() {
            return Err(format!("expected robots.txt files, but found none: {name}"));
        }
        Ok(Self { name, set: Set { agent: agent.to_owned(), sites }, golden })
    }

    /// Writes the files into a folder, one for each site.
    ///
    /// # Errors
    ///
    /// If the folder cannot be created or written.
    pub(crate) fn write_to(&self, folder: &Path) -> Result {
        fs::create_dir_all(folder).map_err(at(folder))?;
        for site in &self.set.sites {
            fs::write(folder.join(&site.name), &site.bytes).map_err(at(folder))?;
        }
        Ok(())
    }
}

type Files = BTreeMap<String, Vec<u8>>;

fn of_files(path: &Path, golden: Option<&Path>) -> Result<(String, Vec<Site>, Vec<GoldenAnswers>)> {
    let archive = archive(path);
    let files = archive.as_deref().map_or_else(|| folder(path), corpus::unpack);
    let files = files.map_err(at(path))?;
    // The answers for the corpus beside the project are in the folder beside it.
    let beside =
        shared(golden::VERDICTS).filter(|_| archive.is_some() && archive == shared(corpus::CORPUS));
    if let Some(golden) = golden.map(Path::to_path_buf).or(beside) {
        let answers = golden::unpack(&golden).map_err(at(&golden))?;
        let (sites, answers) = with_answers(files, answers);
        return Ok(("files of the Web".to_owned(), sites, answers));
    }
    let sites = files.into_iter().map(|(name, bytes)| {
        // The same URLs for the same file.
        let mut random = Rng::with_seed(bytes.len() as u64);
        // A name with a dot is a host; others get a suffix.
        let host = if name.contains('.') { name } else { format!("{name}.example") };
        let urls = urls::of(&host, &bytes, &mut random);
        Site::new(host, bytes, urls)
    });
    Ok(("files of a folder".to_owned(), sites.collect(), Vec::new()))
}

/// The archive itself, or the only archive of a folder.
fn archive(path: &Path) -> Option<PathBuf> {
    let is_archive = |path: &Path| path.to_string_lossy().ends_with(".tar.gz");
    let path = if path.is_dir() {
        let mut entries = fs::read_dir(path).ok()?;
        let only = entries.next()?.ok()?.path();
        entries.next().is_none().then_some(only)?
    } else {
        path.to_path_buf()
    };
    is_archive(&path).then(|| path.canonicalize().unwrap_or(path))
}

fn folder(path: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        // Also a link to a file.
        if entry.path().is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(files)
}

/// The files with answers, and the URLs of these.
fn with_answers(mut files: Files, answers: Vec<GoldenAnswers>) -> (Vec<Site>, Vec<GoldenAnswers>) {
    let answered = answers.into_iter().filter_map(|answers| {
        let bytes = files.remove(&answers.file)?;
        Some((Site::new(answers.file.clone(), bytes, answers.urls.clone()), answers))
    });
    answered.unzip()
}

fn at(path: &Path) -> impl Fn(io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}
