//! The history of the robots.txt of one origin.

use std::ops::Range;
use std::sync::Arc;

use ring::digest::{SHA256, digest};
use verger::access::Timestamp;

/// A robots.txt that an origin served from a time on.
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

impl Version {
    /// The SHA-256 of the file in hexadecimal digits; `None` without a file.
    pub fn sha256(&self) -> Option<String> {
        use std::fmt::Write as _;
        let hash = digest(&SHA256, self.text.as_ref()?);
        let mut text = String::with_capacity(64);
        for octet in hash.as_ref() {
            // Writing to a string does not fail.
            let _ = write!(text, "{octet:02x}");
        }
        Some(text)
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
/// assert_eq!(history.at(at(150)).map(|version| &*version.name), Some("commit 100"));
/// assert_eq!(history.between(at(150), at(300)).map(<[_]>::len), Some(2));
/// assert!(history.at(at(99)).is_none() && history.between(at(99), at(300)).is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct History {
    versions: Vec<Version>,
    /// Times about which nothing is known, although versions are known before; without their ends, in
    /// order and apart.
    gaps: Vec<Range<Timestamp>>,
}

impl History {
    /// Without a version: nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// One file for all times. The past was not seen: judgements by it hold only if the file never
    /// changed.
    pub fn single(text: impl Into<Arc<[u8]>>, name: impl Into<String>) -> Self {
        let (text, name) = (Some(text.into()), name.into());
        let versions = vec![Version { from: Timestamp::EPOCH, text, name }];
        Self { versions, gaps: Vec::new() }
    }

    /// Adds a version, in any order of time. Of two from the same second, the later added one counts.
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

    /// Whether it has [one file](Self::single) for all times, perhaps with versions that replace it later:
    /// the past was not seen.
    pub fn is_single(&self) -> bool {
        self.versions.first().is_some_and(|first| first.from == Timestamp::EPOCH)
    }

    /// The version that was served at a time; `None` if it is not known.
    pub fn at(&self, time: Timestamp) -> Option<&Version> {
        self.versions.get(self.index_at(time)?)
    }

    /// The versions that were served from one time to another, both included; `None` if they are not
    /// all known.
    pub fn between(&self, from: Timestamp, to: Timestamp) -> Option<&[Version]> {
        self.versions.get(self.indices(from, to)?)
    }

    pub(crate) fn index_at(&self, time: Timestamp) -> Option<usize> {
        let is_unknown = self.has_gap(time, time);
        let index = self.versions.partition_point(|it| it.from <= time).checked_sub(1);
        index.filter(|_| !is_unknown)
    }

    pub(crate) fn indices(&self, from: Timestamp, to: Timestamp) -> Option<Range<usize>> {
        let first = self.index_at(from)?;
        let last = self.index_at(to.max(from)).filter(|_| !self.has_gap(from, to))?;
        Some(first..last + 1)
    }

    fn has_gap(&self, from: Timestamp, to: Timestamp) -> bool {
        let next = self.gaps.partition_point(|gap| gap.end <= from);
        self.gaps.get(next).is_some_and(|gap| gap.start <= to)
    }
}
