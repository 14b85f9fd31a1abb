//! The histories of all origins of captures: the common part of `policies` and `changes`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::ops::{Bound, RangeBounds as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arrow_schema::SchemaRef;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use verger::Crawler;
use verger::access::{Meaning, Profile};
use verger_json::NamedCrawler;

use super::{Captures, Run};
use crate::args::{CaptureArgs, ReadingArgs, RunArgs, name_of, show_notes};
use crate::error::{Error, Result};
use crate::history::{Interval, Version, intervals};
use crate::job::Task;
use crate::limits::RECORD_BYTES;
use crate::output::PartWriter;
use crate::resolve::{Resolved, Resolver, bytes_of};
use crate::shuffle::read_all;
use crate::time;

/// A running command, and the versions of all origins of its input.
pub(super) struct Histories<'a> {
    run: Run<'a>,
    reading: &'a ReadingArgs,
    partitions: usize,
    resolved: Resolved,
    /// The folder for the files of captures.
    pub(super) files: Option<&'a Path>,
}

/// Rows of a command, collected for the next batch.
pub(super) trait Rows: Default {
    /// Parameters of all rows.
    type Parameters: Sync;

    /// Adds the rows of an origin, and writes full batches.
    fn add(
        &mut self,
        origin: &str,
        intervals: &[Interval],
        parameters: &Self::Parameters,
        task: &mut Task<'_>,
        out: &mut PartWriter<'_>,
    ) -> Result<()>;

    /// Writes a batch, if there are rows.
    fn write(
        &mut self,
        parameters: &Self::Parameters,
        task: &mut Task<'_>,
        out: &mut PartWriter<'_>,
    ) -> Result<()>;
}

impl<'a> Histories<'a> {
    /// Reads the captures. `options` are those of the command on which its output depends.
    pub(super) fn read(
        command: &str,
        args: &'a RunArgs,
        input: &CaptureArgs,
        reading: &'a ReadingArgs,
        crawlers: &[NamedCrawler],
        options: &Value,
    ) -> Result<Self> {
        let output = args.output()?;
        let captures = Captures::find(input, reading, &output)?;
        let described = crawlers.iter().map(|it| (name_of(it), format!("{:?}", it.crawler())));
        let description = json!({
            "captures": captures.description(reading),
            "crawlers": described.collect::<Vec<_>>(),
            "options": options,
        });
        let mut run = Run::begin(args, output, command, &description)?;
        crawlers.iter().for_each(show_notes);
        run.report["crawlers"] = crawlers.iter().map(|it| json!(it.keys())).collect();
        let resolver = Resolver {
            job: &run.job,
            units: &captures.units,
            partitions: captures.partitions,
            reader: &captures.reader,
            profile: &reading.access,
        };
        let resolved = resolver.run()?;
        Ok(Self { run, reading, partitions: captures.partitions, resolved, files: None })
    }

    /// Writes the rows of all origins, and ends the command.
    pub(super) fn write<R: Rows>(
        self,
        schema: &SchemaRef,
        parameters: &R::Parameters,
    ) -> Result<ExitCode> {
        let Self { run, reading, partitions, resolved, files } = self;
        let needed = |number| bytes_of(&resolved.versions, number);
        let (parts, counts) = run.job.stage("write", partitions, needed, |task| {
            let path = task.path.clone();
            let mut out = PartWriter::new(&path, &run.output)?;
            let mut rows = R::default();
            for range in ranges(&resolved.versions, task.number, run.args.memory_bytes())? {
                for (origin, mut versions) in origins(&resolved.versions, task.number, &range)? {
                    task.count("origins", 1);
                    task.count("versions", versions.len() as u64);
                    if let Some(folder) = files {
                        let replaced =
                            write_files(folder, &origin, &mut versions, &reading.access)?;
                        task.count("files.replaced", replaced);
                    }
                    let (intervals, replaced) = intervals(versions, &reading.access);
                    task.count("replaced", replaced);
                    rows.add(&origin, &intervals, parameters, task, &mut out)?;
                }
            }
            rows.write(parameters, task, &mut out)?;
            task.count("rows", out.finish()?);
            Ok(())
        })?;
        let mut all = resolved.counts;
        all.extend(counts);
        run.end(&parts, &resolved.files, schema, &all)
    }
}

/// Writes the files of an origin for `verger audit --history`, each named by the time of its
/// capture. A capture without a file that allows everything is an empty one. Returns the number of
/// files that a later one of the same second replaces.
fn write_files(
    folder: &Path,
    origin: &str,
    versions: &mut [Version],
    profile: &Profile,
) -> Result<u64> {
    versions.sort_by_key(|version| (version.time, version.place));
    let (mut last, mut replaced) = (PathBuf::new(), 0);
    let folder = folder.join(folder_of(origin));
    for version in versions {
        let text = match version.end.outcome.map(|outcome| profile.meaning(outcome)) {
            Ok(Meaning::Rules) => &version.end.body[..],
            Ok(Meaning::AllowAll) => b"",
            _ => continue,
        };
        let Some(time) = time::in_file_name(version.time) else { continue };
        // Between two captures, another file can have been served.
        let path = folder.join(format!("{time}-seen.txt"));
        if last.as_os_str().is_empty() {
            fs::create_dir_all(&folder).map_err(|error| Error::io("write", &folder, &error))?;
        }
        fs::write(&path, text).map_err(|error| Error::io("write", &path, &error))?;
        replaced += u64::from(path == last);
        last = path;
    }
    Ok(replaced)
}

/// The name of the folder of an origin. No host has `@`, so no two origins share one. File systems
/// permit 255 bytes, and hosts can have more.
fn folder_of(origin: &str) -> String {
    let name = origin.replacen("://", "_", 1).replace(':', "@");
    if name.len() <= 200 {
        return name;
    }
    let start: String = name.chars().take(40).collect();
    format!("{start}@{}", HEXLOWER.encode(&Sha256::digest(origin)))
}

/// Origins from one to before another, in the order of their names.
type OriginRange = (Bound<String>, Bound<String>);

/// Divides the origins of a partition, so that the versions of each range fit in memory.
fn ranges(files: &[PathBuf], partition: usize, memory: u64) -> Result<Vec<OriginRange>> {
    if bytes_of(files, partition)? <= memory {
        return Ok(vec![(Bound::Unbounded, Bound::Unbounded)]);
    }
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    read_all(files, partition, |version: Version| {
        let bytes = RECORD_BYTES + version.end.body.len() as u64;
        *sizes.entry(version.origin).or_default() += bytes;
        Ok(())
    })?;
    let mut ranges = Vec::new();
    let (mut start, mut held) = (Bound::Unbounded, 0);
    for (origin, bytes) in sizes {
        held += bytes;
        if held > memory && held > bytes {
            ranges.push((start, Bound::Excluded(origin.clone())));
            (start, held) = (Bound::Included(origin), bytes);
        }
    }
    ranges.push((start, Bound::Unbounded));
    Ok(ranges)
}

/// The versions of each origin of a range, in the order of origins.
fn origins(
    files: &[PathBuf],
    partition: usize,
    range: &OriginRange,
) -> Result<BTreeMap<String, Vec<Version>>> {
    let mut origins: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    read_all(files, partition, |version: Version| {
        if !range.contains(&version.origin) {
            return Ok(());
        }
        match origins.get_mut(&version.origin) {
            Some(versions) => versions.push(version),
            None => drop(origins.insert(version.origin.clone(), vec![version])),
        }
        Ok(())
    })?;
    Ok(origins)
}

/// The text of a robots.txt that closes everything for a crawler, also if it ignores groups for
/// `*`.
pub(super) fn closed(crawler: &Crawler) -> String {
    let mut text = String::new();
    for token in crawler.tokens() {
        let _ = writeln!(text, "User-agent: {}", token.as_str());
    }
    text + "User-agent: *\nDisallow: /\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_origin_has_its_own_folder_with_a_name_that_file_systems_permit() {
        let long = format!("https://{}.example", "a".repeat(250));
        let folders = [
            ("https://shop.example", "https_shop.example"),
            ("https://a_8080", "https_a_8080"),
            ("https://a:8080", "https_a@8080"),
            ("http://[::1]:80", "http_[@@1]@80"),
        ];
        for (origin, expected) in folders {
            assert_eq!(folder_of(origin), expected);
        }
        assert!(folder_of(&long).len() < 200);
        assert_ne!(folder_of(&long), folder_of(&long.replace(".example", ".test")));
    }
}
