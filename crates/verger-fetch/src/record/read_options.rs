//! The access profile and size limit of a reader.

use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use verger::access::Profile;

use crate::limits::BODY;

/// The access profile and size limit with which a client reads a record.
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
    body_limit: usize,
}

impl ReadOptions {
    /// Options with the default size limit ([`BODY`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::Profile;
    /// use verger_fetch::record::ReadOptions;
    ///
    /// let options = ReadOptions::new(Profile::STRICT).with_body_limit(1_000_000);
    /// assert_eq!((options.name(), options.body_limit()), ("strict", 1_000_000));
    /// ```
    pub fn new(profile: Profile) -> Self {
        Self { profile, name: name(&profile).into(), body_limit: BODY.default }
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

    /// The size limit, in bytes.
    pub const fn body_limit(&self) -> usize {
        self.body_limit
    }

    /// The row of choices with a name: a published one, or the reader's own.
    pub(super) fn profile_named(&self, name: &str) -> Option<Profile> {
        if name == self.name() { Some(self.profile) } else { Profile::named(name) }
    }
}

fn name(profile: &Profile) -> String {
    if let Some(published) = Profile::named(profile.name()) {
        // REP-CACHE-29: a redirect that one crawler may not follow changes no state.
        let mut same = *profile;
        same.disallowed_hop = published.disallowed_hop;
        if same == published {
            return profile.name().to_owned();
        }
    }
    let mut choices = Choices(Sha256::new());
    profile.hash(&mut choices);
    let mut name = profile.name().to_owned();
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
