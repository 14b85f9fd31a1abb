//! The hostile catalogue of HTTP, redirects, FTP and DNS: setups, asks and expected outcomes.
//!
//! Flow: [`entries`] returns the [`Entry`]s. A test of a client starts the world of each entry,
//! makes its asks, and passes the answers to the judge:
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use verger_testkit::server::World;
//! use verger_testkit::server::catalogue::{Ask, Class, Observed, entries};
//!
//! // A client that reaches nobody, which is right where the name does not exist.
//! async fn check(_world: &World, _ask: &Ask) -> Observed {
//!     Observed::new(Class::Unreachable)
//! }
//!
//! for entry in entries().into_iter().filter(|entry| entry.id == "N078") {
//!     let world = entry.start().await?;
//!     let mut observed = Vec::new();
//!     for ask in &entry.asks {
//!         observed.push(check(&world, ask).await);
//!     }
//!     assert_eq!(entry.judge(&world, &observed), Vec::<String>::new());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Scope: the rows H001 to H215, D001 to D155, F001 to F135 and N001 to N120, except [`LEFT_OUT`].
//! The claims apply to the default access profile and the default limits for sizes and counts.
//! Timeouts may be as short as some hundred milliseconds. FTP is enabled, also by policy.

mod dns_addresses;
mod dns_answers;
mod expect;
mod ftp_greetings;
mod ftp_passive;
mod ftp_replies;
mod ftp_transfer;
mod http_body;
mod http_coding;
mod http_fields;
mod http_framing;
mod http_head;
mod http_protocol;
mod http_status;
mod http_times;
mod http_tls;
mod http_two;
mod http_unusual;
mod judge;
mod left_out;
mod reading;
mod redirect_count;
mod redirect_location;
mod redirect_odd;
mod redirect_private;
mod tls_records;

use std::io;

pub use expect::{Ask, Claim, Class, Flag, Observed, Retry};
pub use left_out::LEFT_OUT;

use super::{Answer, RULES, Script, Service, Setup, Site, World};

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
pub struct Entry {
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
    setup: Setup,
}

impl Entry {
    /// Returns an entry with an ask for [`HOST`] over http.
    fn new(id: &'static str, what: impl Into<String>, setup: Setup, classes: Vec<Class>) -> Self {
        let layer = Layer::ALL.into_iter().find(|layer| id.starts_with(layer.letter()));
        Self {
            id,
            layer: layer.unwrap_or(Layer::Http),
            what: what.into(),
            asks: vec![Ask {
                url: format!("http://{HOST}/"),
                is_afresh: false,
                classes,
                elsewhere: Vec::new(),
            }],
            claims: Vec::new(),
            setup,
        }
    }

    /// Returns an entry whose host gives one answer on port 80 to every request.
    fn http(id: &'static str, what: impl Into<String>, script: Script, classes: &[Class]) -> Self {
        Self::new(id, what, Setup::web(HOST, Site::always(script)), classes.to_vec())
    }

    /// Replaces the URL.
    fn asking(mut self, url: impl Into<String>) -> Self {
        self.asks[0].url = url.into();
        self
    }

    /// Adds an ask for another URL.
    fn then(mut self, url: impl Into<String>, classes: &[Class]) -> Self {
        self.asks.push(Ask {
            url: url.into(),
            is_afresh: false,
            classes: classes.to_vec(),
            elsewhere: Vec::new(),
        });
        self
    }

    /// Adds a new fetch for the first URL.
    fn again(self, classes: &[Class]) -> Self {
        let url = self.asks[0].url.clone();
        let mut entry = self.then(url, classes);
        if let Some(last) = entry.asks.last_mut() {
            last.is_afresh = true;
        }
        entry
    }

    /// Sets the class of the first ask in another profile, if it does not follow from the default
    /// class.
    fn elsewhere(mut self, profile: &'static str, class: Class) -> Self {
        self.asks[0].elsewhere.push((profile, class));
        self
    }

    /// Sets the class of a 401 or 403 for the profiles that read it as a ban (REP-ACCESS-26,
    /// REP-ACCESS-28).
    fn forbidden(self) -> Self {
        let profiles = ["koster1996", "book", "strict"];
        profiles.into_iter().fold(self, |entry, name| entry.elsewhere(name, Class::Unreachable))
    }

    /// Adds a claim.
    fn claim(mut self, claim: Claim) -> Self {
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

    /// Returns the problems of the answers, one answer for each ask in order, and of the requests
    /// in the world's record.
    ///
    /// In addition to the classes and claims, it always checks these: no dial to an address without
    /// a service; at most six requests for an ask, all GET, without Cookie, Authorization or
    /// Referer; a body only with rules, and at most 512,000 bytes of it; displayed texts escaped;
    /// at most twice the deadline. For FTP: an anonymous login, reading commands, RETR only of
    /// `robots.txt`.
    pub fn judge(&self, world: &World, observed: &[Observed]) -> Vec<String> {
        judge::judge(self, None, &world.record(), observed)
    }

    /// The same in another access profile, by its name in `docs/access.md`.
    pub fn judge_in(&self, profile: &str, world: &World, observed: &[Observed]) -> Vec<String> {
        judge::judge(self, Some(profile), &world.record(), observed)
    }
}

/// Returns all entries, in the order of layers and ids.
pub fn entries() -> Vec<Entry> {
    let mut all = [
        http_body::entries(),
        http_tls::entries(),
        http_head::entries(),
        http_framing::entries(),
        http_protocol::entries(),
        http_coding::entries(),
        http_status::entries(),
        http_times::entries(),
        http_fields::entries(),
        http_two::entries(),
        http_unusual::entries(),
        redirect_count::entries(),
        redirect_location::entries(),
        redirect_private::entries(),
        redirect_odd::entries(),
        ftp_greetings::entries(),
        ftp_replies::entries(),
        ftp_passive::entries(),
        ftp_transfer::entries(),
        dns_addresses::entries(),
        dns_answers::entries(),
    ]
    .concat();
    all.sort_by_key(|entry| (entry.layer as u8, entry.id));
    all
}

/// Ids of a layer from `first` on, with three digits, for rows of a table.
fn ids(letter: char, first: usize) -> impl Iterator<Item = &'static str> {
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
fn rules() -> Vec<u8> {
    RULES.to_vec()
}

/// A good answer.
fn good() -> Script {
    Answer::rules().script()
}

/// The classes of a refusal: by policy, or for another reason.
const REFUSED: &[Class] = &[Class::Blocked, Class::Unreachable];

/// A host with a good answer, as destination of a redirect.
fn good_web(host: &str) -> Setup {
    Setup::web(host, Site::always(good()))
}

/// A raw connection on port 80.
fn raw(script: Script) -> Setup {
    Setup::new().host(HOST).place(80, Service::Raw(script))
}
