//! The stores of the robots client: decisions with a cached file.
//!
//! # Flow
//!
//! Each store is filled with the records of as many sites as the client caches in parsed form. Then
//! every site gets one question after the other, round by round, in random order. The first round
//! parses the files and compares the decisions with the engine's; only the following rounds are
//! timed.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use fastrand::Rng;
use tokio::runtime::{Builder, Runtime};
use verger_fetch::client::RobotsClient;
use verger_fetch::fetch::Identity;
use verger_fetch::limits::PARSED_BYTES;
use verger_fetch::record::{Attempt, File, OriginRecord, ReadOptions, Response};
use verger_fetch::store::{MemoryStore, SqliteOptions, SqliteStore, Store};
use verger_fetch::verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::verger::{Crawler, Origin, Robots};

use crate::Result;
use crate::results::Tier;
use crate::set::Set;
use crate::statistics::median;

/// Maximum number of sites in a store.
const SITES: usize = 2_000;

/// Measures the stores, one after the other.
pub(crate) fn of(set: &Set, rounds: usize, done: &dyn Fn(&str)) -> Result<Vec<Tier>> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(message)?;
    let known = known(set)?;
    let folder = tempfile::tempdir().map_err(message)?;
    let path = folder.path().join("store.sqlite");
    let sqlite =
        runtime.block_on(SqliteStore::open(&path, SqliteOptions::default())).map_err(message)?;
    let stores: [(&str, Arc<dyn Store>); 2] =
        [("memory", Arc::new(MemoryStore::new())), ("SQLite", Arc::new(sqlite))];
    let mut tiers = Vec::new();
    for (name, store) in stores {
        done(name);
        tiers.push(tier(name, &store, &known, &set.agent, rounds, &runtime)?);
    }
    Ok(tiers)
}

/// A cached site: its record, a URL, and whether that is allowed.
struct Known {
    record: Arc<OriginRecord>,
    url: String,
    is_allowed: bool,
}

fn known(set: &Set) -> Result<Vec<Known>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(message)?.as_secs();
    let now = Timestamp::from_seconds(now);
    let options = ReadOptions::new(Profile::RFC9309).with_identity("VergerBench");
    let mut room = PARSED_BYTES / 2;
    let mut known = Vec::new();
    let mut origins = HashSet::new();
    for site in &set.sites {
        // A site is omitted if none of its URLs has a valid host, or another site has the same
        // origin: a file may contain URLs of another host.
        let Some((question, origin)) = site
            .questions
            .iter()
            .find_map(|question| Some((question, Origin::of(&question.url).ok()??)))
            .filter(|(_, origin)| origins.insert(origin.clone()))
        else {
            continue;
        };
        if known.len() == SITES || room < site.bytes.len() {
            break;
        }
        room -= site.bytes.len();
        let response = Response::new(now, Outcome::Success, origin.robots_url());
        let mut attempt = Attempt::new(Response { status: Some(200), ..response });
        attempt.file = Some(File::new(&origin, site.bytes.clone(), now));
        let next = OriginRecord::new(options.key(&origin)).after(None, &options, attempt, 0);
        let Some(record) = next.shared else { continue };
        known.push(Known {
            record: Arc::new(record),
            url: question.url.clone(),
            is_allowed: Robots::parse(&site.bytes).check(&set.agent, &question.url).is_allowed(),
        });
    }
    Ok(known)
}

#[expect(clippy::cast_precision_loss, reason = "seconds at most")]
fn tier(
    name: &'static str,
    store: &Arc<dyn Store>,
    known: &[Known],
    agent: &str,
    rounds: usize,
    runtime: &Runtime,
) -> Result<Tier> {
    let identity = Identity::new("VergerBench/1.0").map_err(message)?;
    let builder = RobotsClient::builder(Crawler::new(agent), identity);
    // Offline, so that only the store answers.
    let client = builder.store(Arc::clone(store)).offline(true).build().map_err(message)?;
    runtime.block_on(async {
        for one in known {
            store.put(Arc::clone(&one.record)).await.map_err(message)?;
        }
        for one in known {
            let decision = client.check(&one.url).await.map_err(message)?;
            if decision.is_allowed() != one.is_allowed {
                return Err(format!("{name}: expected another decision about {}", one.url));
            }
        }
        let mut order: Vec<&Known> = known.iter().collect();
        let (mut records, mut decisions) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            Rng::with_seed(round as u64).shuffle(&mut order);
            let start = Instant::now();
            for one in &order {
                store.get(one.record.key()).await.map_err(message)?;
            }
            records.push(start.elapsed().as_nanos() as f64 / order.len() as f64);
            let start = Instant::now();
            for one in &order {
                client.check(&one.url).await.map_err(message)?;
            }
            decisions.push(start.elapsed().as_nanos() as f64 / order.len() as f64);
        }
        let (record, decision) = (median(&records), median(&decisions));
        Ok(Tier { name, sites: known.len(), record, decision })
    })
}

fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Site;

    #[test]
    fn both_stores_return_stored_records() {
        let robots = b"User-agent: *\nDisallow: /x\n".to_vec();
        let site = Site::new("a.example", robots, vec!["https://a.example/x".to_owned()]);
        let set = Set { agent: "GPTBot".into(), sites: vec![site] };
        let tiers = of(&set, 1, &|_| {}).unwrap();
        assert_eq!(tiers.iter().map(|tier| tier.name).collect::<Vec<_>>(), ["memory", "SQLite"]);
        assert!(tiers.iter().all(|tier| tier.sites == 1 && tier.decision > 0.0));
    }
}
