//! Comparison of two files for all crawlers. `verger.analysis` gives it a form.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use verger::LineIndex;
use verger_analysis::{
    Budget, FileComparison, GroupSwitch, TextChange, compare_files as compare, compared_crawler,
    compared_names,
};
use verger_registry::Registry;

use crate::analysis::Compared;
use crate::group::Group;
use crate::record::Record;
use crate::robots::Robots;

/// The differences between two files.
#[derive(IntoPyObject)]
pub(crate) struct ComparedFiles {
    differences: Vec<Differences>,
    unchanged: Vec<String>,
    records: Vec<(Record, bool)>,
    text: &'static str,
    added_lines: Option<(usize, usize)>,
    not_compared: usize,
}

/// Crawlers with the same differences.
#[derive(IntoPyObject)]
struct Differences {
    crawlers: Vec<String>,
    comparison: Compared,
    records: Vec<(Record, bool)>,
    switch: Option<&'static str>,
    groups_before: Vec<Group>,
    groups_after: Vec<Group>,
}

/// Compares two files for all crawlers that they name, some more, and all others.
#[pyfunction]
pub(crate) fn compare_files(
    py: Python<'_>,
    before: &Robots,
    after: &Robots,
    agents: Vec<String>,
) -> PyResult<ComparedFiles> {
    let files = [&*before.inner, &*after.inner];
    let names = names(files, &agents)?;
    let reads_headers = after.inner.dialect().reads_headers;
    let read = |name: &str| Registry::bundled().resolve(name, reads_headers).rules.into_owned();
    let crawlers: Vec<_> = names.iter().map(|name| compared_crawler(name, &files, read)).collect();
    let compared = py.detach(|| compare(files[0], files[1], &crawlers, &mut Budget::default()));
    ComparedFiles::of(&compared, &names, before, after, py)
}

/// `*`, the given names, and those of the files.
fn names(files: [&verger::Robots; 2], agents: &[String]) -> PyResult<Vec<String>> {
    if let Some(name) = agents.iter().find(|name| name.trim().is_empty()) {
        let message = format!("agents: expected names of crawlers, but found {name:?}");
        return Err(PyValueError::new_err(message));
    }
    Ok(compared_names(agents.iter().map(String::as_str), &files))
}

impl ComparedFiles {
    fn of(
        compared: &FileComparison<'_>,
        names: &[String],
        before: &Robots,
        after: &Robots,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let [lines_before, lines_after] =
            [before, after].map(|robots| LineIndex::new(robots.inner.text()));
        let records = |changes: &[verger_analysis::RecordChange<'_>]| -> Vec<_> {
            let changes = changes.iter().map(|change| {
                let lines = if change.is_added { &lines_after } else { &lines_before };
                (Record::of(&change.record, lines), change.is_added)
            });
            changes.collect()
        };
        let of_names = |indices: &[usize]| indices.iter().map(|&at| names[at].clone()).collect();
        let groups = |groups: &[verger::Group<'_>]| {
            groups.iter().map(|group| Group::of(*group, py)).collect::<PyResult<Vec<_>>>()
        };
        let differences = compared.differences.iter().map(|found| {
            Ok(Differences {
                crawlers: of_names(&found.crawlers),
                comparison: Compared::of(&found.comparison, &before.inner, &after.inner),
                records: records(&found.records),
                switch: found.switch.map(GroupSwitch::name),
                groups_before: groups(&found.groups_before)?,
                groups_after: groups(&found.groups_after)?,
            })
        });
        let length = after.inner.text().len();
        let lines = |start: usize, end: usize| {
            let line = |at| lines_after.position(at).line;
            Some((line(start), line(end.saturating_sub(1))))
        };
        let (text, added_lines) = match compared.text {
            TextChange::Same => ("same", None),
            TextChange::Prepended(bytes) => ("prepended", lines(0, bytes)),
            TextChange::Appended(bytes) => ("appended", lines(length - bytes, length)),
            _ => ("changed", None),
        };
        Ok(Self {
            differences: differences.collect::<PyResult<_>>()?,
            unchanged: of_names(&compared.unchanged),
            records: records(&compared.records),
            text,
            added_lines,
            not_compared: compared.not_compared,
        })
    }
}
