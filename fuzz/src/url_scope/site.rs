//! URLs built from parts, so that their sites are known.

use arbitrary::{Result, Unstructured};

/// The default port of a scheme in lower case (REP-ACCESS-3, REP-ACCESS-4).
pub(super) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

/// A URL and its site.
#[derive(Clone, Debug)]
pub(super) struct SiteUrl {
    /// The URL's text.
    pub(super) url: String,
    /// Scheme, host and port.
    pub(super) site: Site,
}

/// A site: scheme and host in lower case, and the port, 0 for none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    scheme: String,
    host: String,
    port: u16,
}

impl SiteUrl {
    /// Chooses the parts; the path is given.
    pub(super) fn choose(choices: &mut Unstructured<'_>, path: &str) -> Result<Self> {
        let scheme = *choices.choose(&["http", "https", "HTTP", "hTTps", "ftp", "x"])?;
        let user = *choices.choose(&["", "", "u@", "u:p@", "u@v@"])?;
        let host = *choices.choose(&["h", "H", "i", "[::1]", "h.", "a.b"])?;
        let port = *choices.choose(&["", "", ":", ":80", ":443", ":0443", ":21", ":8080"])?;
        let scheme_in_lower_case = scheme.to_ascii_lowercase();
        let default = default_port(&scheme_in_lower_case).unwrap_or(0);
        let number = port.trim_start_matches(':').parse().unwrap_or(default);
        let host_in_lower_case = host.to_ascii_lowercase();
        Ok(Self {
            url: format!("{scheme}://{user}{host}{port}{path}"),
            site: Site { scheme: scheme_in_lower_case, host: host_in_lower_case, port: number },
        })
    }
}

impl Site {
    /// A URL of the site.
    pub(super) fn url(&self) -> String {
        match self.port {
            0 => format!("{}://{}/", self.scheme, self.host),
            port => format!("{}://{}:{port}/", self.scheme, self.host),
        }
    }

    /// Removes the scheme, where it is ignored.
    pub(super) fn without_scheme(mut self) -> Self {
        self.scheme.clear();
        self
    }

    /// Whether an authority, in a URL of the same scheme, names the same host and port.
    pub(super) fn is_at(&self, authority: &str) -> bool {
        let host_and_port = authority.rsplit('@').next().unwrap_or_default();
        let (host, port) = match host_and_port.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|octet| octet.is_ascii_digit()) => (host, port),
            _ => (host_and_port, ""),
        };
        let digits = port.trim_start_matches('0');
        let is_port = match port {
            "" => self.port == default_port(&self.scheme).unwrap_or(0),
            _ => digits == self.port.to_string(),
        };
        is_port && host.eq_ignore_ascii_case(&self.host)
    }
}
