//! The page: results first, then the method.

use super::fleet::Assumptions;
use super::results::{Results, SIZES};
use super::tables::{self, bytes, share};
use crate::report::page::Page;
use crate::report::table::{Table, figure, grouped, percent, time};

/// Numbers of nodes of a store.
const NODES: [f64; 4] = [4.0, 16.0, 64.0, 256.0];

pub(super) fn page(results: &Results) -> Page {
    let assumed = Assumptions::of(&results.sizes, &results.checks);
    let mut page = Page::default();
    opening(&mut page, results, &assumed);
    page.heading("Assumptions and measurements");
    page.text(
        "\"Measured\" values come from this run. The other values can be changed in \
               `bench/src/scale/fleet.rs`.",
    );
    page.table(tables::assumptions(&assumed));
    page.text("The tables do not show these effects:");
    page.list(&[
        "The files are those of well-known sites. Shorter files take fewer bytes.".to_owned(),
        "Every origin counts as one with a file. An origin without a file has only a key and its \
         metadata."
            .to_owned(),
        "Questions are independent of each other. A real crawler visits a site in bursts, so \
         small caches are more effective."
            .to_owned(),
        "Every file expires after the same time. Response headers may shorten it, and then there \
         are more fetches."
            .to_owned(),
        "Replicas, fragmentation and spare capacity of a store are not included.".to_owned(),
    ]);
    sizes(&mut page, results);
    checks(&mut page, results);
    hits(&mut page, results, &assumed);
    fleet(&mut page, &assumed);
    page.heading("Sensitivity to the assumptions");
    page.text(
        "Each row changes one assumption. Policies are without explanation. GETs are single, \
         without a cache in front of the store.",
    );
    page.table(tables::sensitivity(&assumed));
    page
}

fn opening(page: &mut Page, results: &Results, assumed: &Assumptions) {
    page.heading("Cost of serving 100 million origins");
    page.text(
        "This page estimates the cost of storing the robots.txt of 100 million origins and of \
         checking URLs with them. Bytes and checks are measured. Hit rates are simulated for \
         fewer origins, and calculated for all by a formula that agrees with the simulation. The \
         rest is arithmetic. No such fleet was run. Repeat the calculation on generated files or \
         on your own with `cargo xtask scale`.",
    );
    page.text(
        "This page is about questions that arrive one by one. For URLs that are all known, see [a \
         billion URLs on a Spark \
         cluster](columns-performance.md#a-billion-urls-against-a-million-origins).",
    );
    page.list(&[
        format!("Machine: {}", results.machine),
        format!("Files: {}; {} files", results.corpus, grouped(as_f64(results.files))),
        format!("Seed: {}", results.seed),
    ]);
    if let Some(load) = results.busy {
        page.text(format!(
            "The machine was busy with other work (load {load:.1}): the times of \
                           checks are too long."
        ));
    }
    let needed = assumed.bytes();
    page.text(format!(
        "In short: 100 million origins take {} as records with bodies, {} as policies with \
         explanation and {} without. If the mean origin is checked once a day, there are {} \
         checks per second, which take {} of one core. Machines with shared records fetch {} \
         robots.txt per second; 32 machines without sharing fetch {}.",
        bytes(needed.records),
        bytes(needed.explained),
        bytes(needed.policies),
        figure(assumed.checks()),
        share(assumed.checking()),
        figure(assumed.fetches()),
        figure(assumed.fetches_apart(32.0)),
    ));
}

fn sizes(page: &mut Page, results: &Results) {
    page.heading("Bytes of a file");
    page.text(
        "The table shows the same files in three forms. A body is cut at the size limit of \
               the client, 500 KiB.",
    );
    let forms = [
        ("body", &results.sizes.bodies),
        ("policy with explanation", &results.sizes.explained),
        ("policy without", &results.sizes.policies),
    ];
    let mut table = Table::new(&["form", "mean", "median", "p90", "p99", "largest"]);
    for (name, form) in forms {
        let figures = [form.mean, form.median, form.p90, form.p99, form.largest];
        let cells = figures.map(|bytes| grouped(bytes.round()));
        table.row([vec![name.to_owned()], cells.into()].concat());
    }
    page.table(table);
    page.text(
        "The next table shows the effect of storing equal contents once, as shares of the files \
         and of their bytes. More files have more duplicates. So the share of all files here is \
         an upper bound for 100 million similar origins. Duplicates are mostly short: they save \
         entries rather than bytes.",
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

fn checks(page: &mut Page, results: &Results) {
    page.heading("Checks per second of one core");
    page.text(format!(
        "The table shows the time from a URL to a verdict, by the location of the policy. It is \
         the median of five rounds. All policies of the files take {}. With 100 million origins, \
         most policies are in no processor cache, so the third row applies.",
        bytes(as_f64(results.checks.near_bytes)),
    ));
    let far = format!("the same with copies of {}", bytes(as_f64(results.checks.far_bytes)));
    let rows = [
        ("file by file", results.checks.hot),
        ("files in random order", results.checks.mixed),
        (&*far, results.checks.far),
        ("the same, bytes verified before each check", results.checks.from_bytes),
    ];
    let mut table = Table::new(&["the policy", "time", "checks per second"]);
    for (name, nanos) in rows {
        table.row([name.to_owned(), time(nanos), figure(1e9 / nanos)]);
    }
    page.table(table);
    page.text(
        "Each URL is checked once, with policies without explanations. The benchmark in \
         performance.md is faster: it checks each URL several times in a row, or in the order of \
         the texts in memory.",
    );
}

fn hits(page: &mut Page, results: &Results, assumed: &Assumptions) {
    let smaller = &results.crawls[..results.crawls.len() / 2];
    let counts = [smaller[0].0.origins, results.crawls[smaller.len()].0.origins];
    let counts = counts.map(|origins| grouped(f64::from(origins)));
    page.heading("Hit rates");
    page.text(
        "Questions are distributed over origins by Zipf's law. A cache has room for a share of \
         the origins, and evicts the least recently used one. A file expires 24 hours after its \
         fetch (RFC 9309, 2.4), however often it is used. So the age of the file matters, not the \
         gap between two questions. With room for all, an origin with λ questions a day has λ \
         hits for each fetch.",
    );
    page.text(format!(
        "The simulation runs for three days, of which the last counts, with {} and with {} \
         origins. The model is Che's approximation with expiry (`bench/src/scale/model.rs`). The \
         table shows it for the same number of origins.",
        counts[0], counts[1],
    ));
    page.table(tables::simulated(results));
    let (scales, models) = tables::distances(results);
    page.text(format!(
        "Simulation and model differ by at most {models:.2} percentage points. Between the two \
         sizes the hit rate changes by at most {scales:.2} points, because the same share of more \
         origins is a different share of the questions. The model reproduces this change, so it \
         is used for 100 million origins:",
    ));
    page.table(tables::modelled(assumed, &SIZES));
}

fn fleet(page: &mut Page, assumed: &Assumptions) {
    page.heading("Memory");
    page.text(
        "The table shows the memory for all origins, and for one node if they are distributed \
         evenly over nodes. Replicas are not counted. A record is the body and its metadata. A \
         policy can always be compiled again from it, so policies can be in memory and records on \
         disks.",
    );
    page.table(tables::memory(assumed, &NODES));
    page.heading("A Redis Cluster");
    let each = [assumed.get, assumed.get_pipelined].map(|nanos| 1e9 / nanos);
    page.text(format!(
        "Each check is a GET, unless the machine has its own cache in front of the store. Such a \
         cache contains {} of the origins. A GET takes {} alone and {} in a pipeline of a \
         hundred. This is the round trip, including the client. If the node needed all of this \
         time, one core would answer {} or {} GETs per second. Single GETs fill one core at {} \
         checks a day of the mean origin. So memory needs more nodes long before requests do.",
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
        "If all pages of a host go to one machine, that machine has its record. It needs no GET \
         and no second fetch, and turns and pauses are in one place. The opposite is a fleet in \
         which any page goes to any machine, and each machine has only its own fetches. In total \
         they have the same room. A shared store has as few fetches as sharding, but needs a GET \
         for each check.",
    );
    page.table(tables::sharding(assumed));
}

#[expect(clippy::cast_precision_loss, reason = "counts of files, and bytes of them")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
