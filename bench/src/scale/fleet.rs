//! Requirements of a fleet: bytes, fetches, requests to a store, cores; from measurements and
//! assumptions.

use super::checks::Checks;
use super::model::Model;
use super::sizes::Sizes;

/// Number of seconds in a day.
const DAY: f64 = 86_400.0;

/// The inputs of all figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assumptions {
    pub(super) origins: f64,
    /// The exponent of Zipf's law.
    pub(super) exponent: f64,
    /// Checks of the average origin in a day.
    pub(super) daily: f64,
    /// The share of origins that fit in the store.
    pub(super) size: f64,
    /// Lifetime of a file in days.
    pub(super) expiry: f64,
    /// Length of a body, of a policy with explanations, of one without; and the remaining share
    /// without duplicates.
    pub(super) body: f64,
    pub(super) explained: f64,
    pub(super) policy: f64,
    pub(super) body_once: f64,
    pub(super) policy_once: f64,
    /// Length of an origin's record without the body, in bytes.
    pub(super) head: f64,
    /// Bytes of a store for a key.
    pub(super) key: f64,
    /// Bytes of a reference to a content that is stored once.
    pub(super) reference: f64,
    /// Nanoseconds of a store for a single GET, and for one of a hundred at once.
    pub(super) get: f64,
    pub(super) get_pipelined: f64,
    /// Nanoseconds of a check with a policy in main memory.
    pub(super) check: f64,
    /// The share of origins that fit in a local cache of each machine, before the store.
    pub(super) local: f64,
}

/// Bytes of all stored origins, by form of storage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bytes {
    /// The record of each origin, with its body.
    pub(super) records: f64,
    /// The same with each body once.
    pub(super) records_once: f64,
    pub(super) explained: f64,
    pub(super) policies: f64,
    pub(super) policies_once: f64,
}

impl Assumptions {
    pub(super) fn of(sizes: &Sizes, checks: &Checks) -> Self {
        Self {
            origins: 100e6,
            exponent: 1.0,
            daily: 1.0,
            size: 1.0,
            expiry: 1.0,
            body: sizes.bodies.mean,
            explained: sizes.explained.mean,
            policy: sizes.policies.mean,
            body_once: sizes.bodies.stored_once().bytes,
            policy_once: sizes.policies.stored_once().bytes,
            head: 400.0,
            key: 150.0,
            reference: 32.0,
            get: 6_300.0,
            get_pipelined: 370.0,
            check: checks.far,
            local: 0.01,
        }
    }

    pub(super) fn bytes(&self) -> Bytes {
        let kept = self.origins * self.size;
        let each = |bytes: f64| kept * (self.key + bytes);
        let once = |bytes: f64, share: f64| kept * (self.reference + bytes * share);
        Bytes {
            records: each(self.head + self.body),
            records_once: each(self.head) + once(self.body, self.body_once),
            explained: each(self.explained),
            policies: each(self.policy),
            policies_once: each(0.0) + once(self.policy, self.policy_once),
        }
    }

    pub(super) fn model(&self) -> Model {
        let Self { origins, exponent, daily, size, expiry, .. } = *self;
        Model { origins, exponent, daily, size, expiry }
    }

    /// Checks of all machines per second; the same number of GETs without a local cache.
    pub(super) fn checks(&self) -> f64 {
        self.origins * self.daily / DAY
    }

    /// Fetches of robots.txt per second, if all machines share their records.
    pub(super) fn fetches(&self) -> f64 {
        self.checks() * (1.0 - self.model().hit_rate())
    }

    /// The same without sharing: any page goes to any machine, and each has a part of the storage.
    pub(super) fn fetches_apart(&self, machines: f64) -> f64 {
        let daily = self.daily / machines;
        let apart = Model { daily, size: self.size / machines, ..self.model() };
        self.checks() * (1.0 - apart.hit_rate())
    }

    /// GETs per second, if each machine has a small local cache.
    pub(super) fn gets(&self, machines: f64) -> f64 {
        let daily = self.daily / machines;
        let before = Model { daily, size: self.local, ..self.model() };
        self.checks() * (1.0 - before.hit_rate())
    }

    /// The share of one core for checks.
    pub(super) fn checking(&self) -> f64 {
        self.checks() * self.check / 1e9
    }

    /// The share of one core of the store for single GETs.
    pub(super) fn getting(&self) -> f64 {
        self.checks() * self.get / 1e9
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Round figures, easy to calculate with.
    pub(in crate::scale) const ROUND: Assumptions = Assumptions {
        origins: 864_000.0,
        exponent: 0.0,
        daily: 4.0,
        size: 1.0,
        expiry: 1.0,
        body: 1_000.0,
        explained: 500.0,
        policy: 200.0,
        body_once: 0.5,
        policy_once: 0.25,
        head: 100.0,
        key: 50.0,
        reference: 10.0,
        get: 5_000.0,
        get_pipelined: 500.0,
        check: 100.0,
        local: 0.1,
    };

    #[test]
    #[expect(clippy::float_cmp, reason = "whole numbers")]
    fn bytes_are_those_of_keys_and_contents() {
        let bytes = ROUND.bytes();
        let each = [bytes.records, bytes.records_once, bytes.explained, bytes.policies];
        assert_eq!(each.map(|bytes| bytes / 864_000.0), [1_150.0, 660.0, 550.0, 250.0]);
        assert_eq!(bytes.policies_once / 864_000.0, 110.0);
    }

    #[test]
    fn machines_apart_fetch_more_than_machines_that_share() {
        assert!((ROUND.checks() - 40.0).abs() < 1e-9);
        // One of five checks leads to a fetch; with four machines each gets one check a day, and
        // half of them lead to a fetch.
        assert!((ROUND.fetches() - 8.0).abs() < 1e-6);
        let roomy = Assumptions { size: 4.0, ..ROUND };
        assert!((roomy.fetches_apart(4.0) - 20.0).abs() < 1e-6);
        assert!(ROUND.fetches_apart(4.0) > 20.0);
    }
}
