//! `verger-bench-identity`: identifies the requests of a made log with the lists of this release,
//! and prints the speed on one core and the memory of the lists.

use std::io::Write as _;
use std::net::IpAddr;
use std::time::Instant;

use verger::access::Timestamp;
use verger_identity::{Identifier, Lists, Request, Verdict};
use verger_registry::Registry;

/// Requests of the log.
const REQUESTS: u32 = 100_000;

fn main() -> std::io::Result<()> {
    let memory = allocation_counter::measure(|| {
        Lists::bundled();
    });
    let now = Timestamp::from_seconds(1_788_998_400);
    let log = log(now);
    let identifier = Identifier::default();
    let mut out = std::io::stdout().lock();
    writeln!(out, "memory of all lists: {} bytes", memory.bytes_current)?;
    for _ in 0..5 {
        let (begun, mut counts) = (Instant::now(), [0; 2]);
        for request in &log {
            match identifier.identify(request, now).verdict {
                Verdict::Verified => counts[0] += 1,
                Verdict::Failed => counts[1] += 1,
                Verdict::Undecided => {}
            }
        }
        let (time, [verified, failed]) = (begun.elapsed(), counts);
        let speed = f64::from(REQUESTS) / time.as_secs_f64();
        writeln!(out, "{speed:.0} requests a second: {verified} verified, {failed} failed")?;
    }
    Ok(())
}

/// Half of the requests name a crawler, and half of these come from its addresses.
fn log(now: Timestamp) -> Vec<Request> {
    let mut random = fastrand::Rng::with_seed(7);
    let listed = |url: &String| Lists::bundled().at(url, now).is_some();
    let all = Registry::bundled().crawlers().iter();
    let crawlers: Vec<_> = all
        .filter(|it| !it.user_agents().is_empty() && it.ip_ranges().iter().any(listed))
        .collect();
    (0..REQUESTS)
        .map(|_| {
            let mut ip = IpAddr::from(random.u32(0x0100_0000..0xdf00_0000).to_be_bytes());
            let mut name =
                "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0".to_owned();
            if random.bool() {
                let crawler = crawlers[random.usize(..crawlers.len())];
                let token = &crawler.user_agents()[0];
                name =
                    format!("Mozilla/5.0 (compatible; {token}/1.0; +https://bot.example/bot.html)");
                let url = crawler.ip_ranges().iter().find(|url| listed(url));
                let list = url.and_then(|url| Lists::bundled().at(url, now));
                let prefixes: Vec<_> = list.into_iter().flat_map(|(it, _)| it.prefixes()).collect();
                if random.bool() && !prefixes.is_empty() {
                    ip = prefixes[random.usize(..prefixes.len())].network();
                }
            }
            Request { ip: Some(ip), user_agent: Some(name), ..Request::default() }
        })
        .collect()
}
