//! `verger identity`: keys, and lists of addresses.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use verger::access::Timestamp;
use verger_fetch::background::Background;
use verger_fetch::client::{Clock as _, RobotsClient, SystemClock};
use verger_fetch::fetch::Identity as FetchIdentity;
use verger_fetch::store::MemoryStore;
use verger_fetch::url::Url;
use verger_identity::{AddressList, Lists, SigningKey, limits};
use verger_registry::{Crawler, Registry};

use crate::args::{Identity, IdentityAction};
use crate::console::Console;
use crate::error::{Error, ExitStatus};
use crate::input::{read_regular, shown};
use crate::limits::{KEY_BYTES, LIST_DEPTH};

pub(super) fn run(args: &Identity, console: &mut Console) -> Result<ExitStatus, Error> {
    match &args.action {
        IdentityAction::Key { file } => make_key(file, console),
        IdentityAction::Directory { file } => {
            let key = read_key(file)?;
            Ok(console.finish(ExitStatus::Success, |out| out.write_all(key.key_set().as_bytes())))
        }
        IdentityAction::Update { directory } => update(directory, console),
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
    let client = RobotsClient::builder(verger::Crawler::new("verger"), identity);
    let client = client.store(std::sync::Arc::new(MemoryStore::new())).build();
    client.map_err(|error| Error::new(format!("could not start: {error}")))
}

/// Fetches all lists of the registry.
fn update(directory: &Path, console: &mut Console) -> Result<ExitStatus, Error> {
    let known = if directory.exists() { read_lists(directory)? } else { Lists::default() };
    let crawlers = Registry::bundled().crawlers().iter();
    let urls: BTreeSet<&str> = crawlers.flat_map(Crawler::ip_ranges).map(String::as_str).collect();
    let runtime = Background::start().map_err(|error| Error::io("start", "fetches", &error))?;
    let client = {
        let _inside = runtime.enter();
        robots_client()?
    };
    let now = SystemClock.now();
    let (mut fetched, mut status) = (0, ExitStatus::Success);
    for text in urls {
        let is_recent =
            |found: verger_identity::DatedList<'_>| now.since(found.copied) < limits::LIST_PAUSE;
        if known.latest(text).is_some_and(is_recent) {
            continue;
        }
        let result = text.parse::<Url>().map_err(|error| error.to_string()).and_then(|url| {
            let body = runtime.block_on(client.file(&url, limits::LIST_BYTES + 1));
            let body = body.map_err(|failure| failure.to_string())?;
            AddressList::read(&body).map_err(|error| error.to_string())?;
            Ok(body)
        });
        match result {
            Ok(body) => {
                write_list(directory, text, now, &body)?;
                fetched += 1;
            }
            Err(error) => {
                status = ExitStatus::Finding;
                console.messages.warning(format!("{text}: {error}"));
            }
        }
    }
    Ok(console.finish(status, |out| writeln!(out, "{fetched} lists were fetched")))
}

/// Writes a list to its place: its URL as folders, and its time as the name of the file.
fn write_list(directory: &Path, url: &str, time: Timestamp, text: &[u8]) -> Result<(), Error> {
    let rest = url.strip_prefix("https://").unwrap_or(url).trim_end_matches('/');
    let folder = rest.split('/').fold(directory.to_owned(), |folder, part| folder.join(part));
    let file = folder.join(format!("{}.json", time.to_string().replace(':', "")));
    let failed = |error: io::Error| Error::io("write", &shown(&file), &error);
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut beside =
        tempfile::Builder::new().prefix(".list.").tempfile_in(&folder).map_err(failed)?;
    beside.write_all(text).map_err(failed)?;
    beside.persist(&file).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Reads the lists of a directory.
pub(super) fn read_lists(directory: &Path) -> Result<Lists, Error> {
    let mut lists = Lists::default();
    let mut folders = vec![(directory.to_owned(), String::new())];
    while let Some((folder, url)) = folders.pop() {
        let failed = |error: io::Error| Error::io("read", &shown(&folder), &error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            if entry.file_type().map_err(failed)?.is_dir() {
                if url.matches('/').count() < LIST_DEPTH {
                    folders.push((path, format!("{url}/{name}")));
                }
                continue;
            }
            add_list(&mut lists, url.trim_start_matches('/'), &path)?;
        }
    }
    if lists.is_empty() {
        let error = Error::new(format!(
            "expected lists of addresses in {}, but found none",
            shown(directory)
        ));
        return Err(error.with_hint("`verger identity update DIR` fetches them"));
    }
    Ok(lists)
}

fn add_list(lists: &mut Lists, url: &str, path: &Path) -> Result<(), Error> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let Some(copied) = time_of(&stem) else {
        let message =
            format!("expected a file name such as 2026-11-23.json, but found {}", shown(path));
        return Err(Error::new(message));
    };
    let text = read_regular(path, limits::LIST_BYTES)?;
    let list = AddressList::read(&text)
        .map_err(|error| Error::new(format!("{}: {error}", shown(path))))?;
    lists.insert(url, copied, list);
    Ok(())
}

/// The time of a file name: `2026-11-23`, or `2026-11-23T143000Z`.
fn time_of(stem: &str) -> Option<Timestamp> {
    let with_colons = || {
        let (date, time) = stem.split_once('T')?;
        let (hour, rest) = time.split_at_checked(2)?;
        let (minute, rest) = rest.split_at_checked(2)?;
        format!("{date}T{hour}:{minute}:{rest}").parse().ok()
    };
    stem.parse().ok().or_else(with_colons)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_lists_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let url = "https://bot.example/a/ips.json/";
        for (time, prefix) in
            [("2026-03-01T10:20:30Z", "192.0.2.0/24"), ("2026-06-01", "198.51.100.0/24")]
        {
            let time = time.parse().unwrap();
            write_list(folder.path(), url, time, prefix.as_bytes()).unwrap();
        }
        let lists = read_lists(folder.path()).unwrap();
        let found = lists.at(url, "2026-04-01".parse().unwrap()).unwrap();
        assert_eq!(found.copied.to_string(), "2026-03-01T10:20:30Z");
        assert_eq!(lists.latest(url).unwrap().copied.to_string(), "2026-06-01T00:00:00Z");
        fs::write(folder.path().join("bot.example/x.json"), "1.1.1.1").unwrap();
        let error = read_lists(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("expected a file name such as 2026-11-23.json"), "{error}");
        let empty = tempfile::tempdir().unwrap();
        assert!(read_lists(empty.path()).is_err());
    }
}
