//! Compiled policies: the meaning of one robots.txt for one crawler, as one flat string of bytes.
//!
//! # Flow
//!
//! [`Robots::policy`](crate::Robots::policy) and [`Dialect::policy`](crate::Dialect::policy) bring
//! the rules of the groups that apply into normal form (`rules.rs`) and write them as a tree of
//! prefixes (`tree/`). Patterns with wildcards are attached to the node of their literal prefix
//! (`wild.rs`); long lists of them have an index. A head (`head.rs`) precedes the tree, and an
//! explanation (`explanation.rs`) follows it. A check reads the target of the URL, walks down the
//! tree once, and then compares the wildcard patterns on its way that can still win.
//!
//! # Bytes
//!
//! The bytes are the same in memory, in a file, in a database, on every machine;
//! `docs/policy-format.md` describes them. The format is not permanent: another [`VERSION`] is
//! rejected; rebuild the policy then. [`PolicyRef::from_bytes`] rejects accidentally corrupted
//! data; it detects every single flipped bit. Forged bytes may give any answer, but they cannot
//! make the evaluation panic, loop, or read outside of the policy.
//!
//! The explanation takes more than half of the bytes;
//! [`without_explanation`](PolicyRef::without_explanation) removes it. Policies save space for long
//! files. The policy of a short file is often longer than the file: for half of the files of the
//! Web with the explanation, for one in fourteen without it.
//!
//! # Contents that a policy does not have
//!
//! Records other than rules: store delays or sitemaps of a file separately. Rules that lost:
//! [`Robots::explain`](crate::Robots::explain) returns them. The file, its age, the crawler, the
//! dialect and the site: store the policy under all of these and the version of this library. A
//! policy also answers for URLs of other sites.
//!
//! # Complexity
//!
//! Building: linear in the bytes of the rules, and O(n log n) comparisons of n patterns with
//! wildcards that begin with the same octets. A check: linear in the target and in the tables on
//! its way, which have at most eight leaves for an octet; in the worst case, each pattern with
//! wildcards and a matching prefix is compared twice. [`Robots::check`](crate::Robots::check)
//! compares each rule once.

mod code;
mod compile;
mod explanation;
mod head;
mod rules;
#[cfg(test)]
mod tests;
mod tree;
mod verdict;
mod wild;

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};

pub use head::{PolicyError, VERSION};
pub use verdict::{PolicyGroup, PolicyRule, PolicyVerdict};

use head::{HEAD, Head, WithoutRule};

use crate::target::Target;
use crate::verdict::Reason;

/// The meaning of one robots.txt for one crawler, compiled.
///
/// # Examples
///
/// ```
/// use verger::{Policy, PolicyRef, Robots};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /cart\nAllow: /cart/help\n");
/// let policy: Policy = robots.policy("GPTBot");
/// assert!(!policy.is_allowed("https://shop.example/cart/1"));
/// assert!(policy.is_allowed("https://shop.example/cart/help"));
///
/// // Stored anywhere, used in place.
/// let stored: Vec<u8> = policy.as_bytes().to_vec();
/// let policy = PolicyRef::from_bytes(&stored)?;
/// assert_eq!(policy.check("/cart/1").line(), Some(2));
/// # Ok::<(), verger::policy::PolicyError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Policy {
    head: Head,
    /// A valid policy: checked, or compiled here.
    bytes: Box<[u8]>,
}

/// A [`Policy`] with borrowed bytes: from a database, a memory-mapped file, a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PolicyRef<'a> {
    head: Head,
    bytes: &'a [u8],
}

impl Policy {
    /// The whole policy: a head and two parts.
    fn of(head: Head, rules: &[u8], explanation: &[u8]) -> Self {
        let (head, bytes) = head.seal(rules, explanation);
        Self { head, bytes: bytes.into_boxed_slice() }
    }

    /// A policy from stored bytes.
    ///
    /// # Errors
    ///
    /// As [`PolicyRef::from_bytes`].
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::policy::PolicyError;
    /// use verger::{Policy, Robots};
    ///
    /// let stored: Vec<u8> = Robots::disallow_all().policy("ExampleBot").as_bytes().to_vec();
    /// assert!(!Policy::from_bytes(stored)?.is_allowed("https://shop.example/"));
    /// assert_eq!(Policy::from_bytes(*b"no policy"), Err(PolicyError::NoPolicy));
    /// # Ok::<(), PolicyError>(())
    /// ```
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Result<Self, PolicyError> {
        let bytes = bytes.into();
        Ok(Self { head: Head::check(&bytes)?, bytes })
    }

    /// The bytes, for storage anywhere.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, borrowed.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{PolicyRef, Robots};
    ///
    /// fn may_fetch(policy: PolicyRef<'_>) -> bool {
    ///     policy.is_allowed("https://shop.example/")
    /// }
    ///
    /// assert!(!may_fetch(Robots::disallow_all().policy("ExampleBot").as_policy_ref()));
    /// ```
    #[inline]
    pub fn as_policy_ref(&self) -> PolicyRef<'_> {
        PolicyRef { head: self.head, bytes: &self.bytes }
    }

    /// See [`PolicyRef::check`].
    pub fn check<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> PolicyVerdict<'_> {
        check(&self.head, &self.bytes, url.as_ref())
    }

    /// See [`PolicyRef::is_allowed`].
    pub fn is_allowed<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> bool {
        self.check(url).is_allowed()
    }

    /// See [`PolicyRef::without_explanation`].
    #[must_use]
    pub fn without_explanation(&self) -> Self {
        self.as_policy_ref().without_explanation()
    }
}

impl<'a> PolicyRef<'a> {
    /// A policy from borrowed bytes.
    ///
    /// # Errors
    ///
    /// If the bytes are not a policy, have another version, or are corrupted. Rebuild the policy from
    /// the robots.txt then.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes, for a checksum.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::policy::PolicyError;
    /// use verger::{PolicyRef, Robots};
    ///
    /// let policy = Robots::disallow_all().policy("ExampleBot");
    /// let mut bytes = policy.as_bytes().to_vec();
    /// assert!(!PolicyRef::from_bytes(&bytes)?.is_allowed("https://shop.example/"));
    ///
    /// // A single flipped bit is detected.
    /// *bytes.last_mut().expect("it is not empty") ^= 1;
    /// assert_eq!(PolicyRef::from_bytes(&bytes), Err(PolicyError::Damaged));
    /// # Ok::<(), PolicyError>(())
    /// ```
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, PolicyError> {
        Ok(Self { head: Head::check(bytes)?, bytes })
    }

    /// The bytes.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Whether the crawler may fetch a URL, and why: the answer of
    /// [`Robots::check`](crate::Robots::check) for the robots.txt.
    ///
    /// # Complexity
    ///
    /// See the [module](self). Nothing is allocated, except for a target that is not in normal form
    /// and longer than [`TARGET_BYTES`](crate::limits::TARGET_BYTES).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Reason, Robots};
    ///
    /// let policy = Robots::parse("User-agent: *\nDisallow: /cart\n").policy("ExampleBot");
    /// let verdict = policy.as_policy_ref().check("https://shop.example/cart");
    /// assert_eq!((verdict.is_allowed(), verdict.reason(), verdict.line()), (false, Reason::Rule, Some(2)));
    /// ```
    pub fn check<U: AsRef<[u8]> + ?Sized>(self, url: &U) -> PolicyVerdict<'a> {
        check(&self.head, self.bytes, url.as_ref())
    }

    /// Whether the crawler may fetch a URL: [`check`](Self::check) without the reason.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let policy = Robots::parse("User-agent: *\nDisallow: /cart\n").policy("ExampleBot");
    /// assert!(!policy.as_policy_ref().is_allowed("https://shop.example/cart"));
    /// assert!(policy.as_policy_ref().is_allowed("https://shop.example/"));
    /// ```
    pub fn is_allowed<U: AsRef<[u8]> + ?Sized>(self, url: &U) -> bool {
        self.check(url).is_allowed()
    }

    /// The reason for an answer that does not depend on the rules.
    pub(crate) fn exemption(self, url: &[u8]) -> Option<Reason> {
        target(&self.head, url).err()
    }

    /// The same verdicts in fewer bytes: with reason and line, without pattern, group and position.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let policy = Robots::parse("User-agent: *\nDisallow: /cart\n").policy("ExampleBot");
    /// let short = policy.without_explanation();
    /// assert!(short.as_bytes().len() < policy.as_bytes().len());
    /// assert_eq!(short.check("/cart").line(), Some(2));
    /// assert!(short.check("/cart").rule().is_none());
    /// ```
    #[must_use]
    pub fn without_explanation(self) -> Policy {
        Policy::of(self.head, parts(&self.head, self.bytes).0, &[])
    }
}

fn check<'a>(head: &Head, bytes: &'a [u8], url: &[u8]) -> PolicyVerdict<'a> {
    let (rules, explanation) = parts(head, bytes);
    let without_rule =
        |reason: Reason| PolicyVerdict::without_rule(reason.allows(), reason, explanation);
    match target(head, url) {
        Err(reason) => without_rule(reason),
        Ok(target) => {
            match target.in_normal_form(|text| tree::find(rules, text, head.precedence)) {
                Some(rank) => PolicyVerdict::by_rule(rank, explanation),
                None => without_rule(head.without_rule.reason()),
            }
        }
    }
}

/// The target of a URL, or the reason why no rule applies.
#[inline]
fn target<'u>(head: &Head, url: &'u [u8]) -> Result<Target<'u>, Reason> {
    if head.without_rule == WithoutRule::CrawlerIgnoresRobots {
        return Err(head.without_rule.reason());
    }
    head.reading.target(url)
}

/// The rules, and their explanation.
#[inline]
fn parts<'a>(head: &Head, bytes: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let parts = bytes.get(HEAD..).unwrap_or_default();
    // The lengths were checked together with the bytes.
    let rules = usize::try_from(head.rules_bytes).unwrap_or(parts.len());
    parts.split_at_checked(rules).unwrap_or((parts, &[]))
}

impl Hash for Policy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The head is derived from them.
        self.bytes.hash(state);
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_policy_ref().fmt(f)
    }
}

impl fmt::Debug for PolicyRef<'_> {
    /// Only counts: the bytes are long, and contain foreign text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("rules_bytes", &self.head.rules_bytes)
            .field("explanation_bytes", &self.head.explanation_bytes)
            .finish_non_exhaustive()
    }
}
