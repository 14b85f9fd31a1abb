//! The table of choices of a page in `docs`.

use std::fs;
use std::path::Path;

/// A choice, and its values in all columns.
pub(crate) type Row = (String, Vec<String>);

/// The names of the columns, and the rows.
pub(crate) fn table(page: &str) -> (Vec<String>, Vec<Row>) {
    let page = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs")).join(page);
    let page = fs::read_to_string(page).expect("the page is part of the project");
    let table = page.split_once("\n| choice | clauses |").expect("the page has the table").1;
    let mut lines = table.lines();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim_matches([' ', '`']).to_owned())
            .collect()
    };
    let names = cells(lines.next().expect("the table has a head"));
    let rows = lines.skip(1).take_while(|line| line.starts_with('|')).map(|line| {
        let mut row = cells(line);
        let values = row.split_off(2);
        (row.swap_remove(0), values)
    });
    (names, rows.collect())
}
