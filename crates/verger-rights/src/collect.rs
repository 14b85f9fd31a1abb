//! Fetches all documents of a page through the robots client.

use sha2::{Digest as _, Sha256};
use url::Url;
use verger::access::Timestamp;
use verger::{Crawler, Origin};
use verger_fetch::client::{
    CheckError, Clock as _, FetchedPage, RobotsClient, SystemClock, TurnError,
};
use verger_fetch::decision::Decision;

use crate::challenge::is_challenge;
use crate::limits::LICENSES;
use crate::outcome::{Outcome, Terms, Use};
use crate::report::{Access, Document, Report, TDMREP};
use crate::tdmrep::{TDMREP_PATH, TdmRep};

/// Reports on a page and everything that it and its site state about uses.
///
/// Every request is one of the client: checked by the robots.txt of its origin and by the guard,
/// and sent in its turn. After a redirect, the restrictions of each origin count. If robots.txt
/// disallows the page, it is not fetched; the report has the statements of the site.
///
/// # Errors
///
/// Those of [`RobotsClient::get`] that say nothing about the site, such as an invalid URL, or an
/// address that the guard refuses.
///
/// # Complexity
///
/// Requests: the page with its redirects; for each of their origins robots.txt and a TDMRep file;
/// at most [`LICENSES`] licences.
pub async fn collect(
    client: &RobotsClient,
    crawler: &Crawler,
    url: &str,
) -> Result<Report, TurnError> {
    let fetched = client.get(url).await;
    let asked = client.check(url).await?;
    let (page, refused) = match fetched {
        Ok(page) => (Some(page), None),
        Err(TurnError::Disallowed(decision) | TurnError::Unreachable { decision, .. })
            if asked.fault().is_none() =>
        {
            (None, Some(decision))
        }
        Err(error) => return Err(error),
    };
    let (mut report, visited) =
        begin(client, crawler, asked.url(), page.as_ref(), refused.as_deref()).await?;
    // Before the TDMRep files: if one gets 503, the site receives no request for a time.
    add_licenses(&mut report, client, &visited).await?;
    // One file is about all URLs of a site.
    let mut rest: Vec<&Url> = visited.iter().collect();
    while let Some(first) = rest.first().copied() {
        let (urls, others): (Vec<_>, _) =
            rest.into_iter().partition(|it| it.origin() == first.origin());
        add_tdmrep(&mut report, client, &urls).await?;
        rest = others;
    }
    Ok(report)
}

/// Reports on a fetched page without the other documents of its sites: what robots.txt and the
/// responses of all its redirects state. A page that was cut has [`Outcome::Unknown`].
///
/// # Errors
///
/// Those of [`RobotsClient::check`].
///
/// # Complexity
///
/// Requests for each robots.txt that is not fresh any more.
pub async fn collect_page(client: &RobotsClient, page: &FetchedPage) -> Result<Report, TurnError> {
    let asked = page.hops().first().map_or(page.url(), |hop| &hop.url);
    let crawler = page.decision().crawler();
    Ok(begin(client, crawler, asked, Some(page), None).await?.0)
}

/// A report on a page, or on the one that was refused, and all its URLs.
async fn begin(
    client: &RobotsClient,
    crawler: &Crawler,
    asked: &Url,
    page: Option<&FetchedPage>,
    refused: Option<&Decision>,
) -> Result<(Report, Vec<Url>), TurnError> {
    let hops = page.into_iter().flat_map(FetchedPage::hops).map(|hop| &hop.url);
    let urls = std::iter::once(asked).chain(hops).chain(refused.map(Decision::url));
    // Redirects can lead back to a URL.
    let (mut visited, mut last) = (Vec::<Url>::new(), asked.clone());
    for url in urls {
        last = url.clone();
        last.set_fragment(None);
        if !visited.contains(&last) {
            visited.push(last.clone());
        }
    }
    let mut report = Report::new(&visited[0], crawler, SystemClock.now());
    // Before any statement: those of other sites permit nothing.
    report.final_url = (last != visited[0]).then(|| last.to_string());
    for url in &visited {
        let decision = client.check(url.as_str()).await?;
        // That of a robots.txt needs no file, but its site can state something about it.
        let mut site = url.clone();
        site.set_path("/");
        let of_site = client.check(site.as_str()).await?;
        add_robots(&mut report, &decision, &of_site, crawler, url);
    }
    if let Some(page) = page {
        add_page(&mut report, page, &visited[0], crawler);
    } else {
        let refused = refused.map(ToString::to_string).unwrap_or_default();
        let message = format!("the page was not fetched: {refused}");
        report.add_unread("page", last.as_str(), message, Terms::all(Outcome::Unknown));
    }
    Ok((report, visited))
}

fn add_robots(
    report: &mut Report,
    decision: &Decision,
    of_site: &Decision,
    crawler: &Crawler,
    url: &Url,
) {
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
    let (file, last) = (of_site.file(), of_site.last());
    if !report.documents.iter().any(|it| it.url == address) {
        report.documents.push(Document {
            kind: "robots.txt",
            url: address.clone(),
            at: file.map(|it| it.fetched_at).or(last.map(|it| it.tried_at)).map(Timestamp::seconds),
            status: last.and_then(|it| it.status),
            final_url: last
                .map(|it| it.final_url.clone())
                .filter(|it| !it.is_empty() && *it != address),
            bytes: file.map(|it| it.body.as_bytes().len()),
            sha256: file.map(|it| it.body.sha256_hex()),
            failure: of_site.failure().map(ToString::to_string),
            ..Document::default()
        });
    }
    if file.is_some_and(|it| it.html) {
        let message = "it looks like a page in HTML, so it is probably not a robots.txt".to_owned();
        report.adding(&address, None, |all| all.add_finding("", message));
    }
    report.add_robots(of_site.robots(), crawler, url, &address);
}

fn add_page(report: &mut Report, page: &FetchedPage, asked: &Url, crawler: &Crawler) {
    let unknown = || Terms::all(Outcome::Unknown);
    let document = document("page", asked.as_str(), page);
    let url = page.url().as_str();
    if let Some(failure) = &document.failure {
        let message = format!("the page could not be read: {failure}");
        report.add_unread("page", url, message, unknown());
    }
    let is_cut = page.html().is_some_and(|html| html.stop.is_some() || html.has_more);
    if is_cut || page.is_truncated() {
        let message = "the page is too long: its end was not read".to_owned();
        report.add_unread("page", url, message, unknown());
    }
    // The header fields of an error count, too, but the text of a challenge is not the page.
    let is_page = document.failure.is_none();
    for hop in page.hops().iter().take(page.hops().len().saturating_sub(usize::from(is_page))) {
        report.add_redirect(&hop.fields, crawler, &hop.url);
    }
    if is_page {
        report.add_page(page.statements(), crawler, url);
    }
    report.documents.push(document);
}

/// Fetches a document for the receipt, or the status and the reason that it could not be read.
async fn fetch(
    report: &mut Report,
    client: &RobotsClient,
    kind: &'static str,
    address: &str,
) -> Result<Result<FetchedPage, (Option<u16>, String)>, TurnError> {
    let fetched = client.get(address).await;
    let document = match &fetched {
        Ok(page) => document(kind, address, page),
        // The client itself cannot go on.
        Err(error @ TurnError::Check(CheckError::Ended)) => return Err(error.clone()),
        Err(error) => {
            let (url, failure) = (address.to_owned(), Some(error.to_string()));
            Document { kind, url, failure, ..Document::default() }
        }
    };
    let (status, failure) = (document.status, document.failure.clone());
    if !report.documents.iter().any(|it| it.url == document.url) {
        report.documents.push(document);
    }
    Ok(match (fetched, failure) {
        (Ok(page), None) if page.is_truncated() => Err((status, "it is too long".to_owned())),
        (Ok(page), None) => Ok(page),
        (_, failure) => Err((status, failure.unwrap_or_default())),
    })
}

/// Adds the TDMRep file of some URLs of one site.
async fn add_tdmrep(
    report: &mut Report,
    client: &RobotsClient,
    urls: &[&Url],
) -> Result<(), TurnError> {
    let site = urls[0].origin();
    let address = format!("{}{TDMREP_PATH}", site.ascii_serialization());
    let unknown = Terms::each(&[Use::Mining], Outcome::Unknown);
    match fetch(report, client, "tdmrep", &address).await? {
        Err((Some(404 | 410), _)) => {}
        Err((_, why)) => {
            let message = format!("the file could not be read: {why}");
            report.add_unread(TDMREP, &address, message, unknown);
        }
        Ok(page) => match (TdmRep::parse(page.body()), page.url()) {
            (Ok(file), from) => urls.iter().for_each(|url| {
                report.add_tdmrep(&file, url, from.as_str(), from.origin() == site);
            }),
            // Many sites answer every path with a page. The media type can be wrong for both.
            (Err(_), _) if is_markup(page.body()) => {
                let message = "expected JSON, but found a page in HTML".to_owned();
                report.adding(&address, None, |all| all.add_finding("", message));
            }
            (Err(error), from) => report.add_unread(TDMREP, from.as_str(), error, unknown),
        },
    }
    Ok(())
}

/// Whether a document begins as a page does, and no JSON.
fn is_markup(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start().starts_with(b"<")
}

async fn add_licenses(
    report: &mut Report,
    client: &RobotsClient,
    urls: &[Url],
) -> Result<(), TurnError> {
    let licenses = std::mem::take(&mut report.addresses);
    if licenses.len() > LICENSES {
        let message = format!("more than {LICENSES} licences: the others were not read");
        report.add_unread("license", urls[0].as_str(), message, Terms::all(Outcome::Refused));
    }
    for license in licenses.into_iter().take(LICENSES) {
        let base = Url::parse(&license.document).ok();
        let address = base.and_then(|it| it.join(&license.address).ok());
        let address = address.map_or_else(|| license.address.clone(), String::from);
        let fetched = fetch(report, client, "license", &address).await?;
        let body = match &fetched {
            Ok(page) => Ok(page.body()),
            Err((_, why)) => Err(format!("the licence could not be read: {why}")),
        };
        report.add_license(&license, &address, body, urls);
    }
    Ok(())
}

/// A fetched document of the receipt.
fn document(kind: &'static str, url: &str, page: &FetchedPage) -> Document {
    let challenge = || is_challenge(page).then(|| "it is a challenge for browsers".to_owned());
    let failure = page.failure().map(ToString::to_string).or_else(challenge);
    let body = failure.is_none().then(|| page.body());
    Document {
        kind,
        url: url.to_owned(),
        final_url: (page.url().as_str() != url).then(|| page.url().to_string()),
        at: Some(SystemClock.now().seconds()),
        status: page.status(),
        bytes: body.map(<[u8]>::len),
        sha256: body.map(|body| hex::encode(Sha256::digest(body))),
        failure,
    }
}
