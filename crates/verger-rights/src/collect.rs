//! Fetches all documents of a page through the robots client.

use sha2::{Digest as _, Sha256};
use url::Url;
use verger::{Crawler, Origin};
use verger_fetch::client::{
    CheckError, Clock as _, FetchedPage, RobotsClient, SystemClock, TurnError,
};
use verger_fetch::decision::Decision;

use crate::report::{Access, Document, Report};
use crate::tdmrep::{TDMREP_PATH, TdmRep};

/// Reports on a page and everything that it and its site state about uses.
///
/// Every request is one of the client: checked by the robots.txt of its origin and by the guard,
/// and sent in its turn. After a redirect, the statements of each origin count. If robots.txt
/// disallows the page, it is not fetched; the report has the statements of the site.
///
/// # Errors
///
/// Those of [`RobotsClient::get`] that say nothing about the site, such as an invalid URL.
///
/// # Complexity
///
/// Requests: the page with its redirects; for each of their origins robots.txt and a TDMRep file;
/// at most [`LICENSES`](crate::limits::LICENSES) licences.
pub async fn collect(
    client: &RobotsClient,
    crawler: &Crawler,
    url: &str,
) -> Result<Report, TurnError> {
    let fetched = client.get(url).await;
    let asked = client.check(url).await?;
    let mut report = Report::new(asked.url(), crawler, SystemClock.now());
    let mut urls = vec![asked.url().clone()];
    let (page, refused) = match fetched {
        Ok(page) => {
            urls.extend(page.hops().iter().map(|hop| hop.url.clone()));
            (Some(page), None)
        }
        Err(TurnError::Disallowed(decision) | TurnError::Unreachable { decision, .. }) => {
            urls.push(decision.url().clone());
            (None, Some(decision))
        }
        Err(error) => return Err(error),
    };
    let mut visited: Vec<Url> = Vec::new();
    for mut url in urls {
        url.set_fragment(None);
        if !visited.contains(&url) {
            visited.push(url);
        }
    }
    for url in &visited {
        add_robots(&mut report, &client.check(url.as_str()).await?, crawler, url);
    }
    if let Some(page) = &page {
        add_page(&mut report, page, &visited[0], crawler);
        report.final_url = (page.url() != &visited[0]).then(|| page.url().to_string());
    } else {
        let refused = refused.map(|it| it.to_string()).unwrap_or_default();
        let url = visited.last().map_or(url, Url::as_str);
        report.add_unread_page(url, format!("the page was not fetched: {refused}"));
    }
    // Before the TDMRep files: if one gets 503, the site receives no request for a time.
    add_licenses(&mut report, client, &visited).await?;
    for (url, site) in sites(&visited) {
        let address = format!("{}{TDMREP_PATH}", site.trim_end_matches('/'));
        add_tdmrep(&mut report, client, url, &address).await?;
    }
    Ok(report)
}

/// Each URL with its site.
fn sites(urls: &[Url]) -> Vec<(&Url, String)> {
    urls.iter().map(|url| (url, url.origin().ascii_serialization())).collect()
}

fn add_robots(report: &mut Report, decision: &Decision, crawler: &Crawler, url: &Url) {
    let verdict = decision.verdict();
    report.access.push(Access {
        url: url.to_string(),
        allowed: decision.is_allowed(),
        reason: decision.reason().name(),
        line: verdict.rule().map(|it| it.position().line),
        sentence: decision.to_string(),
    });
    let Ok(Some(origin)) = Origin::of(url.as_str()) else { return };
    let address = origin.robots_url();
    let (file, last) = (decision.file(), decision.last());
    if !report.documents.iter().any(|it| it.url == address) {
        report.documents.push(Document {
            kind: "robots.txt",
            url: address.clone(),
            at: file.map(|it| it.fetched_at.seconds()),
            status: last.and_then(|it| it.status),
            final_url: last
                .map(|it| it.final_url.clone())
                .filter(|it| !it.is_empty() && *it != address),
            bytes: file.map(|it| it.body.as_bytes().len()),
            sha256: file.map(|it| it.body.sha256_hex()),
            failure: decision.failure().map(ToString::to_string),
            ..Document::default()
        });
    }
    report.add_robots(decision.robots(), crawler, url, &address);
}

fn add_page(report: &mut Report, page: &FetchedPage, asked: &Url, crawler: &Crawler) {
    let document = document("page", asked.as_str(), page);
    let url = page.url().as_str();
    if let Some(failure) = &document.failure {
        report.add_unread_page(url, format!("the page could not be read: {failure}"));
    }
    let is_cut = page.html().is_some_and(|html| html.stop.is_some() || html.has_more);
    if is_cut || page.is_truncated() {
        report.add_unread_page(url, "the page is too long: its end was not read".to_owned());
    }
    // The header fields of an error count, too.
    report.add_page(page.statements(), crawler, url);
    report.documents.push(document);
}

async fn add_tdmrep(
    report: &mut Report,
    client: &RobotsClient,
    url: &Url,
    address: &str,
) -> Result<(), TurnError> {
    // The client stores no pages, and one file is about all URLs of the site.
    let (document, page) = match client.get(address).await {
        Ok(page) => (document("tdmrep", address, &page), Some(page)),
        Err(error) => (unfetched("tdmrep", address, error)?, None),
    };
    let is_missing = matches!(document.status, Some(404 | 410));
    match (&document.failure, page) {
        (Some(_), Some(_)) if is_missing => {}
        (Some(failure), _) => {
            report.add_unread_tdmrep(address, format!("the file could not be read: {failure}"));
        }
        (None, Some(page)) if page.is_truncated() => {
            report.add_unread_tdmrep(address, "the file is too long".to_owned());
        }
        // Many sites answer every path with a page. JSON counts with any media type.
        (None, Some(page)) if page.html().is_some() && TdmRep::parse(page.body()).is_err() => {
            report.add_finding(address, "expected JSON, but found a page in HTML".to_owned());
        }
        (None, Some(page)) => {
            let is_own = page.url().origin() == url.origin();
            report.add_tdmrep(page.body(), url, page.url().as_str(), is_own);
        }
        (None, None) => {}
    }
    if !report.documents.iter().any(|it| it.url == document.url) {
        report.documents.push(document);
    }
    Ok(())
}

async fn add_licenses(
    report: &mut Report,
    client: &RobotsClient,
    urls: &[Url],
) -> Result<(), TurnError> {
    let (licenses, is_cut) = report.take_addresses();
    if is_cut {
        report.add_cut_licenses(urls[0].as_str());
    }
    for license in licenses {
        let base = Url::parse(&license.document).ok();
        let address = base.and_then(|it| it.join(&license.address).ok());
        let address = address.map_or_else(|| license.address.clone(), String::from);
        if license.address.is_empty() {
            report.add_license(&license, &address, Ok(b""), urls);
            continue;
        }
        let fetched = client.get(&address).await;
        let (document, page) = match fetched {
            Ok(page) => (document("license", &address, &page), Some(page)),
            Err(error) => (unfetched("license", &address, error)?, None),
        };
        let body = match (&document.failure, &page) {
            (None, Some(page)) if page.is_truncated() => Err("the licence is too long".to_owned()),
            (None, Some(page)) => Ok(page.body()),
            (failure, _) => {
                let failure = failure.as_deref().unwrap_or("no response");
                Err(format!("the licence could not be read: {failure}"))
            }
        };
        report.add_license(&license, &address, body, urls);
        if !report.documents.iter().any(|it| it.url == document.url) {
            report.documents.push(document);
        }
    }
    Ok(())
}

/// A fetched document of the receipt.
fn document(kind: &'static str, url: &str, page: &FetchedPage) -> Document {
    let body = page.is_success().then(|| page.body());
    Document {
        kind,
        url: url.to_owned(),
        final_url: (page.url().as_str() != url).then(|| page.url().to_string()),
        at: Some(SystemClock.now().seconds()),
        status: page.status(),
        bytes: body.map(<[u8]>::len),
        sha256: body.map(|body| hex::encode(Sha256::digest(body))),
        failure: page.failure().map(ToString::to_string),
    }
}

/// A document that was not requested, with the reason.
fn unfetched(kind: &'static str, url: &str, error: TurnError) -> Result<Document, TurnError> {
    match error {
        // The client itself cannot go on.
        TurnError::Check(CheckError::Ended) => Err(error),
        error => {
            let failure = Some(error.to_string());
            Ok(Document { kind, url: url.to_owned(), failure, ..Document::default() })
        }
    }
}
