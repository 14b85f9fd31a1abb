//! The access profile, fetching identity and size limit of a reader, and the key of its records.

use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use verger::Origin;
use verger::access::Profile;

use crate::limits::BODY;

/// The access profile, the fetching identity and the size limit with which a client reads a record.
///
/// # Examples
///
/// ```
/// use verger::access::Profile;
/// use verger_fetch::record::ReadOptions;
///
/// let google = ReadOptions::new(Profile::GOOGLE);
/// assert_eq!(google.name(), "google");
/// let mut custom = Profile::GOOGLE;
/// custom.redirects = 2;
/// assert!(ReadOptions::new(custom).name().starts_with("google "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    profile: Profile,
    name: Arc<str>,
    identity: Arc<str>,
    body_limit: usize,
}

/// The key of a record: an origin, the fetching identity and the access profile (REP-CACHE-29).
///
/// Its text has the three parts with a space between them, so the records of an origin are
/// neighbours in the order of the texts.
///
/// # Examples
///
/// ```
/// use verger::access::Profile;
/// use verger_fetch::record::{ReadOptions, RecordKey};
///
/// let options = ReadOptions::new(Profile::RFC9309).with_identity("ExampleBot");
/// let key = options.key(&"https://shop.example".parse()?);
/// assert_eq!(key.as_str(), "https://shop.example ExampleBot rfc9309");
/// assert_eq!(RecordKey::from_text(key.as_str()), Some(key));
/// # Ok::<(), verger::OriginError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordKey {
    origin: Origin,
    text: Arc<str>,
}

impl RecordKey {
    fn new(origin: Origin, identity: &str, profile: &str) -> Self {
        let text = format!("{origin} {identity} {profile}").into();
        Self { origin, text }
    }

    /// The key with a text; `None` if it is not that of a key.
    pub fn from_text(text: &str) -> Option<Self> {
        let [origin, _, _] = parts(text)?;
        let origin: Origin = origin.parse().ok()?;
        // One spelling for each origin, otherwise one record would have two keys.
        (*parts(text)?[0] == *origin.to_string()).then(|| Self { origin, text: text.into() })
    }

    /// The origin.
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The fetching identity.
    pub fn identity(&self) -> &str {
        parts(&self.text).map_or("", |[_, identity, _]| identity)
    }

    /// The name of the access profile: [`ReadOptions::name`].
    pub fn profile(&self) -> &str {
        parts(&self.text).map_or("", |[_, _, profile]| profile)
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The range of the texts of all keys of an origin: after the first and before the second.
    pub fn range(origin: &Origin) -> [String; 2] {
        // `!` follows the space.
        [" ", "!"].map(|end| format!("{origin}{end}"))
    }
}

/// The origin, the identity and the profile in a key. The name of a profile may have spaces.
pub(crate) fn parts(text: &str) -> Option<[&str; 3]> {
    let (origin, rest) = text.split_once(' ')?;
    let (identity, profile) = rest.split_once(' ')?;
    Some([origin, identity, profile])
}

impl ReadOptions {
    /// Options with the default size limit ([`BODY`]).
    pub fn new(profile: Profile) -> Self {
        let name = name(&profile).into();
        Self { profile, name, identity: "".into(), body_limit: BODY.default }
    }

    /// Sets the fetching identity: the product token of the User-Agent header, up to its first
    /// space. Sites may send different files to different crawlers. Default: none.
    #[must_use]
    pub fn with_identity(self, token: &str) -> Self {
        Self { identity: token.split(' ').next().unwrap_or_default().into(), ..self }
    }

    /// Sets the size limit in bytes.
    #[must_use]
    pub const fn with_body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// The access profile.
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The name of the profile in records: that of a published row; for a custom row with a hash of
    /// its choices.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The fetching identity.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The size limit, in bytes.
    pub const fn body_limit(&self) -> usize {
        self.body_limit
    }

    /// The key of the record of an origin.
    pub fn key(&self, origin: &Origin) -> RecordKey {
        RecordKey::new(origin.clone(), &self.identity, &self.name)
    }
}

fn name(profile: &Profile) -> String {
    if let Some(published) = Profile::named(profile.name) {
        // REP-CACHE-29: a redirect that one crawler may not follow changes no state.
        let mut same = *profile;
        same.disallowed_hop = published.disallowed_hop;
        if same == published {
            return profile.name.to_owned();
        }
    }
    let mut choices = Choices(Sha256::new());
    profile.hash(&mut choices);
    let mut name = profile.name.to_owned();
    // Writing to a string does not fail.
    let _ = write!(name, " {:016x}", choices.finish());
    name
}

/// A stable hash: records live longer than the standard library's hasher is stable.
struct Choices(Sha256);

impl Hasher for Choices {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_in_more_than_disallowed_hops_have_other_names() {
        let name = |change: fn(&mut Profile)| {
            let mut row = Profile::GOOGLE;
            change(&mut row);
            ReadOptions::new(row).name().to_owned()
        };
        assert_eq!(name(|_| {}), "google");
        assert_eq!(name(|row| row.disallowed_hop = None), "google");
        assert_ne!(name(|row| row.redirects = 2), "google");
        assert_ne!(name(|row| row.redirects = 2), name(|row| row.redirects = 3));
        assert_ne!(name(|row| row.name = "ours"), "google");
    }
}
