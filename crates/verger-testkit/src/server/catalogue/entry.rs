//! An entry of the catalogue, and its parts.

use std::io;

use crate::server::{RULES, Script, ScriptedResponse, Service, Setup, Site, World};

use super::expect::{Ask, Claim, Class};

/// The host of most entries.
pub const HOST: &str = "shop.example";

/// A part of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Answers of HTTP (H).
    Http,
    /// Redirects (D).
    Redirect,
    /// FTP (F).
    Ftp,
    /// Names and addresses (N).
    Dns,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 4] = [Self::Http, Self::Redirect, Self::Ftp, Self::Dns];

    /// Returns the letter of the ids.
    pub fn letter(self) -> char {
        match self {
            Self::Http => 'H',
            Self::Redirect => 'D',
            Self::Ftp => 'F',
            Self::Dns => 'N',
        }
    }
}

/// One row of the catalogue.
#[derive(Clone, Debug)]
pub struct Attack {
    /// The id, such as `H075`.
    pub id: &'static str,
    /// Layer of the entry.
    pub layer: Layer,
    /// A short description of the hostile property.
    pub what: String,
    /// The asks, in order, with one client.
    pub asks: Vec<Ask>,
    /// Claims in addition to the classes of the asks.
    pub claims: Vec<Claim>,
    pub(super) setup: Setup,
}

impl Attack {
    /// Returns an entry with an ask for [`HOST`] over http.
    pub(super) fn new(
        id: &'static str,
        what: impl Into<String>,
        setup: Setup,
        classes: Vec<Class>,
    ) -> Self {
        let layer = Layer::ALL.into_iter().find(|layer| id.starts_with(layer.letter()));
        Self {
            id,
            layer: layer.unwrap_or(Layer::Http),
            what: what.into(),
            asks: vec![Ask {
                url: format!("http://{HOST}/"),
                is_refetch: false,
                classes,
                elsewhere: Vec::new(),
            }],
            claims: Vec::new(),
            setup,
        }
    }

    /// Returns an entry whose host gives one answer on port 80 to every request.
    pub(super) fn http(
        id: &'static str,
        what: impl Into<String>,
        script: Script,
        classes: &[Class],
    ) -> Self {
        Self::new(id, what, Setup::web(HOST, Site::always(script)), classes.to_vec())
    }

    /// Replaces the URL.
    pub(super) fn asking(mut self, url: impl Into<String>) -> Self {
        self.asks[0].url = url.into();
        self
    }

    /// Adds an ask for another URL.
    pub(super) fn then(mut self, url: impl Into<String>, classes: &[Class]) -> Self {
        self.asks.push(Ask {
            url: url.into(),
            is_refetch: false,
            classes: classes.to_vec(),
            elsewhere: Vec::new(),
        });
        self
    }

    /// Adds a new fetch for the first URL.
    pub(super) fn again(self, classes: &[Class]) -> Self {
        let url = self.asks[0].url.clone();
        let mut entry = self.then(url, classes);
        if let Some(last) = entry.asks.last_mut() {
            last.is_refetch = true;
        }
        entry
    }

    /// Sets the class of the first ask in another profile, if it does not follow from the default
    /// class.
    pub(super) fn elsewhere(mut self, profile: &'static str, class: Class) -> Self {
        self.asks[0].elsewhere.push((profile, class));
        self
    }

    /// Sets the class of a 401 or 403 for the profiles that read it as a ban (REP-ACCESS-26,
    /// REP-ACCESS-28).
    pub(super) fn forbidden(self) -> Self {
        let profiles = ["koster1996", "book", "strict"];
        profiles.into_iter().fold(self, |entry, name| entry.elsewhere(name, Class::Unreachable))
    }

    /// Adds a claim.
    pub(super) fn claim(mut self, claim: Claim) -> Self {
        self.claims.push(claim);
        self
    }

    /// Returns the URL of the first ask.
    pub fn url(&self) -> &str {
        &self.asks[0].url
    }

    /// Starts the servers and names of this entry.
    ///
    /// # Errors
    ///
    /// See [`Setup::start`].
    pub async fn start(&self) -> io::Result<World> {
        self.setup.start().await
    }
}

/// Ids of a layer from `first` on, with three digits, for rows of a table.
pub(super) fn ids(letter: char, first: usize) -> impl Iterator<Item = &'static str> {
    ALL_IDS.get_or_init(make_ids)[&letter][first - 1..].iter().map(String::as_str)
}

static ALL_IDS: std::sync::OnceLock<std::collections::BTreeMap<char, Vec<String>>> =
    std::sync::OnceLock::new();

fn make_ids() -> std::collections::BTreeMap<char, Vec<String>> {
    const ROWS: usize = 215;
    Layer::ALL
        .into_iter()
        .map(Layer::letter)
        .map(|letter| (letter, (1..=ROWS).map(|row| format!("{letter}{row:03}")).collect()))
        .collect()
}

/// The body of a good answer.
pub(super) fn rules() -> Vec<u8> {
    RULES.to_vec()
}

/// A good answer.
pub(super) fn good() -> Script {
    ScriptedResponse::rules().script()
}

/// The classes of a refusal: by policy, or for another reason.
pub(super) const REFUSED: &[Class] = &[Class::Blocked, Class::Unreachable];

/// A host with a good answer, as destination of a redirect.
pub(super) fn good_web(host: &str) -> Setup {
    Setup::web(host, Site::always(good()))
}

/// A raw connection on port 80.
pub(super) fn raw(script: Script) -> Setup {
    Setup::new().host(HOST).place(80, Service::Raw(script))
}
