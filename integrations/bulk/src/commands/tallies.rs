//! The tables of a metric pack over all captures, for groups of ranks.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, StringArray};
use verger::Dialect;
use verger_metrics::{Pack, Tally};

use super::Run;
use super::rows::{self, Column};
use crate::error::{Error, Result};
use crate::limits::RANKS;
use crate::output::{PartWriter, remove};
use crate::shuffle::{ShuffleWriter, read_all};

/// Ending of the files of sums.
const ENDING: &str = "tally";

/// The class of ranks above the groups.
const ABOVE: usize = RANKS.len();

/// The class of captures without a rank.
const UNRANKED: usize = ABOVE + 1;

/// The sums of a task, by class of rank.
pub(super) struct Tallies {
    empty: Tally,
    classes: BTreeMap<usize, Tally>,
}

impl Tallies {
    pub(super) fn new(pack: Pack, dialect: Dialect) -> Self {
        Self { empty: Tally::new(pack, dialect), classes: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, rank: Option<u64>, file: &[u8]) {
        let class = match rank {
            Some(rank) => RANKS.iter().position(|&most| rank <= most).unwrap_or(ABOVE),
            None => UNRANKED,
        };
        self.classes.entry(class).or_insert_with(|| self.empty.clone()).add(file);
    }

    /// Writes the sums beside the part of the task, which the manifest names afterwards.
    pub(super) fn save(&self, part: &Path) -> Result<()> {
        let path = part.with_extension(ENDING);
        let mut out = ShuffleWriter::new(&path, 1)?;
        out.add(0, &self.classes)?;
        out.finish()?;
        // As of the part itself, the manifest must not name a file that a power failure can empty.
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| Error::io("write", &path, &error))
    }
}

/// Writes the tables from the sums beside the parts.
pub(super) fn write(run: &Run<'_>, pack: Pack, parts: &[PathBuf]) -> Result<()> {
    // Each group has the classes of a range.
    let mut groups = vec![("all".to_owned(), 0..=UNRANKED)];
    groups.extend(RANKS.iter().enumerate().map(|(at, most)| (format!("top_{most}"), 0..=at)));
    groups.push(("rest".to_owned(), ABOVE..=UNRANKED));
    let mut sums = vec![Tally::new(pack, Dialect::default()); groups.len()];
    let mut has_ranks = false;
    let files: Vec<PathBuf> = parts.iter().map(|part| part.with_extension(ENDING)).collect();
    read_all(&files, 0, |classes: BTreeMap<usize, Tally>| {
        for (class, tally) in &classes {
            has_ranks |= *class <= ABOVE;
            for ((_, range), sums) in groups.iter().zip(&mut sums) {
                if range.contains(class) {
                    sums.merge(tally);
                }
            }
        }
        Ok(())
    })?;
    if !has_ranks {
        groups.truncate(1);
        sums.truncate(1);
    }
    let tables: Vec<_> = sums.iter().map(Tally::tables).collect();
    for (at, table) in tables[0].iter().enumerate() {
        // The rows of all groups.
        let (mut all, mut ranks) = (table.clone(), Vec::new());
        all.rows.clear();
        for ((group, _), tables) in groups.iter().zip(&tables) {
            ranks.extend(vec![group; tables[at].rows.len()]);
            all.rows.extend_from_slice(&tables[at].rows);
        }
        let ranks: Column<'_> = ("ranks", Arc::new(StringArray::from_iter_values(ranks)), false);
        let structs = verger_arrow::table(&all)?;
        let columns = [ranks].into_iter().chain(rows::columns(&structs));
        let batch = RecordBatch::try_from_iter_with_nullable(columns)?;
        let output = run.output.table(table.name);
        run.job.once(|task| {
            let mut part = PartWriter::new(&task.path, &output)?;
            part.write(&batch)?;
            part.finish()?;
            output.assemble(std::slice::from_ref(&task.path), &batch.schema())
        })?;
    }
    Ok(())
}

/// Removes the tables that an earlier run with this output has written from other packs.
pub(super) fn remove_stale(run: &Run<'_>, pack: Option<Pack>) -> Result<()> {
    if run.output.is_stdout() {
        return Ok(());
    }
    for other in Pack::ALL.into_iter().filter(|other| Some(*other) != pack) {
        for table in Tally::new(other, Dialect::default()).tables() {
            remove(&run.output.table(table.name).path)?;
        }
    }
    Ok(())
}
