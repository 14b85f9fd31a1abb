//! Header lines and pages: directives, preserved items, memory.

use allocation_counter::measure;
use verger::Crawler;
use verger_page::{Combine, Html, HtmlReader, Page, limits};
use verger_testkit::hostile::MEMORY_TIMES;

use crate::always::inert;
use crate::judge::Complaints;

/// Memory of a page's header lines in addition to a multiple of their size: for the maximum number
/// of statements, the few bytes of each.
const HEADER_PLUS: usize = 512 * 1024;

/// Maximum memory of scanning a page: its text while it grows, the open elements, and the results.
const HTML_MOST: usize = 5 * limits::HTML_BYTES + 160 * limits::HTML_DEPTH;

/// No panic, limited memory, equal results for any pieces, inert text: as header lines and as a
/// page.
pub(crate) fn holds(bytes: &[u8], complaints: &mut Complaints) {
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
        inert(&format!("{statement} {}", statement.subject()), complaints);
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

/// The directives for the agent.
pub(crate) fn header_says(
    bytes: &[u8],
    agent: &str,
    holds: &str,
    truncated: bool,
    complaints: &mut Complaints,
) {
    let mut page = Page::new();
    page.read_headers(bytes);
    says(&page, agent, holds, complaints);
    complaints.unless_equal("truncated", page.is_truncated(), truncated);
}

/// The one item is unknown and is preserved as written.
pub(crate) fn header_keeps(bytes: &[u8], text: &[u8], complaints: &mut Complaints) {
    let mut page = Page::new();
    page.read_headers(bytes);
    let kept: Vec<_> = page.statements().iter().map(|it| (it.directive(), it.text())).collect();
    complaints.unless_equal("statements", &*kept, &[(None, text)]);
}

/// The directives for the agent, and the end of the scan.
pub(crate) fn page_says(
    bytes: &[u8],
    agent: &str,
    holds: &str,
    stop: Option<&str>,
    complaints: &mut Complaints,
) {
    let html = read(bytes, bytes.len());
    let mut page = Page::new();
    page.read_html(&html);
    says(&page, agent, holds, complaints);
    complaints.unless_equal("stop", html.stop().map(verger_page::Stop::name), stop);
}

fn says(page: &Page, agent: &str, holds: &str, complaints: &mut Complaints) {
    let found = page.directives(&Crawler::new(agent), &Combine::GOOGLE).to_string();
    complaints.unless_equal(&format!("for {agent}"), found.as_str(), holds);
}
