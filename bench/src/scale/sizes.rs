//! Lengths of files and of their policies, and duplicates among them.

use std::collections::HashSet;

use fastrand::Rng;
use verger::Robots;
use verger::limits::BODY_BYTES;

use crate::set::Set;
use crate::statistics::{percentile, share};

/// The same files in three forms.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// As received, up to the size limit.
    pub(super) bodies: Form,
    /// Compiled for one crawler, with explanations.
    pub(super) explained: Form,
    /// Compiled, without explanations.
    pub(super) policies: Form,
}

/// Lengths of the files in one form.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) mean: f64,
    pub(super) median: f64,
    pub(super) p90: f64,
    pub(super) p99: f64,
    pub(super) largest: f64,
    /// For an eighth, a quarter, a half and all of the files, randomly chosen: the remaining share
    /// without duplicates.
    pub(super) distinct: Vec<Distinct>,
}

/// The remaining share of some files without duplicates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distinct {
    pub(super) files: usize,
    /// The share of files.
    pub(super) count: f64,
    /// The share of bytes.
    pub(super) bytes: f64,
}

impl Sizes {
    pub(super) fn of(set: &Set, seed: u64) -> Self {
        let mut bodies: Vec<Vec<u8>> = set.sites.iter().map(|site| site.bytes.clone()).collect();
        // The corpus is in order of names, and similar names have similar files.
        Rng::with_seed(seed).shuffle(&mut bodies);
        let policies = || bodies.iter().map(|body| Robots::parse(body).policy(&set.agent));
        let explained: Vec<_> = policies().map(|policy| policy.as_bytes().to_vec()).collect();
        let short: Vec<_> =
            policies().map(|policy| policy.without_explanation().as_bytes().to_vec()).collect();
        for body in &mut bodies {
            body.truncate(BODY_BYTES);
        }
        Self {
            bodies: Form::of(&bodies),
            explained: Form::of(&explained),
            policies: Form::of(&short),
        }
    }
}

impl Form {
    #[expect(clippy::cast_precision_loss, reason = "lengths of files")]
    fn of(files: &[Vec<u8>]) -> Self {
        let lengths: Vec<f64> = files.iter().map(|file| file.len() as f64).collect();
        let parts = [8, 4, 2, 1].map(|part| Distinct::of(&files[..files.len() / part]));
        Self {
            mean: lengths.iter().sum::<f64>() / lengths.len().max(1) as f64,
            median: percentile(&lengths, 0.5),
            p90: percentile(&lengths, 0.9),
            p99: percentile(&lengths, 0.99),
            largest: percentile(&lengths, 1.0),
            distinct: parts.into(),
        }
    }

    /// Of all files.
    pub(super) fn stored_once(&self) -> Distinct {
        self.distinct.last().copied().unwrap_or(Distinct { files: 0, count: 1.0, bytes: 1.0 })
    }
}

impl Distinct {
    fn of(files: &[Vec<u8>]) -> Self {
        let once: HashSet<&[u8]> = files.iter().map(Vec::as_slice).collect();
        let bytes = |files: &mut dyn Iterator<Item = &[u8]>| files.map(<[u8]>::len).sum();
        let all = bytes(&mut files.iter().map(Vec::as_slice));
        let count = share(once.len(), files.len());
        Self { files: files.len(), count, bytes: share(bytes(&mut once.into_iter()), all) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Site;

    #[test]
    fn equal_files_are_stored_once() {
        let files = ["a", "bb", "a", "bb", "cccc"].map(|file| file.as_bytes().to_vec());
        let expected = Distinct { files: 5, count: 0.6, bytes: 0.7 };
        assert_eq!(Distinct::of(&files), expected);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "halves")]
    fn policies_are_the_same_where_files_differ_in_comments() {
        let texts = ["User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a\n# b\n"];
        let site = |text: &str| Site::new("a", text.into(), Vec::new());
        let set = Set { agent: "bot".into(), sites: texts.map(site).into() };
        let sizes = Sizes::of(&set, 1);
        let counts = [&sizes.bodies, &sizes.explained, &sizes.policies];
        assert_eq!(counts.map(|form| form.stored_once().count), [1.0, 0.5, 0.5]);
        assert!(sizes.policies.mean < sizes.explained.mean);
    }
}
