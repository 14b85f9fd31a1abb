//! The sitemaps and responses of a site, for its tests.

use std::path::{Path, PathBuf};

use verger::{Dialect, Origin, Robots, quoted};
use verger_json::site_tests::Site;

use crate::args::{LiveArgs, UrlArgs};
use crate::console::Messages;
use crate::live::{LiveClient, failure_of};
use crate::site_urls::SiteUrls;
use crate::url_check::is_url;

/// Reads sitemaps from files and sites, and fetches header fields.
pub(crate) struct TestSite<'a> {
    pub(crate) robots: &'a Robots,
    /// The site of the robots.txt, if it was fetched.
    pub(crate) origin: Option<Origin>,
    /// The folder of the file of tests.
    pub(crate) folder: &'a Path,
    pub(crate) live: &'a LiveArgs,
    pub(crate) messages: &'a mut Messages,
}

impl Site for TestSite<'_> {
    fn sitemap(&mut self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        let place =
            if is_url(Path::new(name)) { PathBuf::from(name) } else { self.folder.join(name) };
        let args = UrlArgs { sitemap: vec![place.into_os_string()], ..UrlArgs::default() };
        let (live, origin, robots) = (self.live, self.origin.clone(), self.robots);
        let urls = SiteUrls { args: &args, live, origin, robots };
        let read = urls.read(self.messages, &mut |url, _| each(url));
        let totals = read.map_err(|error| self.messages.text_of(&error))?;
        let (all, unread) = match (totals.unread_sitemaps, totals.unread_entries) {
            (0, 0) => return Ok(()),
            (0, entries) => ("entries", entries),
            (sitemaps, _) => ("sitemaps", sitemaps),
        };
        let name = quoted(name);
        Err(format!("expected to read all {all} of {name}, but {unread} could not be read"))
    }

    fn header_fields(&mut self, url: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
        let live = LiveClient::open(self.live, None, &Dialect::default());
        let live = live.map_err(|error| self.messages.text_of(&error))?;
        let page = live.page(url.as_bytes());
        live.close(self.messages);
        let page = page.map_err(|error| self.messages.text_of(&error.error))?;
        if let Some(error) = failure_of(&page).filter(|_| page.status().is_none()) {
            return Err(self.messages.text_of(&error));
        }
        Ok(page.fields().map(|(name, value)| (name.to_owned(), value.to_vec())).collect())
    }
}
