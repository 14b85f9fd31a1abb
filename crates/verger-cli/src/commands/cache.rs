//! `verger cache`: what the store keeps.

use std::ffi::OsStr;
use std::io::Write as _;

use verger::Origin;
use verger_fetch::store::{
    Entry, Lookup, Notice, Pending, SqliteOptions, SqliteStore, Store as _, StoreError,
    StoreErrorKind,
};
use verger_json::Values;

use crate::args::{Cache, CacheAction, CacheFormat, StoreArgs};
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::kept::{Cleared, Kept, Listed};
use crate::limits::LISTED_ENTRIES;
use crate::output::{write_kept, write_listed};
use crate::quote::quoted;
use crate::store_file;
use crate::url_text::origin_of;

pub(super) fn run(args: &Cache, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let done = match &args.action {
        CacheAction::List { store, format } => list(store, format.format, out, talk),
        CacheAction::Show { origin, store, format } => {
            show(origin, store, format.format, out, talk)
        }
        CacheAction::Clear { origin: None, all: false, .. } => Err(no_origin()),
        // Without an origin it is all.
        CacheAction::Clear { origin, store, format, .. } => {
            clear(origin.as_deref(), store, format.format, out, talk)
        }
    };
    match done {
        Ok(status) => {
            talk.finish();
            status
        }
        Err(error) => talk.fail(&error),
    }
}

fn list(
    args: &StoreArgs,
    format: CacheFormat,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
    let store = Opened::at(args, talk)?;
    let mut json = Values::array();
    let mut status = ExitStatus::Success;
    let mut after: Option<String> = None;
    let mut result = Ok(());
    while result.is_ok() {
        let entries = store.page(after.as_deref())?;
        let Some(last) = entries.last() else { break };
        after = Some(last.origin.clone());
        for entry in &entries {
            if Listed::miss(entry).is_some() {
                status = ExitStatus::Error;
            }
            let listed = Listed::of(entry);
            result = result.and_then(|()| match format {
                CacheFormat::Text => write_listed(out, &listed),
                CacheFormat::Json => json.write(out, &listed),
            });
        }
    }
    let result = result
        .and_then(|()| match format {
            CacheFormat::Text => Ok(()),
            CacheFormat::Json => json.finish(out),
        })
        .and_then(|()| out.flush());
    if store.close(talk) {
        status = ExitStatus::Error;
    }
    Ok(written(result, status, talk))
}

fn show(
    text: &OsStr,
    args: &StoreArgs,
    format: CacheFormat,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
    let origin = origin_of(text.as_encoded_bytes())?;
    let store = Opened::at(args, talk)?;
    let found = store.get(&origin)?;
    store.close(talk);
    let record = match found {
        Lookup::Found(record) => record,
        Lookup::Missing(miss) => {
            return Err(Error::new(format!("{}: {miss}", quoted(&origin.to_string()))));
        }
    };
    let is_used = record.states().first().is_some_and(|first| first.state.has_copy());
    let kept = Kept::of(&record, record.file().filter(|_| is_used));
    let result = match format {
        CacheFormat::Text => write_kept(out, &kept),
        CacheFormat::Json => Values::lines().write(out, &kept),
    };
    Ok(written(result.and_then(|()| out.flush()), ExitStatus::Success, talk))
}

fn clear(
    text: Option<&OsStr>,
    args: &StoreArgs,
    format: CacheFormat,
    out: &mut Out,
    talk: &mut Talk,
) -> Result<ExitStatus, Error> {
    let origin = text.map(|text| origin_of(text.as_encoded_bytes())).transpose()?;
    let store = Opened::at(args, talk)?;
    let removed = store.clear(origin.as_ref())?;
    store.close(talk);
    let result = match (format, removed) {
        (CacheFormat::Text, 1) => writeln!(out, "1 record removed"),
        (CacheFormat::Text, _) => writeln!(out, "{removed} records removed"),
        (CacheFormat::Json, _) => Values::lines().write(out, &Cleared { removed }),
    };
    Ok(written(result.and_then(|()| out.flush()), ExitStatus::Success, talk))
}

/// The store, if there is one: where there is none, nothing is kept.
struct Opened {
    store: Option<SqliteStore>,
    runtime: tokio::runtime::Runtime,
}

impl Opened {
    fn at(args: &StoreArgs, talk: &mut Talk) -> Result<Self, Error> {
        if args.store.as_deref().is_some_and(store_file::is_memory) {
            let error = Error::new("expected a store on disk with `--store`, but found `memory`");
            return Err(error.with_hint(
                "what is kept in memory ends with the run that fetched it; a file of that name is `./memory`",
            ));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .map_err(|error| Error::new(format!("could not start: {error}")))?;
        let path = store_file::path(args.store.as_deref())?;
        let options = SqliteOptions::default().with_create(false);
        let store = match runtime.block_on(SqliteStore::open(&path, options)) {
            Ok(store) => Some(store),
            Err(error) if error.kind() == StoreErrorKind::Absent => {
                talk.warning(format_args!("{error}"));
                None
            }
            Err(error) => return Err(told(&error)),
        };
        Ok(Self { store, runtime })
    }

    fn page(&self, after: Option<&str>) -> Result<Vec<Entry>, Error> {
        self.ask(|store| store.list(after, LISTED_ENTRIES)).map(Option::unwrap_or_default)
    }

    fn get(&self, origin: &Origin) -> Result<Lookup, Error> {
        let found = self.ask(|store| store.get(origin))?;
        Ok(found.unwrap_or(Lookup::Missing(verger_fetch::record::Miss::Absent)))
    }

    fn clear(&self, origin: Option<&Origin>) -> Result<u64, Error> {
        let removed = match origin {
            Some(origin) => self.ask(|store| store.remove(origin))?.map(u64::from),
            None => self.ask(|store| store.clear())?,
        };
        Ok(removed.unwrap_or_default())
    }

    fn ask<'a, T>(
        &'a self,
        what: impl FnOnce(&'a SqliteStore) -> Pending<'a, T>,
    ) -> Result<Option<T>, Error> {
        let answer = self.store.as_ref().map(|store| self.runtime.block_on(what(store)));
        answer.transpose().map_err(|error| told(&error))
    }

    /// Whether it was damaged.
    fn close(self, talk: &mut Talk) -> bool {
        let Some(store) = self.store else { return false };
        let notices = store.take_notices();
        for notice in &notices {
            talk.warning(notice);
        }
        self.runtime.block_on(store.close());
        notices.iter().any(|notice| matches!(notice, Notice::SetAside { .. }))
    }
}

fn no_origin() -> Error {
    Error::new("expected an origin or `--all`, but found neither").with_hint(
        "`verger cache clear https://shop.example` forgets one site, `verger cache clear --all` everything",
    )
}

fn told(error: &StoreError) -> Error {
    Error::new(error.to_string())
}
