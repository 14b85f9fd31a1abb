//! `verger lint --as`: the responses of a site to crawlers.

use std::path::PathBuf;

use verger::{Dialect, Origin, ProductToken, Robots};
use verger_fetch::record::OriginRecord;
use verger_json::NamedCrawler;
use verger_lint::{CrawlerResponse, Observation, PageResponse};

use crate::args::LiveArgs;
use crate::console::Messages;
use crate::crawler::{header_tokens, show_remarks};
use crate::error::Error;
use crate::live::LiveClient;

/// Adds the responses to requests with the User-Agent headers of crawlers: for robots.txt, and for
/// the first page of the site if it is allowed. `own` is the client of the other requests.
pub(super) fn observe_as(
    names: &[String],
    args: &LiveArgs,
    own: &LiveClient,
    origin: &Origin,
    observation: &mut Observation,
    messages: &mut Messages,
) -> Result<(), Error> {
    let page = format!("{origin}/");
    let robots = Robots::parse(&observation.body);
    // Requested once, and only if a crawler is allowed.
    let mut own_status = None;
    for name in names.iter().flat_map(|list| split(list)) {
        let crawler = NamedCrawler::agent(name, &Dialect::RFC9309);
        show_remarks(&crawler, &[&robots], &Dialect::RFC9309, messages);
        let header = header_tokens(&ProductToken::new(name));
        let args = LiveArgs {
            user_agent: Some(match header {
                Some(_) => name.to_owned(),
                None => format!("Mozilla/5.0 (compatible; {name}/1.0)"),
            }),
            // Files that other crawlers get are not stored.
            store: Some(PathBuf::from("memory")),
            ..args.clone()
        };
        let live = LiveClient::open(&args, Some(&crawler), &Dialect::RFC9309)?;
        let name = header.as_ref().map_or(name, |header| header.tokens()[0].as_str());
        observation.answers.push(answer(name, &*live.record(origin)?, &live));
        let response = live.page(page.as_bytes());
        live.close(messages);
        // The page of a crawler that is not allowed is not requested.
        if let Ok(response) = response {
            let own_status = own_status.get_or_insert_with(|| status_of(own, &page));
            observation.pages.push(PageResponse {
                crawler: name.to_owned(),
                url: page.clone(),
                status: response.status(),
                status_for_browser: *own_status,
            });
        }
    }
    Ok(())
}

/// The robots.txt in a record.
fn answer(name: &str, record: &OriginRecord, live: &LiveClient) -> CrawlerResponse {
    let options = live.client.read_options();
    let last = record.last();
    let file = record.file_for(options).filter(|_| last.is_some_and(|last| last.failure.is_none()));
    CrawlerResponse {
        crawler: name.to_owned(),
        status: last.and_then(|last| last.status),
        body: file.map(|file| file.body.as_bytes().to_vec()).unwrap_or_default(),
    }
}

fn status_of(client: &LiveClient, page: &str) -> Option<u16> {
    client.page(page.as_bytes()).ok().and_then(|response| response.status())
}

/// The names of a list. A header is one name: it may contain commas.
fn split(list: &str) -> Vec<&str> {
    if list.contains('(') { vec![list] } else { list.split(',').map(str::trim).collect() }
}
