//! The page, section by section.

use super::chart;
use super::own;
use super::page::Page;
use super::table::{Table, grouped, grouped_count, percent, time, times};
use crate::Result;
use crate::growth::{Curve, SIZES, Shape};
use crate::plan::Work;
use crate::results::Results;

/// The page with all results.
///
/// # Errors
///
/// If a chart cannot be drawn.
pub(crate) fn page(results: &Results, command: &str, has_charts: bool) -> Result<Page> {
    let mut page = Page::new(has_charts);
    opening(&mut page, results, command);
    for work in Work::ALL {
        of_work(&mut page, work, results)?;
    }
    for (shape, found) in &results.growth {
        growth(&mut page, *shape, found)?;
    }
    own::memory(&mut page, results);
    own::worst(&mut page, results);
    own::stores(&mut page, results);
    agreement(&mut page, results);
    Ok(page)
}

fn opening(page: &mut Page, results: &Results, command: &str) {
    page.heading("Performance");
    page.text(
        "This page compares Verger with the parsers of package registries. All use the same \
         files, URLs and crawler, in turn within one run. Absolute times depend on the machine; \
         the ratios matter. Repeat the measurement on generated files or on your own with `cargo \
         xtask bench`; see `cargo xtask bench --help`.",
    );
    let (name, files, bytes) = &results.corpus;
    let mut facts = vec![
        format!("This run: `{command}`"),
        format!("Machine: {}", results.machine),
        format!("Verger: with{} feature `simd`", if cfg!(feature = "simd") { "" } else { "out" }),
        format!("Files: {name}; {} files, {} bytes", grouped_count(*files), grouped_count(*bytes)),
        format!(
            "Timed: {} files that all peers accept, {} questions, crawler `{}`, {} rounds, the \
             median",
            grouped_count(results.timed.sites.len()),
            grouped_count(results.timed.questions()),
            results.timed.agent,
            results.rounds
        ),
    ];
    if let Some(busy) = results.busy {
        facts.push(format!(
            "**The machine was busy with other work** (load {busy:.1}): times are too long"
        ));
    }
    page.list(&facts);
    page.heading("Peers");
    let mut table = Table::new(&["peer", "version", "from", "notes"]);
    for about in &results.peers {
        table.row([&*about.name, &about.version, about.registry, about.note]);
    }
    page.table(&table);
    page.list(&results.notes);
}

fn of_work(page: &mut Page, work: Work, results: &Results) -> Result {
    let Some(all) = results.work(work) else { return Ok(()) };
    let Some(ours) = all.first() else { return Ok(()) };
    let (title, what) = words(work);
    page.heading(title);
    page.text(what);
    let unit = if work.is_match() { "time for a URL" } else { "time for a file" };
    page.chart(work.name(), title, || chart::times(title, unit, all))?;
    let head: &[&str] = match work {
        Work::Hot => &["peer", unit, "ratio to Verger", "p99 of files"],
        _ if work.is_match() => &["peer", unit, "ratio to Verger"],
        _ => &["peer", unit, "ratio to Verger", "MB/s"],
    };
    let mut table = Table::new(head);
    for one in all {
        let mut row = vec![one.name.clone(), time(one.time()), times(one.times(ours))];
        if work == Work::Hot {
            row.push(if one.sites.is_empty() { "–".to_owned() } else { time(one.p99()) });
        } else if !work.is_match() {
            row.push(grouped(results.mean_bytes() / one.time() * 1e3));
        }
        table.row(row);
    }
    page.table(&table);
    Ok(())
}

const fn words(work: Work) -> (&'static str, &'static str) {
    match work {
        Work::OneShot => (
            "One-shot",
            "From bytes, crawler and URL to a verdict; nothing is stored. Each round uses another \
             URL of the file.",
        ),
        Work::Parse => (
            "Parse",
            "From bytes to the groups and rules of every crawler. Verger stores the bytes and all \
             positions.",
        ),
        Work::Compile => (
            "Parse and compile for one crawler",
            "From bytes to the fastest form for one crawler; in Verger a policy.",
        ),
        Work::Hot => (
            "Match, hot",
            "From the text of a URL to a verdict, with files that were prepared before. File by \
             file, each URL is checked ten times in a row, or once if a peer needs more than a \
             second for that. If a peer accepts only a path, our code splits the URL, and its \
             time counts.",
        ),
        Work::HotPath => {
            ("Match, path in hand", "The same, with the path already extracted from the URL.")
        }
        Work::Cold => (
            "Match, cold",
            "From the text of a URL to a verdict, one for each file, with the files in random \
             order. Data that is not in a cache must come from memory.",
        ),
    }
}

fn growth(page: &mut Page, shape: Shape, all: &[Curve]) -> Result {
    let (title, what) = match shape {
        Shape::Prefixes => (
            "Growth: rules without wildcards",
            "A third of the URLs matches a rule, and a third nearly does.",
        ),
        Shape::Wildcards => (
            "Growth: 30 % of the rules with wildcards",
            "One in four rules with wildcards begins with `/*`; the others have a literal prefix \
             each.",
        ),
    };
    page.heading(title);
    page.text(format!(
        "The table shows the time for one URL as one file grows. {what} Size limits are lifted if \
         possible. A peer that was too slow was not tested with the next size (–). The last \
         column is the share of answers that differ from Verger's; the chart has dashed curves \
         for these. Most of these peers read only \
         a part of the file, or have no wildcards."
    ));
    page.chart(shape.name(), title, || chart::curves(title, all))?;
    let sizes: Vec<usize> = SIZES
        .into_iter()
        .filter(|size| all.iter().any(|curve| curve.at(*size).is_some()))
        .collect();
    let mut head = vec!["peer".to_owned()];
    head.extend(sizes.iter().map(|size| format!("{} rules", grouped_count(*size))));
    head.push("answers that differ".to_owned());
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table = Table::new(&head);
    for curve in all {
        let mut row = vec![curve.peer.clone()];
        row.extend(sizes.iter().map(|size| curve.at(*size).map_or_else(|| "–".to_owned(), time)));
        row.push(if curve.wrong() > 0.0 { percent(curve.wrong()) } else { "0".to_owned() });
        table.row(row);
    }
    page.table(&table);
    Ok(())
}

fn agreement(page: &mut Page, results: &Results) {
    if results.agreement.is_empty() {
        return;
    }
    page.heading("Agreement with Google's library");
    let who = if results.has_golden {
        "The reference is Google's own library, for five crawlers."
    } else {
        "The reference is our dialect `google`: there are no answers of Google's library for \
         these files."
    };
    page.text(format!(
        "{who} A refused file, a panic and a refused URL count as no answer. Verger's default is \
         RFC 9309, which deliberately differs from Google's reading."
    ));
    let mut table = Table::new(&[
        "peer",
        "as Google",
        "differs",
        "allows what is disallowed",
        "no answer",
        "asked",
    ]);
    for one in &results.agreement {
        let counts = [one.wrong, one.wrongly_allowed, one.unanswered, one.asked].map(grouped_count);
        table.row([one.peer.clone(), percent(one.share())].into_iter().chain(counts));
    }
    page.table(&table);
}
