//! The catalogue is complete; each entry starts and can fail.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use tokio::task::JoinSet;
use verger_testkit::server::World;
use verger_testkit::server::catalogue::{
    Attack, Class, Layer, Observed, ROWS_WITHOUT_ENTRY, entries,
};
use verger_testkit::shared::{Lacking, shared, skip_loudly};

use super::client::{SILENCE, ask, listen, shake_hands};
use super::soon;

#[test]
fn ids_are_in_order_and_unique() {
    let all = entries();
    assert!(all.is_sorted_by_key(|entry| (entry.layer as u8, entry.id)));
    let ids: BTreeSet<_> = all
        .iter()
        .map(|entry| entry.id)
        .chain(ROWS_WITHOUT_ENTRY.iter().map(|row| row.0))
        .collect();
    assert_eq!(ids.len(), all.len() + ROWS_WITHOUT_ENTRY.len());
    assert!(all.iter().all(|entry| entry.id.starts_with(entry.layer.letter())));
}

/// Entries from 301 on were written for Verger.
fn is_own(id: &str) -> bool {
    id[1..] > *"300"
}

#[test]
fn nine_rows_of_ten_are_executable_in_each_layer() {
    for (layer, rows) in Layer::ALL.into_iter().zip([215, 155, 135, 120]) {
        let is_here = |entry: &&Attack| entry.layer == layer && !is_own(entry.id);
        let here = entries().iter().filter(is_here).count();
        let left =
            ROWS_WITHOUT_ENTRY.iter().filter(|(id, _)| id.starts_with(layer.letter())).count();
        assert_eq!(here + left, rows, "{layer:?}");
        assert!(here * 10 >= rows * 9, "{layer:?}: {here} of {rows}");
    }
}

/// The rows of the four layers in the data: description by id.
fn data() -> Option<BTreeMap<String, String>> {
    let Some(path) = shared("hostile.jsonl") else {
        skip_loudly(
            "the catalogue of HTTP, FTP and DNS against its data",
            Lacking::Data,
            "there is none",
        );
        return None;
    };
    let text = std::fs::read_to_string(path).expect("the data");
    let row = |line| serde_json::from_str::<serde_json::Value>(line).expect("a row");
    let part = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or("").to_owned();
    let is_ours = |row: &serde_json::Value| {
        ["http", "redirect", "ftp", "dns"].contains(&part(row, "layer").as_str())
    };
    let rows = text.lines().map(row).filter(is_ours);
    Some(rows.map(|row| (part(&row, "id"), part(&row, "how to make it"))).collect())
}

#[test]
fn every_row_of_the_data_has_an_entry_or_a_reason() {
    let Some(data) = data() else { return };
    let here = entries();
    let mut ids: Vec<_> = here.iter().map(|entry| entry.id).filter(|id| !is_own(id)).collect();
    ids.extend(ROWS_WITHOUT_ENTRY.iter().map(|row| row.0));
    ids.sort_unstable();
    let mut wanted: Vec<_> = data.keys().map(String::as_str).collect();
    wanted.sort_unstable();
    assert_eq!(ids, wanted);
}

#[test]
fn rows_that_are_lists_have_the_item_that_the_data_has() {
    let Some(data) = data() else { return };
    let all = entries();
    let entry = |id: &str| all.iter().find(|entry| entry.id == id).unwrap();
    let check = |letter: char, rows: std::ops::RangeInclusive<usize>, item: fn(&str) -> &str| {
        for row in rows {
            let id = format!("{letter}{row:03}");
            let item = item(&data[&id]);
            let what = &entry(&id).what;
            assert!(what.contains(item), "{id}: expected {item:?} in {what:?}");
        }
    };
    check('H', 95..=158, |row| row.split(' ').nth(1).unwrap());
    check('H', 159..=178, |row| row.split_once(" with ").unwrap().1);
    check('D', 1..=13, |row| row.split(" redirect").next().unwrap());
    check('D', 14..=22, |row| &row[..3]);
    let location: fn(&str) -> &str = |row| row.split_once('\'').unwrap().1.trim_end_matches('\'');
    check('D', 30..=62, location);
    check('D', 65..=70, location);
    check('D', 71..=123, |row| row.strip_prefix("302 ").unwrap().split(" from").next().unwrap());
    check('F', 1..=53, |row| row.rsplit(' ').next().unwrap().trim_matches('\''));
    check('F', 72..=79, location);
    check('F', 81..=86, location);
    check('N', 1..=53, |row| row.rsplit_once("literal ").unwrap().1);
    check('N', 54..=77, |row| row.split(' ').nth(1).unwrap());
}

#[tokio::test]
async fn every_entry_can_fail() {
    for entry in entries() {
        let world = entry.start().await.unwrap();
        let busy: Vec<_> = entry.asks.iter().map(|_| Observed::new(Class::Busy)).collect();
        assert!(entry.judge(&world, &busy).len() >= entry.asks.len(), "{}", entry.id);
        // For an entry that disallows, a client that allows on failure is wrong.
        let first = &entry.asks[0].classes;
        if !first.contains(&Class::Allow) {
            let open: Vec<_> = entry.asks.iter().map(|_| Observed::new(Class::Allow)).collect();
            assert!(!entry.judge(&world, &open).is_empty(), "{}", entry.id);
        }
    }
}

#[tokio::test]
async fn every_server_answers() {
    /// Number of concurrent entries: most of the time is spent waiting for silence.
    const TOGETHER: usize = 25;
    for some in entries().chunks(TOGETHER) {
        let mut talks = JoinSet::new();
        for entry in some {
            talks.spawn(async move {
                let world = entry.start().await.unwrap();
                let before = world.record();
                assert_eq!((before.dials.len(), before.connections), (0, 0), "{}", entry.id);
                if let Some(talk) = soon(talk(entry, &world)).await {
                    let record = world.record();
                    let is_one = record.connections == 1 && record.strays.is_empty();
                    assert!(is_one, "{}: {talk:?}", entry.id);
                }
            });
        }
        talks.join_all().await;
    }
}

/// Sends a simple request to the server of an entry: the first host, the first address, no
/// redirect. `None` if there is no server.
async fn talk(entry: &Attack, world: &World) -> Option<usize> {
    let (scheme, rest) = entry.url().split_once("://")?;
    let host = rest.split('/').next()?;
    let port = match scheme {
        "https" => 443,
        "ftp" => 21,
        _ => 80,
    };
    let bare = host.trim_matches(['[', ']']);
    let address = if let Ok(address) = bare.parse::<IpAddr>() {
        address
    } else {
        let resolved = tokio::time::timeout(SILENCE, world.resolve(host)).await;
        *resolved.ok()?.ok()?.addresses.first()?
    };
    if world.record().shown.iter().any(|shown| shown.to_string().starts_with("10.")) {
        return None;
    }
    let dialled = tokio::time::timeout(SILENCE, world.dial((address, port).into())).await;
    let local = dialled.ok()?.ok()?;
    let mut stream = tokio::net::TcpStream::connect(local).await.ok()?;
    let heard = match scheme {
        "https" => match shake_hands(world, stream, bare, &["h2"]).await {
            Ok(mut stream) => ask(&mut stream, host, "/robots.txt").await.bytes().len(),
            Err(_) => 0,
        },
        "ftp" => listen_shortly(&mut stream).await,
        _ => tokio::time::timeout(SILENCE * 5, ask(&mut stream, host, "/robots.txt"))
            .await
            .map_or(0, |heard| heard.bytes().len()),
    };
    Some(heard)
}

/// A drip never pauses long enough.
async fn listen_shortly(stream: &mut tokio::net::TcpStream) -> usize {
    tokio::time::timeout(SILENCE * 2, listen(stream)).await.map_or(0, |heard| heard.bytes().len())
}
