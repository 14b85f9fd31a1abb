//! A compiled policy and its verdicts.

use alloc::boxed::Box;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::head::{HEAD, Head, PolicyError, WithoutRule};
use super::tree;
use crate::target::Target;
use crate::verdict::{Reason, Verdict};

/// The meaning of one robots.txt for one crawler, compiled.
///
/// The bytes are owned, or borrowed from a database, a memory-mapped file or a column:
/// `Policy<&[u8]>`.
///
/// # Examples
///
/// ```
/// use verger::{Policy, Robots};
///
/// let robots = Robots::parse("User-agent: *\nDisallow: /cart\nAllow: /cart/help\n");
/// let policy: Policy = robots.policy("GPTBot");
/// assert!(!policy.is_allowed("https://shop.example/cart/1"));
/// assert!(policy.is_allowed("https://shop.example/cart/help"));
///
/// // Stored anywhere, used in place.
/// let stored: Vec<u8> = policy.as_bytes().to_vec();
/// let policy = Policy::from_bytes(&stored[..])?;
/// assert_eq!(policy.check("/cart/1").line(), Some(2));
/// # Ok::<(), verger::policy::PolicyError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Policy<B = Box<[u8]>> {
    head: Head,
    /// A valid policy: checked, or compiled here.
    bytes: B,
}

impl Policy {
    /// The whole policy: a head and two parts.
    pub(super) fn of(head: Head, rules: &[u8], explanation: &[u8]) -> Self {
        let (head, bytes) = head.seal(rules, explanation);
        Self { head, bytes: bytes.into_boxed_slice() }
    }
}

impl<B: AsRef<[u8]>> Policy<B> {
    /// A policy from stored bytes.
    ///
    /// # Errors
    ///
    /// If the bytes are not a policy, have another version, or are corrupted. Rebuild the policy
    /// from the robots.txt then.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes, for a checksum.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::policy::PolicyError;
    /// use verger::{Policy, Robots};
    ///
    /// let mut bytes = Robots::parse("User-agent: *\nDisallow: /\n").policy("ExampleBot").as_bytes().to_vec();
    /// assert!(!Policy::from_bytes(&bytes)?.is_allowed("https://shop.example/"));
    ///
    /// // A single flipped bit is detected.
    /// *bytes.last_mut().expect("it is not empty") ^= 1;
    /// assert_eq!(Policy::from_bytes(bytes), Err(PolicyError::Damaged));
    /// # Ok::<(), PolicyError>(())
    /// ```
    pub fn from_bytes(bytes: B) -> Result<Self, PolicyError> {
        Ok(Self { head: Head::check(bytes.as_ref())?, bytes })
    }

    /// The bytes, for storage anywhere.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// Whether the crawler may fetch a URL, and why: the answer of
    /// [`Robots::check`](crate::Robots::check) for the robots.txt.
    ///
    /// # Complexity
    ///
    /// See the [module](crate::policy). Nothing is allocated, except for a target that is not in
    /// normal form and longer than 16 KiB.
    pub fn check<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Verdict<'_> {
        check(&self.head, self.as_bytes(), url.as_ref())
    }

    /// Whether the crawler may fetch a URL: [`check`](Self::check) without the reason.
    pub fn is_allowed<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> bool {
        self.check(url).is_allowed()
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
    /// assert_eq!(short.check("/cart").to_string(), "disallowed by the rule on line 2");
    /// ```
    #[must_use]
    pub fn without_explanation(&self) -> Policy {
        Policy::of(self.head, parts(&self.head, self.as_bytes()).0, &[])
    }
}

fn check<'a>(head: &Head, bytes: &'a [u8], url: &[u8]) -> Verdict<'a> {
    let (rules, explanation) = parts(head, bytes);
    let without_rule =
        |reason: Reason| Verdict::of_policy(reason.allows(), reason, None, explanation);
    match target(head, url) {
        Err(reason) => without_rule(reason),
        Ok(target) => {
            match target.in_normal_form(|text| tree::find(rules, text, head.precedence)) {
                Some(rank) => {
                    Verdict::of_policy(rank.allows, Reason::Rule, Some(rank.line), explanation)
                }
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

impl<B: AsRef<[u8]>> Hash for Policy<B> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The head is derived from them.
        self.as_bytes().hash(state);
    }
}

impl<B> fmt::Debug for Policy<B> {
    /// Only counts: the bytes are long, and contain foreign text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("rules_bytes", &self.head.rules_bytes)
            .field("explanation_bytes", &self.head.explanation_bytes)
            .finish_non_exhaustive()
    }
}
