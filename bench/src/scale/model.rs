//! Hit rates by a formula, for any number of origins.
//!
//! # Flow
//!
//! Che's approximation says that an LRU cache evicts every origin after the same time without a
//! check, the characteristic time: the one in which as many origins as fit were checked
//! ([`characteristic`]). Files also expire, by the age since the fetch and not since the last
//! check. Between two fetches an origin with λ checks a day has λ ∫ S hits, where S(u) is the
//! probability that the file is still cached u days after its fetch ([`kept`]).

/// Load and size of a cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    pub(super) origins: f64,
    /// The exponent of Zipf's law.
    pub(super) exponent: f64,
    /// Checks of the average origin in a day.
    pub(super) daily: f64,
    /// The share of origins that fit.
    pub(super) size: f64,
    /// Lifetime of a file in days since its fetch.
    pub(super) expiry: f64,
}

/// Origins with almost equal numbers of checks.
struct Ranks {
    count: f64,
    /// Checks of each in a day.
    daily: f64,
}

impl Model {
    /// The share of checks that the cache answers.
    pub(super) fn hit_rate(&self) -> f64 {
        let ranks = self.ranks();
        let time = characteristic(&ranks, self.origins * self.size);
        let hits = ranks.iter().map(|rank| {
            let hits = rank.daily * kept(rank.daily, time, self.expiry);
            rank.count * rank.daily * hits / (1.0 + hits)
        });
        hits.sum::<f64>() / (self.origins * self.daily)
    }

    /// All ranks: the first thousand one by one, the others in steps of one percent.
    fn ranks(&self) -> Vec<Ranks> {
        let mut ranks = Vec::new();
        let mut from = 1.0;
        while from <= self.origins {
            let step = if from <= 1_000.0 { 1.0 } else { (from / 100.0).floor() };
            let count = f64::min(step, self.origins - from + 1.0);
            let middle = from + (count - 1.0) / 2.0;
            ranks.push(Ranks { count, daily: middle.powf(-self.exponent) });
            from += count;
        }
        let whole: f64 = ranks.iter().map(|rank| rank.count * rank.daily).sum();
        let scale = self.origins * self.daily / whole;
        for rank in &mut ranks {
            rank.daily *= scale;
        }
        ranks
    }
}

/// Days after which an unchecked origin is evicted: infinite if all origins fit.
fn characteristic(ranks: &[Ranks], room: f64) -> f64 {
    let asked = |time: f64| -> f64 {
        ranks.iter().map(|rank| -(-rank.daily * time).exp_m1() * rank.count).sum()
    };
    let all: f64 = ranks.iter().map(|rank| rank.count).sum();
    if room >= all {
        return f64::INFINITY;
    }
    // More origins are checked in a longer time, so bisection works; on a logarithmic scale,
    // because the result may be seconds or years.
    let (mut low, mut high) = (-40.0_f64, 40.0_f64);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if asked(middle.exp()) < room { low = middle } else { high = middle }
    }
    high.exp()
}

/// Above this multiple of the characteristic time only the slowest component of S remains, and the
/// exact series would lose precision.
const SERIES: f64 = 20.0;

/// Mean number of days for which a file is cached and fresh after its fetch: the integral of S up
/// to the expiry.
///
/// With T the characteristic time and q = exp(-λT), S is 1 up to T, falls there by q, and then
/// S'(u) = -λq S(u - T): an origin that is evicted now was checked T ago, and not since then.
fn kept(daily: f64, time: f64, expiry: f64) -> f64 {
    let asked = daily * time;
    // Up to T nothing is evicted, and an origin with this number of checks never is.
    if time >= expiry || asked > 30.0 {
        return expiry;
    }
    let forgotten = (-asked).exp();
    if expiry / time <= SERIES {
        let whole = series(daily * forgotten, time, expiry);
        return whole - forgotten * series(daily * forgotten, time, expiry - time);
    }
    // S(u) = A exp(-γu), where γ = λq exp(γT); with y = γT the other root of y exp(-y) = λT exp(-λT).
    let root = other_root(asked);
    let share = if (asked - 1.0).abs() < 1e-4 { 2.0 } else { (1.0 - root / asked) / (1.0 - root) };
    let rate = root / time;
    let endless = (1.0 - forgotten) / (daily * forgotten);
    endless - share * (-rate * expiry).exp() / rate
}

/// The integral up to `end` of the function that is 1 at first and decreases at `rate` times its
/// value `time` ago.
fn series(rate: f64, time: f64, end: f64) -> f64 {
    let (mut sum, mut factor, mut step, mut rest) = (0.0, 1.0, 0, end);
    while rest > 0.0 {
        step += 1;
        factor /= f64::from(step);
        sum += factor * rest.powi(step);
        factor *= -rate;
        rest -= time;
    }
    sum
}

/// The other y with the same y exp(-y): one is below 1 and the other above.
fn other_root(one: f64) -> f64 {
    let value = one.ln() - one;
    let (mut low, mut high) = if one > 1.0 { (-80.0, 0.0) } else { (0.0, 8.0) };
    let is_rising = one > 1.0;
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        let is_below = middle - f64::exp(middle) < value;
        if is_below == is_rising { low = middle } else { high = middle }
    }
    f64::exp(low)
}

#[cfg(test)]
mod tests {
    use super::super::crawl::Crawl;
    use super::*;

    #[test]
    fn it_agrees_with_the_simulation() {
        for (exponent, daily) in [(0.8, 5.0), (1.0, 2.0), (1.2, 10.0)] {
            let crawl = Crawl { origins: 20_000, exponent, daily, seed: 9 };
            let sizes = [0.01, 0.1, 1.0];
            let simulated = crawl.hit_rates(&sizes).expect("a crawl");
            for (size, simulated) in sizes.into_iter().zip(simulated) {
                let model = Model { origins: 20_000.0, exponent, daily, size, expiry: 1.0 };
                let found = model.hit_rate();
                assert!((found - simulated).abs() < 0.01, "{model:?}: {found}, {simulated}");
            }
        }
    }

    #[test]
    fn with_room_for_all_only_age_counts() {
        // All origins alike: a fetch, then on average one hit for each check of a day.
        let model = Model { origins: 900.0, exponent: 0.0, daily: 3.0, size: 1.0, expiry: 1.0 };
        assert!((model.hit_rate() - 0.75).abs() < 1e-9);
    }

    #[test]
    fn without_age_it_is_ches_approximation() {
        // All origins alike: the probability of a hit is the share of origins that fit.
        let model = Model { origins: 900.0, exponent: 0.0, daily: 3.0, size: 0.3, expiry: 1e6 };
        assert!((model.hit_rate() - 0.3).abs() < 1e-9, "{}", model.hit_rate());
    }

    #[test]
    fn the_series_and_its_slowest_part_meet() {
        for asked in [0.01, 0.5, 0.999, 1.0, 1.001, 2.0, 10.0, 25.0] {
            let below = kept(asked, 1.0, SERIES);
            let above = kept(asked, 1.0, SERIES * (1.0 + 1e-9));
            assert!((below / above - 1.0).abs() < 1e-6, "{asked}: {below}, {above}");
        }
    }
}
