//! Header lines and pages: memory, pieces, displayed text.

use allocation_counter::measure;
use verger::Crawler;
use verger_page::{Combine, Html, HtmlReader, Page, limits};
use verger_testkit::hostile::MEMORY_TIMES;

use super::Complaints;
use super::always::inert;

/// Memory of a page's header lines in addition to a multiple of their size: for the maximum number
/// of statements, the few bytes of each.
const HEADER_PLUS: usize = 512 * 1024;

/// Maximum memory of scanning a page: its text while it grows, the open elements, and the results.
const HTML_MOST: usize = 5 * limits::HTML_BYTES + 160 * 50_000;

/// No panic, limited memory, equal results for any pieces, inert text: as header lines and as a
/// page.
pub(super) fn holds(bytes: &[u8], complaints: &mut Complaints) {
    let mut page = Page::new();
    let memory = measure(|| page.read_headers(bytes));
    let most = MEMORY_TIMES * bytes.len() + HEADER_PLUS;
    complaints.unless(memory.bytes_max <= most as u64, || {
        format!("header lines took {} bytes, more than {most}", memory.bytes_max)
    });

    let mut whole = Html::default();
    let memory = measure(|| whole = read(bytes, bytes.len()));
    complaints.unless(memory.bytes_max <= HTML_MOST as u64, || {
        format!("the page took {} bytes, more than {HTML_MOST}", memory.bytes_max)
    });
    for size in [1, 7] {
        let found = read(bytes, size);
        complaints.unless(found == whole, || format!("in pieces of {size} another is found"));
    }
    page.read_html(&whole);
    let crawler = Crawler::new("FooBot");
    for statement in page.statements() {
        inert(&format!("{statement} {}", statement.subject), complaints);
    }
    for combine in Combine::PUBLISHED {
        inert(&page.directives(&crawler, &combine).to_string(), complaints);
    }
}

fn read(bytes: &[u8], size: usize) -> Html {
    let mut reader = HtmlReader::new(None::<&str>);
    bytes.chunks(size.max(1)).for_each(|piece| reader.feed(piece));
    reader.finish()
}
