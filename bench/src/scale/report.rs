//! The page: what was found first, then how.

use super::fleet::Assumptions;
use super::tables::{self, bytes};
use super::{Found, SIZES};
use crate::report::page::Page;
use crate::report::table::{Table, figure, grouped, percent, time};

/// Machines among which crawls are split.
pub(super) const MACHINES: [f64; 3] = [8.0, 32.0, 128.0];

/// Nodes of a store.
const NODES: [f64; 4] = [4.0, 16.0, 64.0, 256.0];

pub(super) fn page(found: &Found) -> Page {
    let assumed = Assumptions::of(&found.sizes, &found.checks);
    let mut page = Page::default();
    opening(&mut page, found, &assumed);
    page.heading("What it rests on");
    page.text("Measured is what this program measured in this run. All else can be changed in `bench/src/scale/fleet.rs`.");
    page.table(tables::assumptions(&assumed));
    page.text("What no table tells, and which way it moves the figures:");
    page.list(&[
        "The files are those of well-known sites. If those of all origins are shorter, bytes are fewer.".to_owned(),
        "Every origin counts as one with a file. One without is a key and what is known of it.".to_owned(),
        "Questions are independent of each other. A crawler asks a site in bursts, so small caches do better.".to_owned(),
        "Every file is too old after the same time. Headers of a response may shorten it, and then fetches are more."
            .to_owned(),
        "Replicas, fragmentation, and the room to grow that a store is given come on top.".to_owned(),
    ]);
    sizes(&mut page, found);
    checks(&mut page, found);
    hits(&mut page, found, &assumed);
    fleet(&mut page, &assumed);
    page.heading("What if an assumption is wrong");
    page.text(
        "One row changes one thing and nothing else. Policies are without explanation; GETs come alone, with nothing \
         before the store.",
    );
    page.table(tables::sensitivity(&assumed));
    page
}

fn opening(page: &mut Page, found: &Found, assumed: &Assumptions) {
    page.heading("A hundred million origins");
    page.text(
        "What it takes to know the robots.txt of 100 million origins and to ask them. Bytes and checks are measured; \
         hit rates are simulated on fewer origins and told for all by a formula that agrees with the simulation; \
         the rest is arithmetic. No such fleet was run. Repeat it, on generated files or on your own, with `cargo xtask \
         scale`.",
    );
    page.list(&[
        format!("Machine: {}", found.machine),
        format!("Files: {}; {} of them", found.corpus, grouped(as_f64(found.files))),
        format!("Seed: {}", found.seed),
    ]);
    if let Some(load) = found.busy {
        page.text(format!("The machine was busy with other work (load {load:.1}): checks take longer than need be."));
    }
    let needed = assumed.bytes();
    page.text(format!(
        "In short: when the mean origin is asked once a day, 100 million origins take {} as records with bodies, {} as \
         policies with explanation and {} without. They are asked {} times a second; the checks take {} of one core. \
         Machines that share what they know fetch {} robots.txt a second, 32 machines that share nothing {}.",
        bytes(needed.records),
        bytes(needed.explained),
        bytes(needed.policies),
        figure(assumed.checks()),
        share(assumed.checking()),
        figure(assumed.fetches()),
        figure(assumed.fetches_apart(32.0)),
    ));
}

fn sizes(page: &mut Page, found: &Found) {
    page.heading("Bytes of a file");
    page.text("The same files in three forms. A body is cut at the size limit, 500 KiB, as the client cuts it.");
    let forms = [
        ("body", &found.sizes.bodies),
        ("policy with explanation", &found.sizes.explained),
        ("policy without", &found.sizes.policies),
    ];
    let mut table = Table::new(&["form", "mean", "median", "p90", "p99", "largest"]);
    for (name, form) in forms {
        let figures = [form.mean, form.median, form.p90, form.p99, form.largest];
        let cells = figures.map(|bytes| grouped(bytes.round()));
        table.row([vec![name.to_owned()], cells.into()].concat());
    }
    page.table(table);
    page.text(
        "What is left when each content is stored once, as a share of the files and of their bytes. The more files, the \
         more of them are the same, so for 100 million origins the share of all files here is a bound from above if \
         they are like these. What is the same is mostly short: it saves entries rather than bytes.",
    );
    let mut table = Table::new(&["form", "of files", "files left", "bytes left"]);
    for (name, form) in forms {
        for distinct in &form.distinct {
            let files = grouped(as_f64(distinct.files));
            let left = [distinct.count, distinct.bytes].map(percent);
            table.row([vec![name.to_owned(), files], left.into()].concat());
        }
    }
    page.table(table);
}

fn checks(page: &mut Page, found: &Found) {
    page.heading("Checks per second of one core");
    page.text(format!(
        "URL to verdict, by where the policy is when it is asked; the median of five rounds. All policies of the files \
         take {}. Of 100 million origins most policies are in no cache of a processor: the third row counts.",
        bytes(as_f64(found.checks.near_bytes)),
    ));
    let far = format!("the same among copies of {}", bytes(as_f64(found.checks.far_bytes)));
    let rows = [
        ("file by file", found.checks.hot),
        ("files in random order", found.checks.mixed),
        (&*far, found.checks.far),
        ("the same, bytes verified before each check", found.checks.from_bytes),
    ];
    let mut table = Table::new(&["the policy", "time", "checks per second"]);
    for (name, nanos) in rows {
        table.row([name.to_owned(), time(nanos), figure(1e9 / nanos)]);
    }
    page.table(table);
    page.text(
        "Each URL is asked once, by policies without explanations. The page of the bench asks each URL several times before \
         the next one, or in the order in which its texts lie in memory: that is faster.",
    );
}

fn hits(page: &mut Page, found: &Found, assumed: &Assumptions) {
    let smaller = &found.crawls[..found.crawls.len() / 2];
    let counts = [smaller[0].0.origins, found.crawls[smaller.len()].0.origins];
    let counts = counts.map(|origins| grouped(f64::from(origins)));
    page.heading("Hit rates");
    page.text(
        "Origins are asked by Zipf's law. A cache has room for a share of them; who was not asked for longest goes \
         first, and a file is too old 24 hours after its fetch (RFC 9309, 2.4), however often it is asked meanwhile. So \
         not the gap between two questions decides but the age of the file: with room for all, an origin that is asked \
         λ times a day has λ hits for each fetch.",
    );
    page.text(format!(
        "The simulation runs for three days, of which the last counts, with {} and with {} origins. The model is Che's \
         approximation with an age (`bench/src/scale/model.rs`); each is shown beside the model for as many origins.",
        counts[0], counts[1],
    ));
    page.table(tables::simulated(found));
    let (scales, models) = tables::distances(found);
    page.text(format!(
        "Simulation and model are at most {models:.2} points of a percent apart. Between the two sizes the hit rate \
         changes by at most {scales:.2} points, because the same share of more origins is a different share of the \
         questions; the model follows it, which is why it is asked for 100 million:",
    ));
    page.table(tables::modelled(assumed, &SIZES));
}

fn fleet(page: &mut Page, assumed: &Assumptions) {
    page.heading("Memory");
    page.text(
        "Of all origins, and of one node when they are spread evenly over nodes. Replicas are not counted. A record is \
         what the client keeps: the body and what is known of it; a policy can always be made anew from it, so it is \
         enough to keep policies in memory and records on disks.",
    );
    page.table(tables::memory(assumed, &NODES));
    page.heading("A Redis Cluster");
    let each = [assumed.get, assumed.get_pipelined].map(|nanos| 1e9 / nanos);
    page.text(format!(
        "Each check is a GET, unless the machine that asks has a cache of its own before the store; such caches hold \
         {} of the origins each. A GET takes {} alone and {} among a hundred at once. That is the round trip with the \
         client's part; if all of it were the node's, one core would answer {} or {} of them a second. Alone they fill \
         one core when the mean origin is asked {} times a day: memory asks for nodes long before requests do.",
        percent(assumed.local),
        time(assumed.get),
        time(assumed.get_pipelined),
        figure(each[0]),
        figure(each[1]),
        figure(assumed.daily / assumed.getting()),
    ));
    page.table(tables::requests(assumed));
    page.heading("A fleet that is sharded by host");
    page.text(
        "When all pages of a host go to one machine, that machine knows what there is to know of it: no GET, no fetch \
         twice, and turns and pauses are kept in one place. The other end is a fleet in which any page goes to any \
         machine and each knows only what it fetched itself; together they have the same room. A shared store has as \
         few fetches as sharding, for a GET each check.",
    );
    page.table(tables::sharding(assumed));
}

/// A part of a core, also of several.
pub(super) fn share(part: f64) -> String {
    let percent = part * 100.0;
    if percent < 0.01 { "<0.01 %".to_owned() } else { format!("{} %", figure(percent)) }
}

#[expect(clippy::cast_precision_loss, reason = "counts of files, and bytes of them")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
