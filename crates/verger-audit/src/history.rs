//! The history of the robots.txt of one origin.

use std::ops::Range;
use std::sync::Arc;

use ring::digest::{SHA256, digest};
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use verger::access::Timestamp;

/// A robots.txt that an origin served from a time on. Serialized, it has the hash and the length of
/// the file instead of its text.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "sources of histories build it")]
pub struct Version {
    /// The first second in which it was served.
    pub from: Timestamp,
    /// The file; `None`: the origin had none.
    pub text: Option<Arc<[u8]>>,
    /// Its name in the source, such as a commit or a file name. Foreign text.
    pub name: String,
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut keys = to.serialize_struct("Version", 4)?;
        keys.serialize_field("from", &self.from.to_string())?;
        keys.serialize_field("name", &self.name)?;
        keys.serialize_field("sha256", &self.sha256())?;
        keys.serialize_field("bytes", &self.text.as_ref().map(|text| text.len()))?;
        keys.end()
    }
}

impl Version {
    /// The SHA-256 of the file in hexadecimal digits; `None` without a file.
    pub fn sha256(&self) -> Option<String> {
        Some(hex::encode(digest(&SHA256, self.text.as_ref()?)))
    }
}

/// The versions of the robots.txt of one origin, in order of time. Nothing is known about the time
/// before the first one.
///
/// # Examples
///
/// ```
/// use verger::access::Timestamp;
/// use verger_audit::{History, Version};
///
/// let at = Timestamp::from_seconds;
/// let mut history = History::new();
/// for (from, text) in [(200, "User-agent: *\nDisallow: /cart\n"), (100, "User-agent: *\nAllow: /\n")] {
///     let text = Some(text.as_bytes().into());
///     history.add(Version { from: at(from), text, name: format!("commit {from}") });
/// }
/// assert_eq!(history.versions()[0].name, "commit 100");
/// assert_eq!(history.between(at(150), at(150)), Some(0..1));
/// assert_eq!(history.between(at(150), at(300)), Some(0..2));
/// assert_eq!(history.between(at(99), at(300)), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct History {
    pub(crate) versions: Vec<Version>,
    /// Times about which nothing is known, although versions are known before; without their ends,
    /// in order and apart.
    gaps: Vec<Range<Timestamp>>,
}

impl History {
    /// Without a version: nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a version, in any order of time. Of two from the same second, the later added one
    /// counts.
    pub fn add(&mut self, version: Version) {
        let place = self.versions.partition_point(|it| it.from <= version.from);
        self.versions.insert(place, version);
    }

    /// Marks a time as unknown, without its end: a source that only saw files now and
    /// then does not know what was served between two of them.
    pub fn add_gap(&mut self, gap: Range<Timestamp>) {
        let first = self.gaps.partition_point(|it| it.end < gap.start);
        let end = self.gaps.partition_point(|it| it.start <= gap.end);
        let joined = self.gaps[first..end]
            .iter()
            .fold(gap, |all, it| all.start.min(it.start)..all.end.max(it.end));
        self.gaps.splice(first..end, [joined]);
    }

    /// All versions, in order of time.
    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// Whether a file is given for all times, from [`Timestamp::EPOCH`] on, perhaps with versions
    /// that replace it later. The past was not seen: judgements by it hold only if the file never
    /// changed.
    pub fn is_single(&self) -> bool {
        self.versions.first().is_some_and(|first| first.from == Timestamp::EPOCH)
    }

    /// The indices of the versions that were served from one time to another, both included; `None`
    /// if they are not all known.
    pub fn between(&self, from: Timestamp, to: Timestamp) -> Option<Range<usize>> {
        let to = to.max(from);
        let next = self.gaps.partition_point(|gap| gap.end <= from);
        let has_gap = self.gaps.get(next).is_some_and(|gap| gap.start <= to);
        let count = |time| self.versions.partition_point(|it| it.from <= time);
        let first = count(from).checked_sub(1).filter(|_| !has_gap)?;
        Some(first..count(to))
    }
}
