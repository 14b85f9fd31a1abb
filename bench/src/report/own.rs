//! The sections about Verger alone: memory, worst inputs, client and program.

use super::page::Page;
use super::table::{Table, figure, grouped, grouped_count, time, times};
use crate::memory::Held;
use crate::results::Results;
use crate::statistics::share;

pub(super) fn memory(page: &mut Page, results: &Results) {
    let Some(policies) = results.policies else { return };
    page.heading("Memory");
    page.text(format!(
        "A policy for `{}` has these mean sizes over {} files: {} bytes without explanations, but \
         with line numbers, and {} bytes with explanations. The patterns of the rules that apply \
         have {} bytes. A policy without explanations takes {} of them, plus 64 bytes.",
        results.timed.agent,
        grouped_count(policies.count),
        grouped(share(policies.evaluation, policies.count)),
        grouped(share(policies.whole, policies.count)),
        grouped(share(policies.patterns, policies.count)),
        times(policies.times()),
    ));
    if !results.held.is_empty() {
        page.text(
            "The table shows the heap memory of a file that is ready for checks, counted by an \
             allocator. It is the mean over the files that the peer accepts.",
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
        page.table(&table);
    }
    if let Some(load) = results.load {
        page.text(format!(
            "Loading a stored policy, with validation, takes {} (p99 {}) for {} bytes on average.",
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
        "Verger alone, on {} inputs that target slow paths of a parser or matcher. The table \
         shows the most expensive input for each kind of work, in dialects `rfc9309` and \
         `google`, scaled to 500 KiB if a file is longer. `bench/README.md` describes the inputs.",
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
    page.table(&table);
}

pub(super) fn stores(page: &mut Page, results: &Results) {
    if results.tiers.is_empty() && results.batch.is_none() {
        return;
    }
    page.heading("Client and program");
    if let Some(rate) = results.batch {
        page.text(format!(
            "`verger check --batch` reads and writes JSON Lines, with a file and its URLs in each \
             line. It gives {} verdicts per second on all cores, from the start of the process to \
             its end.",
            figure(rate)
        ));
    }
    if let Some(tier) = results.tiers.first() {
        page.text(format!(
            "The robots client with stored files: {} sites, one question after the other, in \
             random order.",
            grouped_count(tier.sites)
        ));
        let mut table = Table::new(&["store", "record lookup", "decision with its evidence"]);
        for tier in &results.tiers {
            table.row([tier.name.to_owned(), time(tier.record), time(tier.decision)]);
        }
        page.table(&table);
    }
}

/// The mean over files.
fn mean(bytes: u64, files: usize) -> String {
    grouped(share(usize::try_from(bytes).unwrap_or(usize::MAX), files))
}
