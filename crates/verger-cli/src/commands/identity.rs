//! `verger identity`: keys, and lists of addresses.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use verger_fetch::background::Background;
use verger_fetch::client::{Clock as _, RobotsClient, SystemClock};
use verger_fetch::fetch::Identity as FetchIdentity;
use verger_fetch::url::Url;
use verger_identity::{Lists, SigningKey, limits};
use verger_registry::{Crawler, Registry};

use crate::args::{Identity, IdentityAction};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::input::{read_regular, shown};
use crate::limits::{KEY_BYTES, LISTS_BYTES};

pub(super) fn run(args: &Identity, console: &mut Console) -> Result<ExitStatus, Error> {
    match args.action {
        IdentityAction::Key => make_key(&args.path, console),
        IdentityAction::Directory => {
            let key = read_key(&args.path)?;
            Ok(console.finish(ExitStatus::Success, |out| out.write_all(key.key_set().as_bytes())))
        }
        IdentityAction::Update => update(&args.path, console),
    }
}

fn make_key(path: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let failed = |error: io::Error| Error::io("write", &shown(path), &error);
    let (text, key) = SigningKey::generate()
        .map_err(|error| Error::new(format!("could not make a key: {error}")))?;
    let mut options = OpenOptions::new();
    // Never in place of another key.
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(console.finish(ExitStatus::Success, |out| writeln!(out, "{}", key.thumbprint())))
}

/// The key of a file that only its owner can read.
fn read_key(path: &Path) -> Result<SigningKey, Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let found = fs::metadata(path).map_err(|error| Error::io("read", &shown(path), &error))?;
        if found.permissions().mode() & 0o077 != 0 {
            let message = format!(
                "expected a file that only its owner can read, but {} is open to others",
                shown(path)
            );
            return Err(Error::new(message)
                .with_hint("`chmod 600` closes it; if others could read the key, make a new one"));
        }
    }
    let text = read_regular(path, KEY_BYTES)?;
    let key = str::from_utf8(&text).ok().map(SigningKey::read);
    let key = key.ok_or_else(|| Error::new(format!("{}: expected UTF-8", shown(path))))?;
    key.map_err(|error| Error::new(format!("{}: {error}", shown(path))))
}

/// A robots client with default settings that stores nothing on disk.
pub(super) fn robots_client() -> Result<RobotsClient, Error> {
    let identity = FetchIdentity::new(concat!("verger/", env!("CARGO_PKG_VERSION")));
    let identity = identity.map_err(|error| Error::new(error.to_string()))?;
    let client = RobotsClient::builder(verger::Crawler::new("verger"), identity).build();
    client.map_err(|error| Error::new(format!("could not start: {error}")))
}

/// Fetches the lists of the registry into a new file.
fn update(directory: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let failed = |error: io::Error| Error::io("write", &shown(directory), &error);
    fs::create_dir_all(directory).map_err(failed)?;
    let known = read_lists(directory)?;
    let runtime = Background::start().map_err(|error| Error::io("start", "fetches", &error))?;
    let client = {
        let _inside = runtime.enter();
        robots_client()?
    };
    let (now, mut status, mut copies) = (SystemClock.now(), ExitStatus::Success, Vec::new());
    let crawlers = Registry::bundled().crawlers().iter();
    for text in crawlers.flat_map(Crawler::ip_ranges).collect::<BTreeSet<_>>() {
        let is_recent = |copied| now.since(copied) < limits::LIST_PAUSE;
        if known.at(text, now).is_some_and(|(_, list)| is_recent(list.copied)) {
            continue;
        }
        let fetched = text.parse::<Url>().map_err(|error| error.to_string()).and_then(|url| {
            let body = runtime.block_on(client.file(&url, limits::LIST_BYTES + 1));
            let body = body.map_err(|failure| failure.to_string())?;
            Lists::copy(text, now, &body).map_err(|error| error.to_string())
        });
        match fetched {
            Ok(copy) => copies.push(copy),
            Err(error) => {
                status = ExitStatus::Finding;
                console.messages.warning(format!("{text}: {error}"));
            }
        }
    }
    if !copies.is_empty() {
        let name = format!("{}.json", now.to_string().replace(':', ""));
        let beside = directory.join(format!(".{name}"));
        fs::write(&beside, copies.concat()).map_err(failed)?;
        fs::rename(beside, directory.join(name)).map_err(failed)?;
    }
    Ok(console.finish(status, |out| writeln!(out, "{} lists were fetched", copies.len())))
}

/// Reads the lists of a directory: its files `*.json`.
pub(super) fn read_lists(directory: &Path) -> Result<Lists, Error> {
    let mut lists = Lists::default();
    let failed = |error: io::Error| Error::io("read", &shown(directory), &error);
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|end| end == "json") {
            let text = read_regular(&path, LISTS_BYTES)?;
            let read = lists.read(&String::from_utf8_lossy(&text));
            read.map_err(|error| Error::new(format!("{}: {error}", shown(&path))))?;
        }
    }
    Ok(lists)
}
