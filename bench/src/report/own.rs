//! The sections of what only Verger does, or is held to: memory, worst inputs, client and program.

use super::page::Page;
use super::sections::grouped_count;
use super::table::{Table, figure, grouped, time, times};
use crate::memory::Held;
use crate::results::Results;
use crate::statistics::share;

pub(super) fn memory(page: &mut Page, results: &Results) {
    let Some(policies) = results.policies else { return };
    page.heading("Memory");
    page.text(format!(
        "A policy for `{}`, the mean over {} files: {} bytes answer, with line numbers; {} bytes \
         with what explains the answers. The patterns of the rules that apply have {} bytes, so \
         the part that answers takes {} of them beside 64 bytes for each policy.",
        results.timed.agent,
        grouped_count(policies.count),
        grouped(share(policies.evaluation, policies.count)),
        grouped(share(policies.whole, policies.count)),
        grouped(share(policies.patterns, policies.count)),
        times(policies.times()),
    ));
    if !results.held.is_empty() {
        page.text(
            "What lies on the heap for a file that is ready to be asked, as an allocator \
                   counts it, the mean over the files that each takes:",
        );
        let mut table = Table::new(&[
            "peer",
            "bytes for a file",
            "of the file's bytes",
            "and the bytes of the file",
        ]);
        let mut held: Vec<_> = results.held.iter().collect();
        let all = |one: &Held| one.heap + if one.borrows { one.source } else { 0 };
        held.sort_by_key(|one| (!one.is_ours, all(one)));
        for one in held {
            #[expect(clippy::cast_precision_loss, reason = "megabytes")]
            let factor = one.heap as f64 / one.source.max(1) as f64;
            let borrows = if one.borrows { mean(one.source, one.files) } else { "–".to_owned() };
            table.row([one.peer.clone(), mean(one.heap, one.files), times(factor), borrows]);
        }
        page.table(table);
    }
    if let Some(load) = results.load {
        page.text(format!(
            "A policy that was kept elsewhere is checked and ready in {} (p99 {}) for {} bytes, \
             the mean.",
            time(load.mean),
            time(load.p99),
            figure(load.bytes)
        ));
    }
}

pub(super) fn worst(page: &mut Page, results: &Results) {
    if results.worst.is_empty() {
        return;
    }
    page.heading("Worst cases");
    page.text(format!(
        "Verger alone, on {} inputs that go for what a parser or matcher may do slowly; the \
         dearest of each work, in dialects `rfc9309` and `google`, scaled to 500 KiB where a \
         file is longer. `bench/README.md` tells of them.",
        results.cases
    ));
    let mut table = Table::new(&["work", "time", "input", "dialect"]);
    for worst in &results.worst {
        let nanos = worst.time.as_secs_f64() * 1e9;
        table.row([worst.work, &time(nanos), &worst.case, worst.dialect]);
    }
    if let Some(peak) = &results.peak {
        table.row([
            "memory of parsing",
            &format!("{} the input", times(peak.times)),
            &peak.case,
            "rfc9309",
        ]);
    }
    page.table(table);
}

pub(super) fn stores(page: &mut Page, results: &Results) {
    if results.tiers.is_empty() && results.batch.is_none() {
        return;
    }
    page.heading("Client and program");
    if let Some(rate) = results.batch {
        page.text(format!(
            "`verger check --batch`, JSON Lines in and out, a file and its URLs in each line, \
             from the start of the process to its end, on all cores: {} verdicts in a second.",
            figure(rate)
        ));
    }
    if let Some(tier) = results.tiers.first() {
        page.text(format!(
            "The robots client, when the file is known already; {} sites, one question after the \
             other, in random order:",
            grouped_count(tier.sites)
        ));
        let mut table = Table::new(&["store", "look a record up", "decision with its evidence"]);
        for tier in &results.tiers {
            table.row([tier.name.to_owned(), time(tier.record), time(tier.decision)]);
        }
        page.table(table);
    }
}

/// The mean over files.
fn mean(bytes: u64, files: usize) -> String {
    grouped(share(usize::try_from(bytes).unwrap_or(usize::MAX), files))
}
