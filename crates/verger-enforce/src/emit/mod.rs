//! Emitters: one file for each target, with its rules of quoting.

mod anubis;
mod apache;
mod caddy;
mod cloudflare;
mod haproxy;
mod nginx;
mod varnish;

use core::fmt::Write as _;

use verger_identity::ipnet::IpNet;

use crate::comparison::Comparisons;
use crate::expression::{Engine, Syntax, names};
use crate::glob::Form;
use crate::limits::{EXPRESSION_BYTES, OUTPUT_BYTES};
use crate::plan::{Enforced, Plan, Unproved};
use crate::proof::Proof;
use crate::request::Request;
use crate::rules::Unexpressible;

/// A server or product whose rules are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// nginx, with its module `map`.
    Nginx,
    /// Apache httpd 2.4, with `mod_rewrite`.
    Apache,
    /// Caddy 2.
    Caddy,
    /// `HAProxy`.
    Haproxy,
    /// Varnish.
    Varnish,
    /// A policy of Anubis, not proven on the product.
    Anubis,
    /// Cloudflare's Rules language, not proven on the product.
    Cloudflare,
}

impl Target {
    /// All targets.
    pub const ALL: [Self; 7] = [
        Self::Nginx,
        Self::Apache,
        Self::Caddy,
        Self::Haproxy,
        Self::Varnish,
        Self::Anubis,
        Self::Cloudflare,
    ];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// The name of the product, and whether the output was not proven on it.
    pub const fn title(self) -> &'static str {
        self.names().1
    }

    /// Whether it can give an answer.
    pub const fn has(self, answer: &Answer) -> bool {
        match self {
            Self::Nginx | Self::Caddy => !matches!(answer, Answer::Page(_)),
            Self::Apache => matches!(answer, Answer::Status(_) | Answer::Redirect(_)),
            Self::Haproxy => true,
            Self::Varnish => matches!(answer, Answer::Status(_)),
            Self::Anubis | Self::Cloudflare => matches!(answer, Answer::Status(403)),
        }
    }

    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Nginx => ("nginx", "nginx"),
            Self::Apache => ("apache", "Apache httpd 2.4"),
            Self::Caddy => ("caddy", "Caddy 2"),
            Self::Haproxy => ("haproxy", "HAProxy"),
            Self::Varnish => ("varnish", "Varnish"),
            Self::Anubis => ("anubis", "a policy of Anubis, not proven on the product"),
            Self::Cloudflare => ("cloudflare", "rules of Cloudflare, not proven on the product"),
        }
    }
}

/// The answer to a refused request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// A status: 403 or 429.
    Status(u16),
    /// The connection is closed without an answer: 444 of nginx.
    Close,
    /// A redirect (302) to a URL.
    Redirect(String),
    /// Status 403 with a page of HTML.
    Page(String),
}

impl Answer {
    /// The status of the response; `None` if the connection is closed.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Status(status) => Some(*status),
            Self::Close => None,
            Self::Redirect(_) => Some(302),
            Self::Page(_) => Some(403),
        }
    }
}

/// Everything but the plan that an output depends on.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers fill it")]
pub struct Choices<'a> {
    /// The answer to a refused request.
    pub answer: Answer,
    /// SHA-256 of the robots.txt, in hexadecimal.
    pub sha256: &'a str,
    /// The options of the owner, as a line without line ends: it is in the output.
    pub options: &'a str,
    /// Write an output also if rules of robots.txt cannot be expressed. They are named in it.
    pub approximate: bool,
    /// The proof, if there was one: its result is in the output.
    pub proof: Option<&'a Proof>,
    /// Proxies in front of the server, and the field in which they write the address of their
    /// client. Only needed if the plan compares addresses.
    pub proxies: (&'a [IpNet], &'a str),
}

/// The configuration for a target.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The text of the file.
    pub text: String,
    /// Rules that it does not express; empty unless [`Choices::approximate`] is set.
    pub missing: Vec<Unexpressible>,
}

/// The reason why there is no output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmitError {
    /// No crawler has a rule that disallows anything.
    Nothing,
    /// Rules that the target cannot express.
    Rules(Vec<Unexpressible>),
    /// A choice that the target cannot express, or too many rules, with the reason.
    Choice(&'static str),
}

impl core::fmt::Display for EmitError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Rules(rules) => {
                let lines = rules.iter().map(|it| format!("line {}: {}", it.line, it.reason));
                f.write_str(&lines.collect::<Vec<_>>().join("; "))
            }
            Self::Choice(reason) => f.write_str(reason),
            Self::Nothing => {
                f.write_str("expected a rule that disallows something, but found none")
            }
        }
    }
}

impl core::error::Error for EmitError {}

impl Plan {
    /// Writes the configuration of a target. The same input always gives the same text.
    ///
    /// # Errors
    ///
    /// Nothing is disallowed, the target cannot express a rule or a choice, or the output is too
    /// long.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, access::Timestamp};
    /// use verger_enforce::{Answer, Choices, Options, Plan, Target};
    /// use verger_identity::Lists;
    ///
    /// let robots = Robots::parse("User-agent: GPTBot\nDisallow: /private\n");
    /// let plan = Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH)?;
    /// let choices = Choices {
    ///     answer: Answer::Status(403),
    ///     sha256: "00",
    ///     options: "none",
    ///     approximate: false,
    ///     proof: None,
    ///     proxies: (&[], ""),
    /// };
    /// let output = plan.emit(Target::Nginx, &choices)?;
    /// assert!(output.text.contains("map $http_user_agent $verger_refused {"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn emit(&self, target: Target, choices: &Choices<'_>) -> Result<Output, EmitError> {
        let mut crawlers = self.crawlers.iter();
        let is_any = crawlers.any(|it| it.list.is_some() || it.addresses.is_some());
        if !is_any && self.others().is_none() {
            return Err(EmitError::Nothing);
        }
        let answer = &choices.answer;
        let compares = self.crawlers.iter().any(|it| it.addresses.is_some());
        let (proxies, field) = choices.proxies;
        let reads_field = match target {
            Target::Nginx => field.eq_ignore_ascii_case("X-Forwarded-For"),
            Target::Haproxy => field.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-'),
            _ => false,
        };
        let problem = match (target, answer) {
            _ if !target.has(answer) => Some("the target has no such answer"),
            (Target::Caddy | Target::Anubis | Target::Cloudflare, _) if compares => {
                Some("the target does not compare addresses: leave out `--verified`")
            }
            _ if compares && !proxies.is_empty() && !reads_field => Some(
                "the target does not read the address of the client from this field: let it set the \
                 address by its module `realip`, mod_remoteip or the PROXY protocol, and leave out \
                 `--trusted-proxy`",
            ),
            (_, Answer::Redirect(url)) => self.problem_of(url),
            (_, Answer::Page(page)) => haproxy::problem_of(page),
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(EmitError::Choice(problem));
        }
        let output = match target {
            Target::Nginx => nginx::write(self, choices),
            Target::Apache => apache::write(self, choices),
            Target::Caddy => caddy::write(self, choices),
            Target::Haproxy => haproxy::write(self, choices),
            Target::Varnish => varnish::write(self, choices),
            Target::Anubis => anubis::write(self, choices)?,
            Target::Cloudflare => cloudflare::write(self, choices)?,
        };
        if !output.missing.is_empty() && !choices.approximate {
            return Err(EmitError::Rules(output.missing));
        }
        if output.text.len() > OUTPUT_BYTES {
            return Err(EmitError::Choice("expected rules with an output of at most 64 MiB"));
        }
        Ok(output)
    }

    /// The reason why a redirect leads to itself, or could be syntax.
    fn problem_of(&self, url: &str) -> Option<&'static str> {
        let is_plain = |octet: u8| octet.is_ascii_alphanumeric() || b"/:.-_?=&".contains(&octet);
        if url.is_empty() || !url.bytes().all(is_plain) {
            return Some("expected a URL of letters, digits and `/ : . - _ ? = &`");
        }
        let request = Request::of(url.as_bytes());
        let refuses = |list: usize| self.lists[list].refuses(&request, Form::Decoded);
        let is_refused = self.subjects().any(|(list, ..)| refuses(list))
            || self.unproved != Some(Unproved::Star)
                && self.crawlers.iter().any(|it| it.addresses.is_some())
                && !request.is_exempt();
        (is_refused && url.starts_with('/') && !url.starts_with("//")).then_some(
            "the redirect leads to a path that is refused, too: allow it in robots.txt, or redirect to \
             another site",
        )
    }
}

/// The syntax of most targets, which refuse targets with spaces.
const USUAL: Syntax = Syntax {
    engine: Engine::Pcre,
    head: "(?:[A-Za-z][A-Za-z0-9+.-]*://[^/?# ]*)?",
    separator: " ",
    tail: "",
    form: Form::Decoded,
    has_raw: true,
    longest: EXPRESSION_BYTES,
};

/// A plan with the regular expressions of a target.
struct Compiled<'p> {
    plan: &'p Plan,
    /// Those of each list of the plan.
    lists: Vec<Comparisons>,
    classes: Vec<Class<'p>>,
    /// Rules that the target cannot express, beside those of the lists.
    missing: Vec<Unexpressible>,
}

/// Crawlers with one list, of the same addresses.
struct Class<'p> {
    /// Expressions of headers with these words: one of them holds.
    names: Vec<String>,
    list: Option<usize>,
    addresses: Option<&'p [IpNet]>,
}

impl<'p> Compiled<'p> {
    fn of(plan: &'p Plan, syntax: &Syntax) -> Self {
        let lists = plan.lists.iter().map(|list| Comparisons::of(list, syntax)).collect();
        let is_alike =
            |a: &Enforced, b: &Enforced| (a.list, &a.addresses) == (b.list, &b.addresses);
        let classes = plan.crawlers.chunk_by(is_alike).map(|all| Class {
            names: names(all.iter().flat_map(|it| &it.words), syntax.longest),
            list: all[0].list,
            addresses: all[0].addresses.as_deref(),
        });
        Self { plan, lists, classes: classes.collect(), missing: Vec::new() }
    }

    fn comparisons(&self, list: Option<usize>) -> Option<&Comparisons> {
        list.map(|list| &self.lists[list]).filter(|it| it.cost() > 0)
    }

    /// A text with the number of a list; `None` for one of which nothing can be expressed, and
    /// which therefore refuses nothing.
    fn numbered(&self, list: Option<usize>, name: &str) -> Option<String> {
        self.comparisons(list).and(list).map(|list| format!("{name}{list}"))
    }

    /// The lists that refuse something, with their numbers.
    fn refusing(&self) -> impl Iterator<Item = (usize, &Comparisons)> {
        self.lists.iter().enumerate().filter(|(_, it)| it.cost() > 0)
    }

    fn output(self, text: String) -> Output {
        Output { text, missing: self.missing() }
    }

    fn missing(&self) -> Vec<Unexpressible> {
        let all = self.lists.iter().flat_map(|list| &list.missing).chain(&self.missing);
        let mut missing: Vec<_> = all.cloned().collect();
        missing.sort_by_key(|it| (it.line, it.reason, it.is_looser));
        missing.dedup();
        missing
    }

    /// Comments at the beginning of an output. `use_of` says how to install it.
    fn heading(&self, target: Target, choices: &Choices<'_>, use_of: &str) -> String {
        let mut text = String::new();
        let mut line = |line: &str| {
            let _ = writeln!(text, "{}", format!("# {line}").trim_end());
        };
        let version = env!("CARGO_PKG_VERSION");
        line(&format!("Rules of a robots.txt for {}, by verger enforce {version}", target.name()));
        if matches!(target, Target::Anubis | Target::Cloudflare) {
            line("Not proven on the product");
        }
        line(&format!("SHA-256 of robots.txt: {}", choices.sha256));
        line(&format!("Options: {}", choices.options));
        line(&format!("Known crawlers: {}", verger_registry::Registry::bundled().date()));
        if let Some(date) = self.plan.addresses_date() {
            line(&format!("Lists of addresses: {date}"));
        }
        for missing in self.missing() {
            let effect = if missing.is_looser { "looser" } else { "stricter" };
            line(&format!(
                "Line {} is not complete, so this is {effect}: {}",
                missing.line, missing.reason
            ));
        }
        if let Some(proof) = choices.proof {
            let incomplete =
                if proof.undecided.is_some() { ", not all that could differ" } else { "" };
            line(&format!("Proof: {} answers of the engine{incomplete}", proof.compared));
        }
        self.plan.notes().iter().for_each(|note| line(&format!("Note: {note}")));
        let most = self.lists.iter().map(Comparisons::cost).max().unwrap_or_default();
        let names: usize = self.classes.iter().map(|class| class.names.len()).sum();
        line(&format!(
            "Comparisons for a request: at most {names} of its User-Agent header, and for a crawler \
             with rules at most {most} of its target\n#"
        ));
        use_of.lines().for_each(line);
        text
    }
}
