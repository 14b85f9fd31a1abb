//! The plan: which requests are those of a crawler, and the rules that apply to them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use verger::access::Timestamp;
use verger::dialect::NormalForm;
use verger::{AsCrawler, Crawler as Rules, Robots, quoted};
use verger_identity::Lists;
use verger_identity::ipnet::IpNet;
use verger_registry::{Crawler, Purpose, Registry, words};

use crate::glob::Form;
use crate::limits::{NAME_BYTES, NOTED_NAMES};
use crate::request::Request;
use crate::rules::RuleList;

/// The choices of an owner.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers choose with struct update syntax")]
pub struct Options {
    /// Enforce the rules for known crawlers with these purposes only.
    pub purposes: Vec<Purpose>,
    /// Enforce the rules for these crawlers only, or for them and those of `purposes`: names of
    /// known crawlers, or product tokens.
    pub agents: Vec<String>,
    /// Apply the rules for `*` to every request that names no crawler, also to those of browsers.
    pub star_for_all: bool,
    /// Treat requests from addresses that the operator of the crawler does not publish in this way.
    /// `None` believes the User-Agent header.
    pub verified: Option<Unproved>,
}

/// The rules for a request that names a crawler, but is not from an address of its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unproved {
    /// Refused.
    Refuse,
    /// The rules for `*`.
    Star,
}

impl Unproved {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Star => "star",
        }
    }
}

/// The intermediate form: crawlers with their names and rules.
///
/// # Examples
///
/// ```
/// use verger::{Robots, access::Timestamp};
/// use verger_enforce::{Options, Plan};
/// use verger_identity::Lists;
///
/// let robots = Robots::parse("User-agent: GPTBot\nDisallow: /\nAllow: /press/\n");
/// let plan = Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH)?;
/// let refuses = |header, target| plan.refuses(header, target);
/// assert!(refuses("Mozilla/5.0 (compatible; GPTBot/1.2)", "/shop"));
/// assert!(refuses("GPTBot/1.2", "/press/%2e%2e/shop"));
/// assert!(!refuses("GPTBot/1.2", "/press/1"));
/// assert!(!refuses("GPTBot/1.2", "/robots.txt"));
/// assert!(!refuses("NotGPTBot/1.2", "/shop"));
/// # Ok::<(), verger_enforce::PlanError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    /// Different lists of rules, none of them empty.
    pub(crate) lists: Vec<RuleList>,
    /// Those with rules, or whose name counts.
    pub(crate) crawlers: Vec<Enforced>,
    /// Those that may fetch everything.
    pub(crate) free: Vec<Enforced>,
    /// The list of the rules for `*`, if one of the next two fields needs it.
    pub(crate) star: Option<usize>,
    /// Whether it applies to all requests that name no crawler.
    pub(crate) star_for_all: bool,
    /// The treatment of requests that are not from an address of their crawler.
    pub(crate) unproved: Option<Unproved>,
    /// The time of the oldest list of addresses in use.
    addresses_date: Option<Timestamp>,
    notes: Vec<String>,
}

/// A name, the known crawler, and its rules for the engine.
type Chosen<'k> = (String, Option<&'k Crawler>, Rules);

/// A crawler whose rules are enforced.
#[derive(Clone, Debug)]
pub(crate) struct Enforced {
    pub(crate) name: String,
    /// Its words in User-Agent headers, at least one.
    pub(crate) words: Vec<Word>,
    pub(crate) rules: Rules,
    /// `None` if no rule disallows anything.
    pub(crate) list: Option<usize>,
    /// The addresses of its operator; `None` if every address counts.
    pub(crate) addresses: Option<Vec<IpNet>>,
}

/// A word in User-Agent headers, not empty.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Whether browsers can have it, too. Then it counts only at the start of a header, after
    /// [`words::BEFORE_NAME`], and before a URL: browsers have no word there.
    pub(crate) is_ordinary: bool,
}

/// A name of [`Options::agents`], a purpose or the dialect cannot be enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanError {
    /// The name of a crawler, of a purpose or of the dialect.
    pub name: String,
    /// The reason, as a phrase in lower case without a full stop.
    pub reason: &'static str,
}

impl core::fmt::Display for PlanError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", quoted(&self.name), self.reason)
    }
}

impl core::error::Error for PlanError {}

impl Plan {
    /// The plan for a robots.txt. Of the lists of addresses, those that are valid at a time are
    /// used.
    ///
    /// # Errors
    ///
    /// A name, a purpose or the dialect cannot be enforced.
    pub fn of(
        robots: &Robots,
        options: &Options,
        addresses: &Lists,
        now: Timestamp,
    ) -> Result<Self, PlanError> {
        let dialect = robots.dialect();
        if dialect.normal_form != NormalForm::Rfc9309 {
            let reason =
                "this dialect compares escapes in a way that rules of servers cannot express";
            return Err(PlanError { name: dialect.to_string(), reason });
        }
        let mut builder = Builder { robots, lists: Vec::new(), found: BTreeMap::new() };
        let mut plan = Self {
            lists: Vec::new(),
            crawlers: Vec::new(),
            free: Vec::new(),
            star: None,
            star_for_all: options.star_for_all,
            unproved: options.verified,
            addresses_date: None,
            notes: Vec::new(),
        };
        let (mut unpublished, mut without_copy, mut ordinary) =
            (Vec::new(), Vec::new(), Vec::new());
        for (name, known, rules) in plan.chosen(robots, options)? {
            let texts = known.map_or_else(|| vec![name.clone()], user_agents);
            let words: Vec<_> = texts.into_iter().map(|it| Word::new(it, known)).collect();
            if known.is_none() && words[0].is_ordinary {
                ordinary.push(quoted(&name));
            }
            let list = builder.list(&rules);
            let addresses = options.verified.and(known).and_then(|known| {
                let (mut all, oldest) = addresses.prefixes_of(known, now)?;
                plan.addresses_date = plan.addresses_date.into_iter().chain([oldest]).min();
                if all.is_empty() {
                    all.push(NOBODY);
                }
                Some(all)
            });
            if options.verified.is_some() && addresses.is_none() {
                let is_published = known.is_some_and(|it| !it.ip_ranges().is_empty());
                let names = if is_published { &mut without_copy } else { &mut unpublished };
                names.push(quoted(&name));
            }
            plan.crawlers.push(Enforced { name, words, rules, list, addresses });
        }
        plan.note("no addresses are published, so headers are believed", &unpublished);
        plan.note(
            "there is no copy of the published addresses, so headers are believed",
            &without_copy,
        );
        plan.note(
            "browsers can have these words, so they count only at the start of a header, after \
             `compatible; ` or before a URL",
            &ordinary,
        );
        if plan.star_for_all || plan.unproved == Some(Unproved::Star) {
            plan.star = builder.list(&Rules::chain::<&str>([]));
        }
        // Of a crawler without rules, only the name counts, against the rules for others.
        (plan.crawlers, plan.free) = plan
            .crawlers
            .into_iter()
            .partition(|it| plan.star_for_all || it.list.is_some() || it.addresses.is_some());
        plan.lists = builder.lists;
        // One comparison for all crawlers with the same rules.
        plan.crawlers.sort_by(|a, b| (a.list, &a.addresses).cmp(&(b.list, &b.addresses)));
        Ok(plan)
    }

    /// The crawlers of the options, or all known ones and those that the file names.
    fn chosen<'k>(
        &mut self,
        robots: &Robots,
        options: &Options,
    ) -> Result<Vec<Chosen<'k>>, PlanError> {
        let registry: &'static Registry = Registry::bundled();
        let is_filtered = !options.purposes.is_empty() || !options.agents.is_empty();
        let mut chosen: BTreeMap<String, (String, Option<&'k Crawler>)> = BTreeMap::new();
        let add = |chosen: &mut BTreeMap<_, _>, name: &str, known| {
            chosen.entry(name.to_ascii_lowercase()).or_insert_with(|| (name.to_owned(), known));
        };
        for known in registry.crawlers() {
            let is_wanted = options.purposes.contains(&known.purpose());
            if (is_wanted || !is_filtered) && !user_agents(known).is_empty() && !known.is_library()
            {
                add(&mut chosen, known.token(), Some(known));
            }
        }
        for name in &options.agents {
            let known = registry.find(name);
            if let Some(reason) = problem_of(name, known) {
                return Err(PlanError { name: name.clone(), reason });
            }
            add(&mut chosen, known.map_or(name, |known| known.token()), known);
        }
        if let Some(purpose) = options.purposes.first().filter(|_| chosen.is_empty()) {
            let reason = "no User-Agent header has the name of a crawler with this purpose";
            return Err(PlanError { name: purpose.to_string(), reason });
        }
        let mut left_out: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for name in verger_analysis::named_crawlers(&[robots]).into_iter().filter(|it| *it != "*") {
            let known = registry.find(name);
            let token = known.map_or(name, Crawler::token);
            let purpose = known.map_or_else(String::new, |it| format!(" ({})", it.purpose()));
            let is_wanted = known.is_some_and(|it| options.purposes.contains(&it.purpose()));
            let reason = match problem_of(name, known).filter(|_| is_wanted || !is_filtered) {
                _ if chosen.contains_key(&token.to_ascii_lowercase()) => None,
                None if is_filtered => Some("the options choose others"),
                problem => problem,
            };
            if let Some(reason) = reason {
                left_out.entry(reason).or_default().push(quoted(name) + &purpose);
            } else if !is_filtered {
                // A library, too, if the file names it.
                add(&mut chosen, token, known);
            }
        }
        for (reason, names) in left_out {
            self.note(&format!("these names are not enforced, because {reason}"), &names);
        }
        let rules = |name: &str, known: Option<&Crawler>| match known {
            // Only a group of its name shows that the owner means it.
            Some(known) if known.rules().ignores_robots() => {
                Rules::new(known.token()).without_star()
            }
            Some(known) => known.rules().clone(),
            None => Rules::new(name),
        };
        let chosen = chosen.into_values();
        Ok(chosen.map(|(name, known)| (name.clone(), known, rules(&name, known))).collect())
    }

    /// Adds a remark about names, unless there are none.
    fn note(&mut self, text: &str, names: &[String]) {
        let some = names[..names.len().min(NOTED_NAMES)].join(", ");
        match names.len() {
            0 => {}
            1..=NOTED_NAMES => self.notes.push(format!("{text}: {some}")),
            all => self.notes.push(format!("{text}: {some} ({all} in all)")),
        }
    }

    /// Whether a request is refused, by the evaluator of the intermediate form. Without addresses:
    /// all names are believed.
    pub fn refuses<T: AsRef<[u8]> + ?Sized>(&self, user_agent: &str, target: &T) -> bool {
        let crawler = self.crawlers.iter().find(|it| it.is_named_in(user_agent));
        let list = crawler.map_or(self.others(), |it| it.list);
        let request = Request::of(target.as_ref());
        list.is_some_and(|list| self.lists[list].refuses(&request, Form::Decoded))
    }

    /// The list for requests that name no crawler.
    pub(crate) fn others(&self) -> Option<usize> {
        self.star.filter(|_| self.star_for_all)
    }

    /// Remarks for the owner, as sentences without a full stop.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Each list of rules with the name and the rules of a crawler that obeys it.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = (usize, &str, Cow<'_, Rules>)> {
        let own = self.crawlers.iter();
        let own = own.filter_map(|it| Some((it.list?, it.name.as_str(), Cow::Borrowed(&it.rules))));
        let star = self.star.map(|list| (list, "*", Cow::Owned(Rules::chain::<&str>([]))));
        let mut done = BTreeSet::new();
        own.chain(star).filter(move |it| done.insert(it.0))
    }

    /// The time of the oldest list of addresses in use; `None` without `verified`.
    pub const fn addresses_date(&self) -> Option<Timestamp> {
        self.addresses_date
    }
}

impl Enforced {
    /// Whether a User-Agent header has one of the words.
    pub(crate) fn is_named_in(&self, header: &str) -> bool {
        let header = header.to_ascii_lowercase();
        self.words.iter().any(|word| {
            let text = word.text.to_ascii_lowercase();
            words::places(&header, &text, word.is_ordinary).next().is_some()
        })
    }
}

impl Word {
    fn new(text: String, known: Option<&Crawler>) -> Self {
        let is_ordinary = words::is_ordinary(&text, known.is_some());
        Self { text, is_ordinary }
    }
}

/// A prefix for lists that prove nobody, because servers need one: no request is from this address.
const NOBODY: IpNet = IpNet::new_assert(IpAddr::V4(Ipv4Addr::BROADCAST), 32);

/// Lists of rules, each once.
struct Builder<'r> {
    robots: &'r Robots,
    lists: Vec<RuleList>,
    /// By the lines of the rules.
    found: BTreeMap<Vec<usize>, Option<usize>>,
}

impl Builder<'_> {
    /// The number of the list of a crawler; `None` if it is empty.
    fn list(&mut self, crawler: &Rules) -> Option<usize> {
        let groups = self.robots.groups_for(&crawler.as_crawler());
        let rules: Vec<_> = groups.flat_map(|group| group.rules()).collect();
        let lines = rules.iter().map(|rule| rule.position().line).collect();
        if let Some(&known) = self.found.get(&lines) {
            return known;
        }
        let list = RuleList::of(&rules, &self.robots.dialect());
        let number = (!list.is_empty()).then_some(self.lists.len());
        self.found.insert(lines, number);
        self.lists.extend(number.map(|_| list));
        number
    }
}

/// The words of a known crawler in User-Agent headers.
fn user_agents(known: &Crawler) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in known.user_agents() {
        if is_word(word) && !words.iter().any(|it| it.eq_ignore_ascii_case(word)) {
            words.push(word.clone());
        }
    }
    words
}

/// The reason why a server cannot see a name.
fn problem_of(name: &str, known: Option<&Crawler>) -> Option<&'static str> {
    let is_seen = known.map_or_else(|| is_word(name), |known| !user_agents(known).is_empty());
    let is_token = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_');
    match known {
        _ if is_seen => None,
        None if name.is_empty() => Some("the name is empty"),
        None if name.len() <= NAME_BYTES && name.bytes().all(is_token) => {
            Some("almost every User-Agent header has such a word")
        }
        Some(known) if known.purpose() != Purpose::ControlToken && known.tokens().len() > 1 => {
            Some("another crawler fetches their pages, and is refused them by its own rules")
        }
        _ => Some("no User-Agent header has such a name"),
    }
}

/// Whether the engine reads a text as the name in a User-Agent header. Words of almost every
/// header, such as `Mobile`, are not names; about those of some browsers see [`words`].
fn is_word(name: &str) -> bool {
    if name.len() > NAME_BYTES {
        return false;
    }
    let header = format!("Mozilla/5.0 (compatible; {name}/1.0)");
    Rules::from_user_agent(&header)
        .is_ok_and(|read| read.tokens().len() == 1 && read.tokens()[0].as_str() == name)
}
