//! Partitions of origins.

/// The partition of an origin. The same on every machine and in every run, by FNV-1a: the hash of
/// the standard library differs.
pub(crate) fn partition(origin: &str, partitions: usize) -> usize {
    let hash = origin.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    usize::try_from(mixed).unwrap_or_default() % partitions
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
