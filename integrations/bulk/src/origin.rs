//! Partitions of origins.

use std::hash::Hasher as _;

/// The partition of an origin. The same on every machine and in every run.
pub(crate) fn partition(origin: &str, partitions: usize) -> usize {
    let mut hasher = Fnv::default();
    hasher.write(origin.as_bytes());
    let mixed = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    usize::try_from(mixed).unwrap_or_default() % partitions
}

/// FNV-1a: stable, unlike the hash of the standard library.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl std::hash::Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_stable_and_even() {
        assert_eq!(partition("https://shop.example", 1), 0);
        let mut counts = [0_u32; 16];
        for number in 0..16_000 {
            counts[partition(&format!("https://h{number}.example"), 16)] += 1;
        }
        assert!(counts.iter().all(|&count| (900..1_100).contains(&count)), "{counts:?}");
        assert_eq!(
            partition("https://shop.example", 1024),
            partition("https://shop.example", 1024)
        );
    }
}
