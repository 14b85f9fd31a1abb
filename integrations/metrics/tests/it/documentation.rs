//! `docs/metrics.md`: figures of the sample, and names of all columns.
//!
//! `VERGER_WRITE=1 cargo test -p verger-metrics --test it documentation::` writes the figures.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use verger::Dialect;
use verger_metrics::{Pack, Table, Tally};
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::shared::{Lacking, skip_loudly};

const BEGIN: &str = "<!-- figures: begin -->\n";
const END: &str = "<!-- figures: end -->";

#[test]
fn the_figures_of_the_page_are_those_of_the_sample() {
    let Some(files) = corpus().expect("the archive is sound") else {
        let why = format!("../shared/{CORPUS} is not there");
        return skip_loudly("figures of docs/metrics.md", Lacking::Data, &why);
    };
    let tables = |pack| -> Vec<Table> {
        let mut tally = Tally::new(pack, Dialect::RFC9309);
        for body in files.values() {
            tally.add(body);
        }
        tally.tables()
    };
    let mut figures = String::new();
    for (pack, (name, rows)) in [
        (Pack::Consent, ("consent", 6)),
        (Pack::Crawlers, ("closed_by_purpose", 11)),
        (Pack::Statements, ("statements", 9)),
    ] {
        let tables = tables(pack);
        let table = tables.iter().find(|table| table.name == name).expect("a table");
        write_table(table, rows, &mut figures);
    }

    let path = page();
    let text = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = text.split_once(BEGIN).expect("a mark");
    let (found, after) = rest.split_once(END).expect("a mark");
    if std::env::var_os("VERGER_WRITE").is_some() {
        std::fs::write(&path, [before, BEGIN, &figures, END, after].concat()).expect("the page");
    } else {
        assert_eq!(found, figures, "set VERGER_WRITE=1 to write the figures");
    }
}

#[test]
fn the_page_names_every_column_of_every_table() {
    let text = std::fs::read_to_string(page()).expect("the page");
    let packs = Pack::ALL.into_iter().flat_map(|pack| Tally::new(pack, Dialect::RFC9309).tables());
    let mut columns = 0;
    for table in packs {
        assert!(text.contains(&format!("`{}`", table.name)), "{}", table.name);
        for (name, _) in table.columns {
            assert!(text.contains(&format!("`{name}`")), "{}: {name}", table.name);
            columns += 1;
        }
    }
    assert!(columns > 20, "{columns}");
}

/// Writes the first rows of a table in Markdown.
fn write_table(table: &Table, rows: usize, out: &mut String) {
    let names: Vec<_> = table.columns.iter().map(|(name, _)| format!("`{name}`")).collect();
    let rule = vec!["---"; names.len()].join(" | ");
    let all = table.rows.len();
    let shown =
        if all > rows { format!(", the first {rows} of {all} rows") } else { String::new() };
    writeln!(out, "\n`{}`{shown}:\n\n| {} |\n| {rule} |", table.name, names.join(" | "))
        .expect("text");
    for row in table.rows.iter().take(rows) {
        let cells: Vec<String> = row.iter().map(cell).collect();
        writeln!(out, "| {} |", cells.join(" | ")).expect("text");
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Number(share) if share.is_f64() => {
            format!("{:.4}", share.as_f64().expect("a float"))
        }
        count => count.to_string(),
    }
}

fn page() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md")
}
