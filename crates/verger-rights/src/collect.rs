//! Fetches all documents of a page through the robots client.

use sha2::{Digest as _, Sha256};
use url::Url;
use verger::access::Timestamp;
use verger::{Crawler, Origin};
use verger_fetch::client::{Clock as _, FetchedPage, RobotsClient, SystemClock, TurnError};
use verger_fetch::decision::Decision;
use verger_page::Page;

use crate::challenge::is_challenge;
use crate::limits::LICENSES;
use crate::outcome::{Outcome, Terms, Use};
use crate::report::{Access, Document, Report, TDMREP};
use crate::statements::resolve;
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
    let page = match &fetched {
        Ok(page) => Ok(page),
        Err(error) => {
            let refused = error.decision().filter(|_| asked.fault().is_none());
            Err(refused.ok_or_else(|| error.clone())?)
        }
    };
    let mut all = Collector::begin(client, crawler, asked.url(), page).await?;
    // Before the TDMRep files: if one gets 503, the site receives no request for a time.
    all.add_licenses().await;
    for url in all.visited.clone() {
        all.add_tdmrep(&url.origin()).await;
    }
    Ok(all.report)
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
    Ok(Collector::begin(client, crawler, asked, Ok(page)).await?.report)
}

/// A report that is made.
struct Collector<'c> {
    client: &'c RobotsClient,
    crawler: &'c Crawler,
    report: Report,
    /// All URLs of the page, in the order of its redirects.
    visited: Vec<Url>,
}

impl<'c> Collector<'c> {
    /// Begins a report on a page, or on the one that was refused.
    async fn begin(
        client: &'c RobotsClient,
        crawler: &'c Crawler,
        asked: &Url,
        page: Result<&FetchedPage, &Decision>,
    ) -> Result<Self, TurnError> {
        let hops = page.into_iter().flat_map(FetchedPage::hops).map(|hop| &hop.url);
        let urls = std::iter::once(asked).chain(hops).chain(page.err().map(Decision::url));
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
        let mut all = Self { client, crawler, report, visited: visited.clone() };
        for url in &visited {
            all.add_robots(url).await?;
        }
        match page {
            Ok(page) => all.add_page(page),
            Err(refused) => {
                let message = format!("the page was not fetched: {refused}");
                all.report.add_unread("page", last.as_str(), message, Terms::all(Outcome::Unknown));
            }
        }
        Ok(all)
    }

    async fn add_robots(&mut self, url: &Url) -> Result<(), TurnError> {
        let decision = self.client.check(url.as_str()).await?;
        self.report.access.push(Access {
            url: url.to_string(),
            allowed: decision.is_allowed(),
            reason: decision.reason().name(),
            line: decision.verdict().rule().map(|it| it.position().line),
            sentence: decision.to_string(),
        });
        // That of a robots.txt needs no file, but its site can state something about it.
        let mut site = url.clone();
        site.set_path("/");
        let of_site = self.client.check(site.as_str()).await?;
        let Ok(Some(origin)) = Origin::of(url.as_str()) else { return Ok(()) };
        let address = origin.robots_url();
        let (file, last) = (of_site.file(), of_site.last());
        let final_url = last.map(|it| &it.final_url);
        self.report.add_document(Document {
            kind: "robots.txt",
            url: address.clone(),
            at: file.map(|it| it.fetched_at).or(last.map(|it| it.tried_at)).map(Timestamp::seconds),
            status: last.and_then(|it| it.status),
            final_url: final_url.filter(|it| !it.is_empty() && **it != address).cloned(),
            bytes: file.map(|it| it.body.as_bytes().len()),
            sha256: file.map(|it| it.body.sha256_hex()),
            failure: of_site.failure().map(ToString::to_string),
        });
        if file.is_some_and(|it| it.html) {
            let message = "it looks like a page in HTML, so it is probably not a robots.txt";
            self.report.adding(&address, None, |all| all.add_finding("", message.to_owned()));
        }
        self.report.add_robots(of_site.robots(), self.crawler, url, &address);
        Ok(())
    }

    fn add_page(&mut self, page: &FetchedPage) {
        let document = document("page", self.visited[0].as_str(), page);
        let (report, url) = (&mut self.report, page.url().as_str());
        let mut add_unread =
            |message| report.add_unread("page", url, message, Terms::all(Outcome::Unknown));
        if let Some(failure) = &document.failure {
            add_unread(format!("the page could not be read: {failure}"));
        }
        let is_cut = page.html().is_some_and(|html| html.stop.is_some() || html.has_more);
        if is_cut || page.is_truncated() {
            add_unread("the page was read in part, up to a limit of size or number".to_owned());
        }
        // The header fields of an error count, too, but the text of a challenge is not the page.
        let is_page = document.failure.is_none();
        let redirects = page.hops().len().saturating_sub(usize::from(is_page));
        for hop in &page.hops()[..redirects] {
            let mut fields = Page::new();
            for (name, value) in &hop.fields {
                fields.read_header(name, value);
            }
            // They restrict, and permit nothing, also if the redirects lead back to this URL.
            report.adding(hop.url.as_str(), None, |all| {
                all.permits = false;
                all.add_page(&fields, self.crawler);
            });
        }
        if is_page {
            report.add_page(page.statements(), self.crawler, url);
        }
        report.documents.push(document);
    }

    /// Fetches a document for the receipt.
    async fn fetch(&mut self, kind: &'static str, address: &str) -> Fetched {
        let page = match self.client.get(address).await {
            Ok(page) => page,
            Err(error) => {
                let (url, failure) = (address.to_owned(), Some(error.to_string()));
                self.report.add_document(Document { kind, url, failure, ..Document::default() });
                return Err((None, error.to_string()));
            }
        };
        let document = document(kind, address, &page);
        let cut = page.is_truncated().then(|| "it is too long".to_owned());
        let failure = document.failure.clone().or(cut);
        self.report.add_document(document);
        match failure {
            Some(why) => Err((page.status(), why)),
            None => Ok(page),
        }
    }

    /// Adds the TDMRep file of a site, once, for all URLs of the page there.
    async fn add_tdmrep(&mut self, site: &url::Origin) {
        let address = format!("{}{TDMREP_PATH}", site.ascii_serialization());
        if self.report.documents.iter().any(|it| it.url == address) {
            return;
        }
        let unknown = Terms::each(&[Use::Mining], Outcome::Unknown);
        let page = match self.fetch("tdmrep", &address).await {
            Ok(page) => page,
            Err((Some(404 | 410), _)) => return,
            Err((_, why)) => {
                let message = format!("the file could not be read: {why}");
                return self.report.add_unread(TDMREP, &address, message, unknown);
            }
        };
        let (report, from) = (&mut self.report, page.url());
        match TdmRep::parse(page.body()) {
            Ok(file) => {
                for url in self.visited.iter().filter(|it| it.origin() == *site) {
                    report.add_tdmrep(&file, url, from.as_str());
                }
            }
            // Many sites answer every path with a page. The media type can be wrong for both.
            Err(_) if is_markup(page.body()) => {
                let message = "expected JSON, but found a page in HTML".to_owned();
                report.adding(&address, None, |all| all.add_finding("", message));
            }
            Err(error) => report.add_unread(TDMREP, from.as_str(), error, unknown),
        }
    }

    async fn add_licenses(&mut self) {
        let licenses = std::mem::take(&mut self.report.addresses);
        if licenses.len() > LICENSES {
            let message = format!("more than {LICENSES} licences: the others were not read");
            let page = self.visited[0].as_str();
            self.report.add_unread("license", page, message, Terms::all(Outcome::Refused));
        }
        for license in licenses.into_iter().take(LICENSES) {
            let address = resolve(&license.document, &license.address);
            let address = address.map_or_else(|| license.address.clone(), String::from);
            let fetched = self.fetch("license", &address).await;
            let body = match &fetched {
                Ok(page) => Ok(page.body()),
                Err((_, why)) => Err(format!("the licence could not be read: {why}")),
            };
            self.report.add_license(&license, &address, body, &self.visited);
        }
    }
}

/// A document, or the status and the reason that it could not be read.
type Fetched = Result<FetchedPage, (Option<u16>, String)>;

/// Whether a document begins as a page does, and no JSON.
fn is_markup(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start().starts_with(b"<")
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
