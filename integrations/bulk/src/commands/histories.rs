//! The histories of all origins of captures: the common part of `policies` and `changes`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::ops::{Bound, RangeBounds as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arrow_array::RecordBatch;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use verger::Crawler;
use verger::access::{Kind, Meaning, Profile};
use verger_json::NamedCrawler;

use super::rows::RowWriter;
use super::{Captures, Run};
use crate::args::{CaptureArgs, RunArgs, name_of, show_notes};
use crate::error::{Error, Result};
use crate::history::{Interval, Version, intervals};
use crate::job::Task;
use crate::limits::RECORD_BYTES;
use crate::resolve::{Resolved, Resolver, bytes_of};
use crate::shuffle::read_all;
use crate::time;

/// A running command, and the versions of all origins of its input.
pub(super) struct Histories<'a> {
    run: Run<'a>,
    access: &'a Profile,
    partitions: usize,
    resolved: Resolved,
}

impl<'a> Histories<'a> {
    /// Reads the captures. `options` are those of the command on which its output depends.
    pub(super) fn read(
        command: &str,
        args: &'a RunArgs,
        input: &'a CaptureArgs,
        crawlers: &[NamedCrawler],
        options: &Value,
    ) -> Result<Self> {
        let output = args.output()?;
        let captures = Captures::find(input, &output)?;
        let described = crawlers.iter().map(|it| (name_of(it), format!("{:?}", it.crawler())));
        let description = json!({
            "captures": captures.description,
            "crawlers": described.collect::<Vec<_>>(),
            "options": options,
        });
        let mut run = Run::begin(args, output, command, &description)?;
        crawlers.iter().for_each(show_notes);
        run.report["crawlers"] = crawlers.iter().map(|it| json!(it.keys())).collect();
        let partitions = captures.partitions;
        let resolver = Resolver {
            job: &run.job,
            units: &captures.units,
            partitions,
            reader: &captures.reader,
            profile: &input.access,
        };
        let resolved = resolver.run()?;
        Ok(Self { run, access: &input.access, partitions, resolved })
    }

    /// Writes the rows of all origins, and ends the command. `files` is the folder for the files of
    /// captures, `batch` makes columns of rows, and `add` adds the rows of an origin.
    pub(super) fn write<R>(
        self,
        files: Option<&Path>,
        batch: fn(&[R]) -> Result<RecordBatch>,
        add: impl Fn(&str, &[Interval], &mut Task<'_>, &mut RowWriter<'_, R>) -> Result<()> + Sync,
    ) -> Result<ExitCode> {
        let Self { run, access, partitions, resolved } = self;
        let needed = |number| bytes_of(&resolved.versions, number);
        let (parts, counts) = run.job.stage("write", partitions, needed, |task| {
            let mut out = RowWriter::new(&run.output, task, &batch)?;
            for range in ranges(&resolved.versions, task.number, run.args.memory_bytes())? {
                for (origin, mut versions) in origins(&resolved.versions, task.number, &range)? {
                    task.count("origins", 1);
                    task.count("versions", versions.len() as u64);
                    if let Some(folder) = files {
                        let replaced = write_files(folder, &origin, &mut versions, access)?;
                        task.count("files.replaced", replaced);
                    }
                    let found = versions.len();
                    let (intervals, replaced) = intervals(versions, access);
                    task.count("replaced", replaced);
                    add(&origin, &intervals, task, &mut out)?;
                    task.advance(found)?;
                }
            }
            out.finish(task)
        })?;
        let mut all = resolved.counts;
        all.extend(counts);
        run.end(&parts, &resolved.files, &batch(&[])?.schema(), &all)
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

/// The text of a robots.txt with the meaning of an interval for a crawler; `None` if the access is
/// unknown. If everything is closed, then also to a crawler that ignores groups for `*`.
pub(super) fn text<'i>(interval: &'i Interval, crawler: &Crawler) -> Option<Cow<'i, [u8]>> {
    Some(match (interval.access, &interval.file) {
        (Kind::Rules, Some(file)) => Cow::Borrowed(&file.body),
        (Kind::AllowAll, _) => Cow::Borrowed(b""),
        (Kind::DisallowAll, _) => {
            let agents = crawler.tokens().iter();
            let agents = agents.map(|token| format!("User-agent: {}\n", token.as_str()));
            let closed = agents.collect::<String>() + "User-agent: *\nDisallow: /\n";
            Cow::Owned(closed.into_bytes())
        }
        _ => return None,
    })
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
