//! The tables of a metric pack over all captures, for groups of ranks.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use postcard::Deserializer;
use verger::Dialect;
use verger_metrics::{Pack, Tally};

use super::Run;
use crate::error::{Error, Result};
use crate::limits::RANKS;
use crate::output::{PartWriter, remove};

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
        let bytes = |tally: &Tally| postcard::to_stdvec(tally).map_err(|error| broken(&error));
        let classes = self.classes.iter().map(|(class, tally)| Ok((*class, bytes(tally)?)));
        let classes = postcard::to_stdvec(&classes.collect::<Result<Vec<_>>>()?);
        let classes = classes.map_err(|error| broken(&error))?;
        let path = part.with_extension(ENDING);
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&classes)?;
            file.sync_all()
        });
        written.map_err(|error| Error::io("write", &path, &error))
    }
}

/// Writes the tables from the sums beside the parts.
pub(super) fn write(run: &Run<'_>, pack: Pack, dialect: Dialect, parts: &[PathBuf]) -> Result<()> {
    // Each group has the classes of a range.
    let mut groups = vec![("all".to_owned(), 0..=UNRANKED)];
    groups.extend(RANKS.iter().enumerate().map(|(at, most)| (format!("top_{most}"), 0..=at)));
    groups.push(("rest".to_owned(), ABOVE..=UNRANKED));
    let mut sums = vec![Tally::new(pack, dialect); groups.len()];
    let mut has_ranks = false;
    for part in parts {
        let path = part.with_extension(ENDING);
        let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, &error))?;
        let classes: Vec<(usize, Vec<u8>)> =
            postcard::from_bytes(&bytes).map_err(|error| broken(&error))?;
        for (class, tally) in classes {
            has_ranks |= class <= ABOVE;
            for ((_, range), sums) in groups.iter().zip(&mut sums) {
                if range.contains(&class) {
                    let merged = sums.merge(&mut Deserializer::from_bytes(&tally));
                    merged.map_err(|error| broken(&error))?;
                }
            }
        }
    }
    if !has_ranks {
        groups.truncate(1);
    }
    let tables: Vec<_> = sums.iter().take(groups.len()).map(Tally::tables).collect();
    for (at, table) in tables[0].iter().enumerate() {
        let output = run.output.table(table.name);
        run.job.once(|task| {
            let mut part = PartWriter::new(&task.path, &output)?;
            let mut schema = Arc::new(Schema::empty());
            for (tables, (group, _)) in tables.iter().zip(&groups) {
                let (fields, columns, _) = verger_arrow::table(&tables[at])?.into_parts();
                let rows = columns[0].len();
                let name = [Arc::new(Field::new("ranks", DataType::Utf8, false))];
                schema = Arc::new(Schema::new(
                    name.into_iter().chain(fields.iter().cloned()).collect::<Vec<_>>(),
                ));
                let group: ArrayRef =
                    Arc::new(StringArray::from_iter_values(std::iter::repeat_n(group, rows)));
                let columns = std::iter::once(group).chain(columns).collect();
                part.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
            }
            part.finish()?;
            output.assemble(std::slice::from_ref(&task.path), &schema)
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

fn broken(error: &postcard::Error) -> Error {
    Error::new(format!("could not keep sums of tables in the work folder: {error}"))
}
