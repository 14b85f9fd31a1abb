//! Checks per second of one core, by the location of the policy.

use std::array::from_fn;
use std::hint::black_box;
use std::time::Instant;

use fastrand::Rng;
use verger::{Policy, Robots};

use crate::set::Set;
use crate::statistics::median;

/// Number of rounds; the result is the median.
const ROUNDS: usize = 5;

/// Total length of policies that no processor cache can hold, in bytes.
const FAR: usize = 256 << 20;

/// Maximum number of copies of each policy.
const MOST_COPIES: usize = 1_000;

/// Nanoseconds for a check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checks {
    /// File by file, all questions of a file in sequence.
    pub(super) hot: f64,
    /// All questions of all files in random order.
    pub(super) mixed: f64,
    /// The same, with enough copies of the policies that each must be read from main memory.
    pub(super) far: f64,
    /// The same, from bytes: the checksum is verified before each check, as for bytes of a network
    /// store.
    pub(super) from_bytes: f64,
    /// Length of the policies for hot and mixed checks.
    pub(super) near_bytes: usize,
    /// Length of their copies.
    pub(super) far_bytes: usize,
}

impl Checks {
    pub(super) fn of(set: &Set, seed: u64) -> Self {
        let policy = |body: &Vec<u8>| Robots::parse(body).policy(&set.agent).without_explanation();
        let near: Vec<Policy> = set.sites.iter().map(|site| policy(&site.bytes)).collect();
        let near_bytes: usize = near.iter().map(|policy| policy.as_bytes().len()).sum();
        let urls = |place: usize| set.sites[place].questions.iter().map(|one| one.url.as_str());
        let order: Vec<(usize, &str)> =
            (0..near.len()).flat_map(|place| urls(place).map(move |url| (place, url))).collect();
        let mut random = Rng::with_seed(seed);
        let mut shuffled = order.clone();
        random.shuffle(&mut shuffled);
        // A few small files cannot fill so much memory with this number of copies.
        let copies = (FAR / near_bytes.max(1)).clamp(1, MOST_COPIES);
        // Copies of a policy are far apart, in memory and in the order.
        let far: Vec<Policy> = (0..copies).flat_map(|_| near.iter().cloned()).collect();
        // Other copies in each round, because those of the previous round may still be cached.
        let far_orders: [Vec<(usize, &str)>; ROUNDS] = from_fn(|_| {
            let far = |&(place, url)| (place + near.len() * random.usize(0..copies), url);
            shuffled.iter().map(far).collect()
        });
        let near_check = |(place, url): (usize, &str)| near[place].is_allowed(url);
        let far_check = |(place, url): (usize, &str)| far[place].is_allowed(url);
        let from_bytes = |(place, url): (usize, &str)| {
            Policy::from_bytes(far[place].as_bytes()).is_ok_and(|policy| policy.is_allowed(url))
        };
        Self {
            hot: time([&order[..]; ROUNDS], near_check),
            mixed: time([&shuffled[..]; ROUNDS], near_check),
            far: time(far_orders.each_ref().map(|order| &order[..]), far_check),
            from_bytes: time(far_orders.each_ref().map(|order| &order[..]), from_bytes),
            near_bytes,
            far_bytes: near_bytes * copies,
        }
    }
}

/// Nanoseconds for one check, the median of the rounds.
#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
fn time<'u>(
    orders: [&[(usize, &'u str)]; ROUNDS],
    check: impl Fn((usize, &'u str)) -> bool,
) -> f64 {
    let rounds = orders.map(|order| {
        let start = Instant::now();
        for &question in order {
            black_box(check(black_box(question)));
        }
        start.elapsed().as_nanos() as f64 / order.len().max(1) as f64
    });
    median(&rounds)
}
