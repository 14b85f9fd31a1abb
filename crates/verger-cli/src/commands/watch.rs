//! `verger watch`: reports changes of the robots.txt of sites.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::sync::mpsc::Sender;
use std::time::Instant;

use verger::{Dialect, Origin, Position, quoted};
use verger_fetch::client::{Clock as _, SystemClock};
use verger_json::Values;

use crate::args::{LiveArgs, Watch, WatchFormat};
use crate::audit_history;
use crate::console::{Console, Out, Palette, output_status};
use crate::error::{Error, ExitStatus};
use crate::input::{Lines, is_stdin};
use crate::live::LiveClient;
use crate::output::{outline_of_change, outline_of_version};
use crate::robots_place::{RobotsPlace, site_of};
use crate::store;
use crate::url_check::origin_of;
use crate::watch::change::{ChangeKeys, FAMILIES, with_diff};
use crate::watch::schedule::{RealTime, run as run_schedule};
use crate::watch::seen::Memory;
use crate::watch::watcher::{Answers, Site, Watcher, fetch};

pub(super) fn run(args: &Watch, console: &mut Console) -> Result<ExitStatus, Error> {
    let origins = origins(args)?;
    if args.history {
        return history(args, &origins, console);
    }
    let sites = sites(args, origins)?;
    // Against a fixed file, a single run needs no memory: each difference is reported.
    let memory = if args.once && sites.iter().all(|site| site.expect.is_some()) {
        None
    } else {
        let default = || Ok(store::path(None)?.with_file_name("watch"));
        Some(Memory::open(&args.state.clone().map_or_else(default, Ok)?)?)
    };
    let clients = clients(args)?;
    let mut watcher = Watcher::new(&sites, args.once, memory);
    let (palette, out, messages) = (console.palette, &mut console.out, &mut console.messages);
    let done = run_schedule(
        &RealTime(Instant::now()),
        sites.len(),
        |index, sender: Sender<(usize, Answers)>| {
            let all = clients.iter().map(|(name, live)| (name.clone(), live.client.clone()));
            let (all, origin) = (all.collect(), sites[index].origin.clone());
            clients[0].1.spawn(async move {
                let answers = fetch(all, &origin).await;
                // The receiver is gone if the run has ended.
                let _ = sender.send((index, answers));
            });
        },
        |index, answers| {
            let mut report = |change: &ChangeKeys<'_>| write(change, args.format, palette, out);
            watcher.check(index, answers, SystemClock.now(), messages, &mut report)
        },
    );
    for (_, live) in clients {
        live.close(&mut console.messages);
    }
    Ok(output_status(done, watcher.status, &mut console.messages))
}

/// The origins of the arguments, each once.
fn origins(args: &Watch) -> Result<Vec<Origin>, Error> {
    let urls = args.urls.iter().map(|url| origin_of(url.as_encoded_bytes()));
    let mut all = urls.collect::<Result<Vec<_>, Error>>()?;
    if let Some(path) = &args.origins {
        let mut list = Lines::open(path)?;
        while let Some(read) = list.advance() {
            let text = list.line().trim_ascii();
            let line = usize::try_from(list.number()).unwrap_or(usize::MAX);
            let at = |error: Error| error.at(list.name(), Position { line, column: 1 });
            read.map_err(at)?;
            if !text.starts_with(b"#") {
                all.push(origin_of(text).map_err(at)?);
            }
        }
    }
    let mut known = HashSet::new();
    all.retain(|origin| known.insert(origin.clone()));
    if all.is_empty() { Err(Error::new("no site to watch")) } else { Ok(all) }
}

/// The sites with their intervals and expectations.
fn sites(args: &Watch, origins: Vec<Origin>) -> Result<Vec<Site>, Error> {
    let intervals = values(&args.interval, "--interval", &origins)?;
    let places = values(&args.expect, "--expect", &origins)?;
    let site = |origin: Origin| {
        let interval = value_of(&intervals, &origin).map_or(Ok(Watch::INTERVAL), |text| {
            let text = text.to_string_lossy();
            let error = |error| Error::new(format!("{}: {error}", quoted(&*text)));
            Watch::duration(&text).map_err(error)
        })?;
        let expect = value_of(&places, &origin).map(RobotsPlace::new);
        let expect = expect.filter(|it| *it != RobotsPlace::File("last".into()));
        if matches!(&expect, Some(RobotsPlace::File(path)) if is_stdin(path)) {
            let message = "expected a file with `--expect`, but found standard input";
            return Err(Error::new(message));
        }
        Ok(Site { origin, interval, expect })
    };
    origins.into_iter().map(site).collect()
}

/// The site of a value, or `None` for all sites, and the value.
type Value = (Option<Origin>, OsString);

/// Reads values such as `ORIGIN=SPEC`, or `SPEC` for all sites.
fn values(specs: &[OsString], flag: &str, origins: &[Origin]) -> Result<Vec<Value>, Error> {
    let values = specs.iter().map(|it| site_of(it)).collect::<Result<Vec<_>, _>>()?;
    for (at, (only, _)) in values.iter().enumerate() {
        let name = only.as_ref().map_or("all sites".to_owned(), Origin::to_string);
        if only.as_ref().is_some_and(|only| !origins.contains(only)) {
            return Err(Error::new(format!("`{flag}` names {name}, not a watched site")));
        }
        if values[..at].iter().any(|(other, _)| other == only) {
            return Err(Error::new(format!("`{flag}` has two values for {name}")));
        }
    }
    Ok(values)
}

/// The value for a site, or else that for all sites.
fn value_of<'v>(values: &'v [Value], site: &Origin) -> Option<&'v OsStr> {
    let meant = values.iter().filter(|(only, _)| only.as_ref().is_none_or(|only| only == site));
    meant.max_by_key(|(only, _)| only.is_some()).map(|(_, value)| &**value)
}

/// The client of the sites, without a name, and those of other requests with theirs.
fn clients(args: &Watch) -> Result<Vec<(String, LiveClient)>, Error> {
    let dialect = Dialect::default();
    let mut clients = vec![(String::new(), LiveClient::open(&args.live, None, &dialect)?)];
    // Their files must not replace that of the site.
    let memory = LiveArgs { store: Some("memory".into()), ..args.live.clone() };
    for header in &args.headers {
        let live = LiveArgs { user_agent: Some(header.clone()), ..memory.clone() };
        clients.push((header.clone(), LiveClient::open(&live, None, &dialect)?));
    }
    for (name, is_v4) in FAMILIES.into_iter().filter(|_| args.families) {
        clients.push((name.to_owned(), LiveClient::of_family(&memory, is_v4)?));
    }
    Ok(clients)
}

/// Writes a change. Everything of it is written when this returns.
fn write(
    change: &ChangeKeys<'_>,
    format: WatchFormat,
    palette: Palette,
    out: &mut Out,
) -> io::Result<()> {
    let outline = || outline_of_change(change);
    match format {
        WatchFormat::Text => outline().write_text(out, palette).and_then(|()| writeln!(out))?,
        WatchFormat::Markdown => outline().write_markdown(out).and_then(|()| writeln!(out))?,
        WatchFormat::Jsonl => Values::lines().write(out, change)?,
    }
    out.flush()
}

/// Prints the versions in the store, the oldest first.
fn history(args: &Watch, origins: &[Origin], console: &mut Console) -> Result<ExitStatus, Error> {
    let path = store::path(args.live.store.as_deref())?;
    let mut status = ExitStatus::Success;
    for origin in origins {
        let mut versions = audit_history::store(&path, origin, &mut console.messages)?;
        versions.sort_by_key(|version| version.from);
        // Of several clients with one store, each saw the same files.
        versions.dedup_by(|next, last| next.text == last.text && next.from <= last.until);
        if versions.is_empty() {
            let message = format!("the store has no robots.txt of {origin}");
            console.messages.error(&Error::new(message));
            status = ExitStatus::Error;
        }
        for (at, version) in versions.iter().enumerate() {
            let names = [at, at + 1].map(|number| format!("version {number}"));
            let [old, new] = [&versions[at.saturating_sub(1)], version]
                .map(|version| version.text.as_deref().unwrap_or_default());
            let outline = with_diff(origin, [(&names[0], old), (&names[1], new)], |diff| {
                outline_of_version(origin, at + 1, version, (at > 0).then_some(diff))
            });
            let out = &mut console.out;
            let written = outline.write_text(out, console.palette).and_then(|()| writeln!(out));
            if written.is_err() {
                return Ok(output_status(written, status, &mut console.messages));
            }
        }
    }
    Ok(status)
}
