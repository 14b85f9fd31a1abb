//! All known crawlers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use verger::access::Timestamp;
use verger::{Crawler as Rules, ProductToken};

use crate::similar::{Names, Similar, is_slip};
use crate::{Crawler, Date, file, limits, words};

/// All known crawlers, with the date of the data.
#[derive(Clone, Debug)]
pub struct Registry {
    date: Date,
    /// The known crawlers, then the further ones.
    crawlers: Vec<Crawler>,
    /// Number of the known crawlers.
    known: usize,
    /// Positions by token and alias, in lower case.
    names: HashMap<String, usize>,
    /// Positions by product token of a User-Agent header, or alias, in lower case.
    headers: HashMap<String, Vec<usize>>,
    /// The names of the known crawlers, for similar ones.
    similar: Names,
}

/// The crawler of an agent, from [`Registry::resolve`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResolvedAgent<'r> {
    /// The crawler for checks of robots.txt.
    pub rules: Cow<'r, Rules>,
    /// The known crawler, if the agent is its token, or a header with this product token only.
    pub known: Option<&'r Crawler>,
}

impl Registry {
    /// The data of this release, read at the first call.
    pub fn bundled() -> &'static Self {
        static BUNDLED: LazyLock<Registry> = LazyLock::new(|| {
            Registry::read(include_str!("../crawlers.toml"), include_str!("../names.csv"))
                .expect("tests read the bundled files")
        });
        &BUNDLED
    }

    /// # Errors
    ///
    /// A text is not a data file, or a name is used twice, in any case of its letters.
    pub(crate) fn read(text: &str, names: &str) -> Result<Self, String> {
        let (date, mut crawlers, further) = file::read(text, names)?;
        let known = crawlers.len();
        crawlers.extend(further);
        let mut names = HashMap::new();
        let mut headers: HashMap<_, Vec<_>> = HashMap::new();
        for (at, crawler) in crawlers.iter().enumerate() {
            for name in core::iter::once(&crawler.token).chain(&crawler.aliases) {
                if names.insert(name.to_ascii_lowercase(), at).is_some() {
                    return Err(format!("expected unique names, but found `{name}` twice"));
                }
            }
            for word in crawler.user_agents.iter().chain(&crawler.aliases) {
                headers.entry(word.to_ascii_lowercase()).or_default().push(at);
            }
        }
        let similar = Names::of(&crawlers[..known]);
        Ok(Self { date, crawlers, known, names, headers, similar })
    }

    /// The known crawlers, sorted by token without regard to case.
    pub fn crawlers(&self) -> &[Crawler] {
        &self.crawlers[..self.known]
    }

    /// Further crawlers, libraries and tools that are frequent in logs, sorted by token without
    /// regard to case. Only their names, operators and purposes are known.
    ///
    /// Only [`identify`](Self::identify) finds them.
    ///
    /// # Examples
    ///
    /// ```
    /// let registry = verger_registry::Registry::bundled();
    /// assert!(registry.further_crawlers().iter().any(|it| it.token() == "HetrixTools"));
    /// assert!(registry.find("HetrixTools").is_none());
    /// ```
    pub fn further_crawlers(&self) -> &[Crawler] {
        &self.crawlers[self.known..]
    }

    /// The known crawler with this product token or alias; ASCII case does not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let registry = Registry::bundled();
    /// let token = |name| registry.find(name).map(|crawler| crawler.token());
    /// assert_eq!(token("claudebot"), Some("ClaudeBot"));
    /// assert_eq!(token("NaverBot"), Some("Yeti"));
    /// // Headers are for `identify`.
    /// assert_eq!(token("ClaudeBot/1.0"), None);
    /// ```
    pub fn find(&self, name: &str) -> Option<&Crawler> {
        self.names.get(&name.to_ascii_lowercase()).and_then(|&at| self.crawlers().get(at))
    }

    /// The crawler with this token. Aliases do not count, because a group for an alias does not
    /// name the crawler.
    pub fn with_token(&self, token: &str) -> Option<&Crawler> {
        self.find(token).filter(|found| found.token().eq_ignore_ascii_case(token))
    }

    /// Whether a known crawler has this name or fallback: groups for it are meant for this crawler.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let registry = Registry::bundled();
    /// assert!(registry.is_known("gptbot") && registry.is_known("Yandex"));
    /// assert!(!registry.is_known("ChatGPT"));
    /// ```
    pub fn is_known(&self, name: &str) -> bool {
        let is_it = |token: &String| token.eq_ignore_ascii_case(name);
        self.find(name).is_some() || self.crawlers().iter().any(|it| it.tokens.iter().any(is_it))
    }

    /// The name that an unknown name probably means, for a question: a known crawler or one of
    /// `others`. `None` for a name that [is known](Self::is_known) or one of `others`.
    ///
    /// - The same letters and digits with other separators or a version: `Googlebot-2.1`.
    /// - One slip of the keyboard: a letter too many or too few, another letter, or two neighbours
    ///   in the other order. Short names of crawlers have too many neighbours for some slips.
    /// - The name of a product, or a `bot` too many or too few: `ChatGPT`, `Bing`.
    ///
    /// # Complexity
    ///
    /// The number of names times the length of the shorter ones.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let registry = Registry::bundled();
    /// let similar = |name| registry.similar(name, ["OwnBot"]).map(|it| it.name);
    /// assert_eq!(similar("gogglebot"), Some("Googlebot"));
    /// assert_eq!(similar("ChatGPT"), Some("GPTBot"));
    /// assert_eq!(similar("OwnBto"), Some("OwnBot"));
    /// assert_eq!(similar("GPTBot"), None);
    /// ```
    pub fn similar<'n>(
        &'n self,
        name: &str,
        others: impl IntoIterator<Item = &'n str>,
    ) -> Option<Similar<'n>> {
        let others: Vec<&str> = others.into_iter().collect();
        if self.is_known(name) || others.iter().any(|it| it.eq_ignore_ascii_case(name)) {
            return None;
        }
        let crawler = |at: usize| self.crawlers[at].token();
        let spelling = self.similar.spelling(name, self.crawlers()).map(crawler);
        let other = || others.into_iter().find(|it| is_slip(it.as_bytes(), name.as_bytes()));
        if let Some(name) = spelling.or_else(other) {
            return Some(Similar { name, is_product: false });
        }
        let product = self.similar.product(name).map(crawler);
        product.map(|name| Similar { name, is_product: true })
    }

    /// Returns the crawler that an agent names: one answer for one name, in every program and
    /// binding.
    ///
    /// - The token of a known crawler is that crawler, with its documented fallbacks and special
    ///   rules (REP-AGENT-31).
    /// - Any other product token is compared literally.
    /// - A User-Agent header is replaced by its product tokens if the dialect
    ///   [`reads_headers`](verger::Dialect::reads_headers) (REP-AMB-13). A header with one product
    ///   token is answered as this token. With several, the fallbacks of known crawlers follow all
    ///   of them, and special rules do not count, because they could allow another product too
    ///   much.
    ///
    /// # Complexity
    ///
    /// Linear in the text.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let tokens = |agent| -> Vec<String> {
    ///     let rules = Registry::bundled().resolve(agent, true).rules;
    ///     rules.tokens().iter().map(ToString::to_string).collect()
    /// };
    /// assert_eq!(tokens("ExampleBot"), ["ExampleBot"]);
    /// assert_eq!(tokens("googlebot-image"), ["Googlebot-Image", "Googlebot"]);
    /// assert_eq!(tokens("Googlebot-Image/1.0"), ["Googlebot-Image", "Googlebot"]);
    /// assert_eq!(tokens("MyBot/1.0 (like Applebot)"), ["Applebot", "MyBot", "Googlebot"]);
    /// assert_eq!(tokens("NaverBot"), ["NaverBot"], "an alias of Yeti");
    ///
    /// let known = |agent| Some(Registry::bundled().resolve(agent, true).known?.token());
    /// assert_eq!(known("gptbot"), Some("GPTBot"));
    /// assert_eq!(known("Mozilla/5.0 (compatible; GPTBot/1.2)"), Some("GPTBot"));
    /// assert_eq!(known("MyBot/1.0 (like GPTBot)"), None);
    /// ```
    pub fn resolve(&self, agent: &str, reads_headers: bool) -> ResolvedAgent<'_> {
        let of_token = |token: &str| match self.with_token(token) {
            Some(known) => {
                ResolvedAgent { rules: Cow::Borrowed(known.rules()), known: Some(known) }
            }
            None => ResolvedAgent { rules: Cow::Owned(Rules::new(token)), known: None },
        };
        if !reads_headers || self.with_token(agent).is_some() {
            return of_token(agent);
        }
        let read = Rules::from_user_agent(agent);
        match read.as_ref().map_or(&[][..], Rules::tokens) {
            [] => of_token(agent),
            [word] => of_token(word.as_str()),
            words => {
                let mut tokens: Vec<&str> = words.iter().map(ProductToken::as_str).collect();
                let known = words.iter().filter_map(|word| self.with_token(word.as_str()));
                for fallback in known.flat_map(|known| known.tokens().iter().skip(1)) {
                    if !tokens.iter().any(|token| token.eq_ignore_ascii_case(fallback)) {
                        tokens.push(fallback);
                    }
                }
                ResolvedAgent { rules: Cow::Owned(Rules::chain(tokens)), known: None }
            }
        }
    }

    /// The crawlers that a User-Agent header names, in the order of its words: the known ones
    /// first, then the [further](Self::further_crawlers) ones.
    ///
    /// The words are the product tokens that the engine reads from the header
    /// ([`verger::Crawler::from_user_agent`], REP-AMB-13): words in comments come before the
    /// others, and URLs are not read. Aliases count, because logs can be old. Only whole words
    /// count, in any ASCII case: the header of `Googlebot-Image` does not name `Googlebot`.
    /// Libraries and tools that anyone can run count only if the header names nothing else.
    ///
    /// A name that browsers have as a word ([`words`]) counts only where they have none.
    ///
    /// A header is a claim, and anybody can send it. Some headers name several crawlers: messengers
    /// imitate others to get their previews.
    ///
    /// # Complexity
    ///
    /// Linear in the header.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::Registry;
    ///
    /// let registry = Registry::bundled();
    /// let tokens = |header| -> Vec<&str> {
    ///     registry.identify(header).map(|crawler| crawler.token()).collect()
    /// };
    /// assert_eq!(tokens("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"), ["GPTBot"]);
    /// assert_eq!(tokens("TelegramBot (like TwitterBot)"), ["Twitterbot", "TelegramBot"]);
    /// assert_eq!(tokens("NaverBot/1.0"), ["Yeti"]);
    /// assert_eq!(tokens("W3C-checklink/4.81 libwww-perl/6.05"), ["W3C-checklink"]);
    /// assert_eq!(tokens("libwww-perl/6.05"), ["libwww-perl"]);
    /// assert!(tokens("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0").is_empty());
    /// // Somebody reads in the app.
    /// assert!(tokens("Mozilla/5.0 (iPhone) Mobile/15E148 [Pinterest/iOS]").is_empty());
    /// // A page about a crawler is not the crawler.
    /// assert!(tokens("ExampleBot/1.0 (+https://example.com/not-GPTBot)").is_empty());
    /// ```
    pub fn identify(&self, user_agent: &str) -> impl Iterator<Item = &Crawler> + use<'_> {
        // A text without a space is read as a product token; `GPTBot)1.0` is a header.
        let read = Rules::from_user_agent(&format!("{user_agent} "));
        let mut found = Vec::new();
        for word in read.iter().flat_map(Rules::tokens) {
            let word = word.as_str();
            let named = self.headers.get(&word.to_ascii_lowercase());
            if named.is_some() && !words::names_crawler(user_agent, word, true) {
                continue;
            }
            for &at in named.into_iter().flatten() {
                if !found.contains(&at) {
                    found.push(at);
                }
            }
        }
        let is_library = |at: &usize| self.crawlers[*at].is_library();
        if !found.iter().all(is_library) {
            found.retain(|at| !is_library(at));
        }
        found.sort_by_key(|at| *at >= self.known);
        found.into_iter().map(|at| &self.crawlers[at])
    }

    /// The day on which the data was last compared with its sources.
    pub const fn date(&self) -> Date {
        self.date
    }

    /// Whether the data is older than [`limits::MAX_AGE`]. New crawlers are probably missing then.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_registry::{Registry, limits};
    ///
    /// let registry = Registry::bundled();
    /// let end = registry.date().start().after(limits::MAX_AGE);
    /// assert!(!registry.is_outdated(end));
    /// assert!(registry.is_outdated(end.after(std::time::Duration::from_secs(1))));
    /// ```
    pub fn is_outdated(&self, now: Timestamp) -> bool {
        now.since(self.date.start()) > limits::MAX_AGE
    }
}
