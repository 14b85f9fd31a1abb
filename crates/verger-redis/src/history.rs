//! Encoding of the list of an origin's files.
//!
//! ```text
//! `VRGV`, version (2 bytes), then for each file: SHA-256 (32), from (8), until (8), bytes (8);
//! SHA-256 of the key's name and everything before it
//! ```
//!
//! Numbers are in little endian.

use sha2::{Digest as _, Sha256};
use verger::access::Timestamp;
use verger_fetch::limits::VERSION_BYTES;
use verger_fetch::store::FileVersion;

use crate::limits::VERSIONS;

const MAGIC: &[u8; 6] = b"VRGV\x01\0";
const HASH: usize = 32;
const ENTRY: usize = HASH + 3 * 8;

pub(crate) fn encode(name: &str, versions: &[FileVersion]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + versions.len() * ENTRY + HASH);
    bytes.extend(MAGIC);
    for version in versions {
        bytes.extend(version.sha256);
        for number in [version.from.seconds(), version.until.seconds(), version.bytes] {
            bytes.extend(number.to_le_bytes());
        }
    }
    let sum = checksum(name, &bytes);
    bytes.extend(sum);
    bytes
}

/// The list; `None` if it is damaged.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Option<Vec<FileVersion>> {
    let (list, sum) = bytes.split_last_chunk::<HASH>()?;
    let (entries, rest) = list.strip_prefix(MAGIC)?.as_chunks::<ENTRY>();
    (rest.is_empty() && checksum(name, list) == *sum).then_some(())?;
    entries.iter().map(entry).collect()
}

/// The checksum binds a list to the name of its key.
fn checksum(name: &str, list: &[u8]) -> [u8; HASH] {
    Sha256::new().chain_update(name).chain_update(list).finalize().into()
}

fn entry(entry: &[u8; ENTRY]) -> Option<FileVersion> {
    let (sha256, numbers) = entry.split_first_chunk::<HASH>()?;
    let mut numbers = numbers.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
    let (from, until) = (numbers.next()?, numbers.next()?);
    let at = Timestamp::from_seconds;
    Some(FileVersion::new(*sha256, at(from), at(until), numbers.next()?))
}

/// Removes the oldest versions beyond the limits. The last one, the current one, always remains.
/// Returns the hashes whose bodies are not needed.
pub(crate) fn shorten(versions: &mut Vec<FileVersion>) -> Vec<[u8; 32]> {
    let excess = FileVersion::excess(versions, VERSIONS, VERSION_BYTES);
    let removed: Vec<_> = versions.drain(..excess).map(|version| version.sha256).collect();
    let is_needed = |sha256: &[u8; 32]| versions.iter().any(|kept| kept.sha256 == *sha256);
    removed.into_iter().filter(|sha256| !is_needed(sha256)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(number: u8, bytes: u64) -> FileVersion {
        let at = Timestamp::from_seconds;
        FileVersion::new([number; 32], at(number.into()), at(u64::from(number) + 1), bytes)
    }

    #[test]
    fn a_list_is_read_as_written_and_damage_is_detected() {
        let versions = [version(1, 10), version(2, u64::MAX)];
        let bytes = encode("key", &versions);
        assert_eq!(decode("key", &bytes), Some(versions.to_vec()));
        assert_eq!(decode("other", &bytes), None);
        assert_eq!(decode("key", &encode("key", &[])), Some(Vec::new()));
        for end in 0..bytes.len() {
            assert_eq!(decode("key", &bytes[..end]), None, "{end}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(decode("key", &damaged), None, "{at}");
        }
    }

    #[test]
    fn the_oldest_versions_are_removed_first() {
        let mut versions: Vec<_> = (0..20).map(|number| version(number, 10)).collect();
        let removed = shorten(&mut versions);
        assert_eq!((versions.len(), removed.len()), (VERSIONS, 20 - VERSIONS));
        assert_eq!(versions.last(), Some(&version(19, 10)));

        let mut versions = vec![version(1, 10), version(2, VERSION_BYTES), version(3, u64::MAX)];
        assert_eq!(shorten(&mut versions), [[1; 32]]);
        // A body that is still needed remains.
        let mut versions = vec![version(3, 10), version(2, VERSION_BYTES), version(3, 10)];
        assert!(shorten(&mut versions).is_empty());
        assert_eq!(versions.len(), 2);
    }
}
