//! `verger cache`: lists, shows and removes records of the store.

use std::ffi::OsStr;
use std::io::Write as _;

use serde_json::json;
use verger::quoted;
use verger_fetch::record::Miss;
use verger_fetch::store::{Lookup, Store as _};
use verger_json::Values;
use verger_json::stored_record::RecordReport;

use crate::args::{Cache, CacheAction, ReportFormat, StoreArgs};
use crate::console::{Console, output_status};
use crate::error::{Error, ExitStatus};
use crate::limits::LIST_PAGE;
use crate::output::{write_entry, write_record};
use crate::record_report::EntryReport;
use crate::sentence::counted;
use crate::store::OpenStore;
use crate::url_check::origin_of;

pub(super) fn run(args: &Cache, console: &mut Console) -> Result<ExitStatus, Error> {
    match &args.action {
        CacheAction::List { store } => list(store, console),
        CacheAction::Show { origin, store } => show(origin, store, console),
        CacheAction::Clear { origin: None, all: false, .. } => {
            let error = Error::new("missing an origin or `--all`");
            Err(error.with_hint(
                "`verger cache clear https://shop.example` removes one site, \
                 `verger cache clear --all` everything",
            ))
        }
        // `None` is `--all`.
        CacheAction::Clear { origin, store, .. } => clear(origin.as_deref(), store, console),
    }
}

fn list(args: &StoreArgs, console: &mut Console) -> Result<ExitStatus, Error> {
    let store = OpenStore::at(args.path.as_deref(), &mut console.messages)?;
    let mut json = (args.format == ReportFormat::Json).then(Values::array);
    let mut status = ExitStatus::Success;
    let mut after: Option<String> = None;
    let mut result = Ok(());
    while result.is_ok() {
        let page = store.ask(|store| store.list(after.as_deref(), LIST_PAGE))?.unwrap_or_default();
        let Some(last) = page.last() else { break };
        after = Some(last.key.clone());
        if page.iter().any(|entry| entry.summary.is_err()) {
            status = ExitStatus::Error;
        }
        result = page.iter().map(EntryReport::of).try_for_each(|report| match &mut json {
            None => write_entry(&mut console.out, &report),
            Some(json) => json.write(&mut console.out, &report),
        });
    }
    let result = result
        .and_then(|()| json.map_or(Ok(()), |json| json.finish(&mut console.out)))
        .and_then(|()| console.out.flush());
    if store.close(&mut console.messages) {
        status = ExitStatus::Error;
    }
    Ok(output_status(result, status, &mut console.messages))
}

fn show(text: &OsStr, args: &StoreArgs, console: &mut Console) -> Result<ExitStatus, Error> {
    let origin = origin_of(text.as_encoded_bytes())?;
    let store = OpenStore::at(args.path.as_deref(), &mut console.messages)?;
    let keys = store.keys(&origin)?;
    let found = keys.iter().map(|key| store.ask(|store| store.get(key))).collect::<Vec<_>>();
    store.close(&mut console.messages);
    let mut records = Vec::new();
    let mut miss = Miss::Absent;
    for found in found {
        match found?.unwrap_or(Lookup::Missing(Miss::Absent)) {
            Lookup::Found(record) => records.push(record),
            Lookup::Missing(other) => miss = other,
        }
    }
    if records.is_empty() {
        return Err(Error::new(format!("{}: {miss}", quoted(&origin.to_string()))));
    }
    let mut json = Values::lines();
    Ok(console.finish(ExitStatus::Success, |out| {
        records.iter().enumerate().try_for_each(|(at, record)| {
            let report = RecordReport::of(record, record.file());
            match args.format {
                ReportFormat::Json => json.write(out, &report),
                ReportFormat::Text if at == 0 => write_record(out, &report),
                ReportFormat::Text => writeln!(out).and_then(|()| write_record(out, &report)),
            }
        })
    }))
}

fn clear(
    text: Option<&OsStr>,
    args: &StoreArgs,
    console: &mut Console,
) -> Result<ExitStatus, Error> {
    let origin = text.map(|text| origin_of(text.as_encoded_bytes())).transpose()?;
    let store = OpenStore::at(args.path.as_deref(), &mut console.messages)?;
    let removed = match &origin {
        Some(origin) => store.keys(origin)?.iter().try_fold(0, |removed, key| {
            let is_removed = store.ask(|store| store.remove(key))?.unwrap_or_default();
            Ok(removed + u64::from(is_removed))
        })?,
        None => store.ask(|store| store.clear())?.unwrap_or_default(),
    };
    store.close(&mut console.messages);
    Ok(console.finish(ExitStatus::Success, |out| match args.format {
        ReportFormat::Text => writeln!(out, "{} removed", counted(removed, "record")),
        ReportFormat::Json => Values::lines().write(out, &json!({ "removed": removed })),
    }))
}
