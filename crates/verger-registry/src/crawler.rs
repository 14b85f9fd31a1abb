//! A known crawler.

use core::fmt;

use verger::Crawler as Rules;
use verger::access::Profile;

use crate::{Date, FactSource};

/// A known crawler, according to its operator or to public lists.
///
/// # Examples
///
/// ```
/// use verger::Robots;
/// use verger_registry::Registry;
///
/// let crawler = Registry::bundled().find("YandexImages").expect("a known crawler");
/// assert_eq!(crawler.tokens(), ["YandexImages", "Yandex"]);
///
/// let robots = Robots::parse("User-agent: Yandex\nDisallow: /cart\n");
/// assert!(!robots.is_allowed(crawler.rules(), "https://shop.example/cart"));
/// ```
#[derive(Clone, Debug)]
pub struct Crawler {
    pub(crate) token: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) products: Vec<String>,
    pub(crate) user_agents: Vec<String>,
    pub(crate) operator: Option<String>,
    pub(crate) purpose: Purpose,
    pub(crate) robots: RobotsPolicy,
    pub(crate) tokens: Vec<String>,
    pub(crate) has_documented_tokens: bool,
    pub(crate) falls_back_to_star: bool,
    /// [`Crawler::tokens`] and `falls_back_to_star` in the form of the engine.
    pub(crate) rules: Rules,
    pub(crate) access_profile: Option<Profile>,
    pub(crate) is_name_only: bool,
    pub(crate) reverse_dns: Vec<String>,
    pub(crate) ip_ranges: Vec<String>,
    pub(crate) signature_agent: Option<String>,
    pub(crate) retired: Option<Date>,
    pub(crate) documentation: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) unconfirmed: Vec<Field>,
    pub(crate) source: FactSource,
    pub(crate) sources: Vec<(Field, FactSource)>,
}

impl Crawler {
    /// The product token: its name in robots.txt files.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Other product tokens of the same crawler, such as a family's name or an earlier one.
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// Names of products that authors write in place of the token: `Gemini` for `Google-Extended`.
    /// The crawler obeys no group for them.
    pub fn products(&self) -> &[String] {
        &self.products
    }

    /// Product tokens in its User-Agent headers. Empty if no header has one, as for a control
    /// token.
    pub fn user_agents(&self) -> &[String] {
        &self.user_agents
    }

    /// The company or project that runs it. `None` if the operator is unknown, or if the crawler is
    /// software that anyone can run.
    pub fn operator(&self) -> Option<&str> {
        self.operator.as_deref()
    }

    /// The use of the pages that it fetches.
    pub const fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Whether only its name, its operator, its purpose, its page and its end are known
    /// ([`Registry::further_crawlers`](crate::Registry::further_crawlers)). The data says nothing
    /// about its use of robots.txt.
    pub const fn is_name_only(&self) -> bool {
        self.is_name_only
    }

    /// Whether it is a library or a tool that anyone can run. Headers of crawlers that are built
    /// with it can have its name, too.
    pub fn is_library(&self) -> bool {
        self.operator.is_none() && self.purpose == Purpose::Other
    }

    /// The operator's statement about robots.txt.
    pub const fn robots_policy(&self) -> RobotsPolicy {
        self.robots
    }

    /// The product tokens that it obeys, most specific first: the first one that a group names
    /// decides (REP-AGENT-31). Empty if it does not apply robots.txt.
    ///
    /// Without documented fallbacks, this is its token alone, as in RFC 9309.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Whether the operator documents [`tokens`](Self::tokens) and
    /// [`falls_back_to_star`](Self::falls_back_to_star). Otherwise they are those of RFC 9309.
    pub const fn has_documented_tokens(&self) -> bool {
        self.has_documented_tokens
    }

    /// Whether it obeys the groups for `*` if no group names one of its tokens.
    pub const fn falls_back_to_star(&self) -> bool {
        self.falls_back_to_star
    }

    /// The crawler with its fallbacks, for checks of robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let registry = Registry::bundled();
    /// let rules = |token| registry.find(token).map(|crawler| crawler.rules());
    /// assert_eq!(rules("bingbot"), Some(&verger::Crawler::chain(["bingbot", "msnbot"])));
    /// assert!(rules("AdsBot-Google").is_some_and(|crawler| crawler.ignores_star()));
    /// assert!(rules("Google-Safety").is_some_and(|crawler| crawler.ignores_robots()));
    /// ```
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Its reading of failed fetches of robots.txt, as its operator documents it; otherwise that of
    /// RFC 9309.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::Profile;
    /// use verger_registry::Registry;
    ///
    /// let profile = |token| Registry::bundled().find(token).map(|it| it.access_profile());
    /// assert_eq!(profile("Googlebot"), Some(Profile::GOOGLE));
    /// assert_eq!(profile("GPTBot"), Some(Profile::RFC9309));
    /// ```
    pub fn access_profile(&self) -> Profile {
        self.access_profile.unwrap_or_default()
    }

    /// A reason why its answer may not be what it seems: it fetches nothing itself, does not
    /// promise to obey robots.txt, or has an unconfirmed fallback. A phrase in lower case, without
    /// a full stop.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let caveat = |token| Registry::bundled().find(token)?.caveat();
    /// assert_eq!(caveat("Google-Safety").as_deref(), Some("it does not follow robots.txt"));
    /// assert_eq!(caveat("Googlebot"), None);
    /// ```
    pub fn caveat(&self) -> Option<String> {
        let fallback = || {
            let [_, fallback, ..] = &self.tokens[..] else { return None };
            self.is_unconfirmed(Field::Chain)
                .then(|| format!("no source confirms its fallback to {fallback}"))
        };
        let text = match self.robots {
            _ if self.purpose == Purpose::ControlToken => {
                "a control token: it crawls nothing itself, it says what the pages that other \
                 crawlers fetch may be used for"
            }
            _ if self.rules.ignores_robots() => "it does not follow robots.txt",
            RobotsPolicy::Ignores => "it may ignore robots.txt",
            RobotsPolicy::Unstated => "no known statement promises that it obeys robots.txt",
            RobotsPolicy::Obeys => return fallback(),
        };
        Some(text.to_owned())
    }

    /// Its documented behaviour beyond groups for its own token: further tokens, or no use of
    /// groups for `*`. A phrase in lower case, without a full stop. `None` if it ignores
    /// robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let fallback = |token| Registry::bundled().find(token)?.fallback();
    /// assert_eq!(fallback("Applebot").as_deref(), Some("obeys a group for `Googlebot` if it has none of its own"));
    /// assert_eq!(fallback("AdsBot-Google").as_deref(), Some("obeys no group for `*`"));
    /// assert_eq!(fallback("GPTBot"), None);
    /// ```
    pub fn fallback(&self) -> Option<String> {
        let others: Vec<_> = self.tokens.iter().skip(1).map(|it| format!("`{it}`")).collect();
        if others.is_empty() {
            let obeys_no_star = self.rules.ignores_star() && !self.rules.ignores_robots();
            return obeys_no_star.then(|| "obeys no group for `*`".to_owned());
        }
        Some(format!("obeys a group for {} if it has none of its own", others.join(" or ")))
    }

    /// Domains of its host names: a genuine request comes from an address whose reverse DNS name is
    /// below one of them, and that name leads back to the address.
    pub fn reverse_dns(&self) -> &[String] {
        &self.reverse_dns
    }

    /// URLs of its operator's lists of addresses.
    pub fn ip_ranges(&self) -> &[String] {
        &self.ip_ranges
    }

    /// The value of `Signature-Agent` in signed requests: the origin with its public keys (Web Bot
    /// Auth, RFC 9421).
    pub fn signature_agent(&self) -> Option<&str> {
        self.signature_agent.as_deref()
    }

    /// The date since which its operator does not use the token any more.
    pub const fn retired(&self) -> Option<Date> {
        self.retired
    }

    /// The operator's page about the crawler. With a [name only](Self::is_name_only), it can be the
    /// page of the operator or of the software.
    pub fn documentation(&self) -> Option<&str> {
        self.documentation.as_deref()
    }

    /// Further information: a phrase in lower case, without a full stop.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The source of this row of the data.
    pub const fn source(&self) -> &FactSource {
        &self.source
    }

    /// The source of one field; `None` if the field is unknown.
    pub fn source_of(&self, field: Field) -> Option<&FactSource> {
        let own = self.sources.iter().find(|(of, _)| *of == field).map(|(_, source)| source);
        self.has(field).then(|| own.unwrap_or(&self.source))
    }

    /// Whether no text of the operator was found for a field.
    pub fn is_unconfirmed(&self, field: Field) -> bool {
        self.unconfirmed.contains(&field)
    }

    /// Whether a field is known.
    pub(crate) fn has(&self, field: Field) -> bool {
        match field {
            Field::Aliases => !self.aliases.is_empty(),
            Field::UserAgents | Field::Purpose => true,
            Field::Robots => !self.is_name_only,
            Field::Operator => self.operator.is_some(),
            Field::Chain => self.has_documented_tokens,
            Field::AccessProfile => self.access_profile.is_some(),
            Field::ReverseDns => !self.reverse_dns.is_empty(),
            Field::IpRanges => !self.ip_ranges.is_empty(),
            Field::SignatureAgent => self.signature_agent.is_some(),
            Field::Retired => self.retired.is_some(),
            Field::Documentation => self.documentation.is_some(),
        }
    }
}

/// Declares values and their names in the data file.
macro_rules! named {
    ($(#[$meta:meta])* $type:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)* }) => {
        $(#[$meta])*
        ///
        /// [`Display`](fmt::Display) writes its [`name`](Self::name).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$doc])* $value,)*
        }

        impl $type {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$value,)*];

            /// The name in the data file.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }

            /// The value with this name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

named! {
    /// The use of the pages that a crawler fetches.
    Purpose {
        /// The index of a search engine or of an assistant that cites pages.
        Search = "search",
        /// Training of models.
        Training = "training",
        /// One page at the request of a person, by an assistant or a tool.
        UserTriggered = "user-triggered",
        /// Previews of links in messages and posts.
        Preview = "preview",
        /// Preservation of the web.
        Archive = "archive",
        /// Link graphs and audits for search engine optimisation.
        Seo = "seo",
        /// Data sets for others: sold, published or part of a service. Uses can include training.
        Dataset = "dataset",
        /// Ads: their landing pages, and the topics of pages that show them.
        Advertising = "advertising",
        /// Availability and quality of a site, mostly at its owner's request.
        Monitoring = "monitoring",
        /// Nothing is fetched: the token controls the use of pages that another crawler fetches.
        ControlToken = "control-token",
        /// Anything else.
        Other = "other",
    }
}

named! {
    /// An operator's statement about robots.txt. It is a claim; crawlers can behave differently.
    RobotsPolicy {
        /// The crawler obeys robots.txt, or at least the groups that name it.
        Obeys = "yes",
        /// The crawler does not apply robots.txt, or may ignore it.
        Ignores = "no",
        /// No statement is known, or sources contradict each other.
        Unstated = "unstated",
    }
}

named! {
    /// A field with its own source.
    Field {
        /// [`Crawler::aliases`].
        Aliases = "aliases",
        /// [`Crawler::user_agents`].
        UserAgents = "user-agents",
        /// [`Crawler::operator`].
        Operator = "operator",
        /// [`Crawler::purpose`].
        Purpose = "purpose",
        /// [`Crawler::robots_policy`].
        Robots = "robots",
        /// [`Crawler::tokens`] and [`Crawler::falls_back_to_star`].
        Chain = "chain",
        /// [`Crawler::reverse_dns`].
        ReverseDns = "reverse-dns",
        /// [`Crawler::ip_ranges`].
        IpRanges = "ip-ranges",
        /// [`Crawler::signature_agent`].
        SignatureAgent = "signature-agent",
        /// [`Crawler::retired`].
        Retired = "retired",
        /// [`Crawler::documentation`].
        Documentation = "documentation",
        /// [`Crawler::access_profile`].
        AccessProfile = "access-profile",
    }
}
