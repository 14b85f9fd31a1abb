//! What a fleet needs: bytes, fetches, requests to a store, cores; from what was measured and what is assumed.

use super::checks::Checks;
use super::model::Model;
use super::sizes::Sizes;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// All that the figures rest on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assumptions {
    pub(super) origins: f64,
    /// The exponent of Zipf's law.
    pub(super) exponent: f64,
    /// How often the mean origin is asked in a day: a check each.
    pub(super) daily: f64,
    /// The share of origins that have room in the store.
    pub(super) size: f64,
    /// Days until a file is too old.
    pub(super) expiry: f64,
    /// Bytes of a body, a policy with explanation, one without; and what identical ones leave of each.
    pub(super) body: f64,
    pub(super) explained: f64,
    pub(super) policy: f64,
    pub(super) body_once: f64,
    pub(super) policy_once: f64,
    /// Bytes that are known of an origin beside the body.
    pub(super) head: f64,
    /// Bytes that a store spends on a key.
    pub(super) key: f64,
    /// Bytes that refer to a content that is stored once.
    pub(super) reference: f64,
    /// Nanoseconds that a store needs for a GET that comes alone, and among a hundred at once.
    pub(super) get: f64,
    pub(super) get_pipelined: f64,
    /// Nanoseconds of a check whose policy has to come from memory.
    pub(super) check: f64,
    /// The share of origins for which each machine has room in a cache of its own before the store.
    pub(super) local: f64,
}

/// Bytes of all origins that have room, by what is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bytes {
    /// What is known of each origin, with its body.
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

    /// Checks of all machines in a second; as many GETs where nothing stands before the store.
    pub(super) fn checks(&self) -> f64 {
        self.origins * self.daily / DAY
    }

    /// Fetches of a robots.txt in a second, when all machines share what they know.
    pub(super) fn fetches(&self) -> f64 {
        self.checks() * (1.0 - self.model().hit_rate())
    }

    /// The same when each of so many machines knows only what it fetched itself: any page goes to any machine, and
    /// each has its part of the room.
    pub(super) fn fetches_apart(&self, machines: f64) -> f64 {
        let daily = self.daily / machines;
        let apart = Model { daily, size: self.size / machines, ..self.model() };
        self.checks() * (1.0 - apart.hit_rate())
    }

    /// GETs in a second, when each of so many machines has a small cache of its own before the store.
    pub(super) fn gets(&self, machines: f64) -> f64 {
        let daily = self.daily / machines;
        let before = Model { daily, size: self.local, ..self.model() };
        self.checks() * (1.0 - before.hit_rate())
    }

    /// The share of one core that checks take.
    pub(super) fn checking(&self) -> f64 {
        self.checks() * self.check / 1e9
    }

    /// The share of one core of the store that GETs take, each coming alone.
    pub(super) fn getting(&self) -> f64 {
        self.checks() * self.get / 1e9
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Figures that are easy to reckon with.
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
        // One of five questions is a fetch; with four machines each is asked once a day, and one of two is.
        assert!((ROUND.fetches() - 8.0).abs() < 1e-6);
        let roomy = Assumptions { size: 4.0, ..ROUND };
        assert!((roomy.fetches_apart(4.0) - 20.0).abs() < 1e-6);
        assert!(ROUND.fetches_apart(4.0) > 20.0);
    }
}
