//! Encoding of a record as bytes.
//!
//! ```text
//! offset  0  4   `VRGR`
//!         4  2   version
//!         6  8   length of the body
//!        14  8   length of the head
//!        22      body
//!                head
//!            32  SHA-256 of the body
//!            32  SHA-256 of everything before it but the body
//! ```
//!
//! Numbers are in little endian. Every version has this frame, which distinguishes a damaged record
//! from a newer one. Every byte is hashed once. The body has a fixed offset, so that a SQL tool can
//! extract it.

mod parts;

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use verger::access::{State, Timestamp};

use self::parts::Part;
use super::file::{Body, File};
use super::response::Response;
use super::{Miss, OriginRecord, RecordKey};

/// The version of written records.
pub(super) const VERSION: u16 = 4;

/// Offset of the body.
pub(crate) const BODY_OFFSET: usize = 22;

const MAGIC: &[u8] = b"VRGR";
const HASH: usize = 32;

impl OriginRecord {
    /// Encodes the record. A fault of the client is not included.
    ///
    /// # Complexity
    ///
    /// Linear in the record; the body is not hashed again.
    pub fn encode(&self) -> Vec<u8> {
        let head = self.head();
        let empty = Body::default();
        let body = self.file().map_or(&empty, |file| &file.body);
        let length = BODY_OFFSET + body.as_bytes().len() + head.len() + 2 * HASH;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        for part in [body.as_bytes(), &head] {
            bytes.extend((part.len() as u64).to_le_bytes());
        }
        let checksum = checksum(&bytes, &head, body.sha256());
        bytes.extend(body.as_bytes());
        bytes.extend(head);
        bytes.extend(body.sha256());
        bytes.extend(checksum);
        bytes
    }

    /// Decodes the record with this key.
    ///
    /// # Errors
    ///
    /// [`Miss::Damaged`] if the bytes are not an encoded record, [`Miss::Newer`] if a newer version
    /// wrote them, [`Miss::Foreign`] if they are a record with another key.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes, in time and memory, whatever lengths they contain.
    pub fn decode(bytes: &[u8], key: &RecordKey) -> Result<Self, Miss> {
        let record = Self::decode_any(bytes)?;
        if record.key != *key {
            return Err(Miss::Foreign { found: record.key.as_str().to_owned() });
        }
        Ok(record)
    }

    /// Decodes a record with any key, for a search in a store. Use [`decode`](Self::decode) for a
    /// known key.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), except [`Miss::Foreign`].
    pub fn decode_any(bytes: &[u8]) -> Result<Self, Miss> {
        let (version, body, head) = unframe(bytes).ok_or(Miss::Damaged)?;
        match version {
            VERSION => Self::from_head(head, body).ok_or(Miss::Damaged),
            version if version > VERSION => Err(Miss::Newer { version }),
            _ => Err(Miss::Damaged),
        }
    }

    fn head(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Its body is before the head.
        let file = self.file().map(|file| File { body: Body::default(), ..file.clone() });
        self.key.as_str().to_owned().write(&mut bytes);
        file.write(&mut bytes);
        self.tried_at.write(&mut bytes);
        self.piece.write(&mut bytes);
        self.last.write(&mut bytes);
        self.state.write(&mut bytes);
        bytes
    }

    fn from_head(mut head: &[u8], body: Body) -> Option<Self> {
        let rest = &mut head;
        let key = RecordKey::from_text(&String::read(rest)?)?;
        let file = Option::<File>::read(rest)?;
        let tried_at = Timestamp::read(rest)?;
        let piece = Option::<Arc<File>>::read(rest)?;
        let last = Option::<Arc<Response>>::read(rest)?;
        let state = State::read(rest)?;
        rest.is_empty().then_some(())?;
        // Validators of another origin are never written, so they are rejected too.
        let is_own = |file: &File| file.validators.is_empty() || file.is_from(key.origin());
        let is_possible = match &file {
            Some(file) => {
                let is_without_body = file.body.as_bytes().is_empty();
                is_without_body && is_own(file) && piece.as_deref().is_none_or(is_own)
            }
            None => body.as_bytes().is_empty() && !state.has_copy() && piece.is_none(),
        };
        let file = file.map(|file| Arc::new(File { body, ..file }));
        is_possible.then(|| Self { state, file, piece, last, tried_at, ..Self::new(key) })
    }
}

/// The version, the body and the head of a whole frame.
fn unframe(bytes: &[u8]) -> Option<(u16, Body, &[u8])> {
    let (start, rest) = bytes.split_at_checked(BODY_OFFSET)?;
    let (version, lengths) = start.strip_prefix(MAGIC)?.split_first_chunk()?;
    let length = |bytes: &[u8; 8]| usize::try_from(u64::from_le_bytes(*bytes)).ok();
    let [body_length, head_length] = lengths.as_chunks::<8>().0 else { return None };
    let (body, rest) = rest.split_at_checked(length(body_length)?)?;
    let (head, hashes) = rest.split_at_checked(length(head_length)?)?;
    let (body_hash, expected) = hashes.split_first_chunk()?;
    (checksum(start, head, body_hash) == expected).then_some(())?;
    let body = Body::new(body);
    (body.sha256() == body_hash).then_some((u16::from_le_bytes(*version), body, head))
}

fn checksum(start: &[u8], head: &[u8], body_hash: &[u8; HASH]) -> [u8; HASH] {
    Sha256::new().chain_update(start).chain_update(head).chain_update(body_hash).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;
    use crate::record::{Attempt, Lifetime, ReadOptions, Redirect, Validators};
    use fastrand::Rng;
    use std::time::Duration;
    use verger::Origin;
    use verger::access::{Outcome, Profile, Timestamp};

    fn origin(host: &str) -> Origin {
        Origin::from_parts("https", host, Some(8443)).unwrap()
    }

    /// A record with a value in every field.
    fn full() -> OriginRecord {
        let origin = origin("shop.example");
        let now = Timestamp::from_seconds(1_763_700_000);
        let file = File {
            outcome: Outcome::Status(203),
            lifetime: Some(Lifetime { stated: Duration::from_secs(600), by_max_age: true }),
            redirects: vec![Redirect {
                url: "https://shop.example:8443/robots.txt".into(),
                status: 301,
            }],
            final_url: "https://shop.example:8443/r.txt".into(),
            validators: Validators {
                etag: Some(b"\"a\"".into()),
                last_modified: Some(b"Sun, 06 Nov 1994 08:49:37 GMT".into()),
            },
            media_type: Some(b"text/plain".into()),
            cut_at: Some(512_000),
            html: true,
            ..File::new(&origin, "User-agent: *\nDisallow: /\n", now)
        };
        let piece = File { cut_at: Some(1), ..File::new(&origin, "U", now) };
        let last = Response {
            status: Some(503),
            failure: Some(Failure::Status(503)),
            retry_after: Some(Duration::from_secs(90)),
            ..Response::new(now, Outcome::Status(503), origin.robots_url())
        };
        let profile = Profile::RFC9309;
        let state = State::UNKNOWN.after(&profile, Outcome::Success, now);
        let down = now.after(Duration::from_secs(100_000));
        let state = state.after(&profile, Outcome::Network, down);
        let (file, last) = (Some(Arc::new(file)), Some(Arc::new(last)));
        let piece = Some(Arc::new(piece));
        OriginRecord { state, file, piece, last, ..OriginRecord::new(key(&origin)) }
    }

    fn key(origin: &Origin) -> RecordKey {
        ReadOptions::new(Profile::RFC9309).with_identity("ExampleBot").key(origin)
    }

    /// The bytes with their correct checksum.
    fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let body_end = BODY_OFFSET + usize::from(bytes[6]);
        let end = bytes.len() - HASH;
        let body_hash = bytes[end - HASH..end].try_into().unwrap();
        let sum = checksum(&bytes[..BODY_OFFSET], &bytes[body_end..end - HASH], &body_hash);
        bytes[end..].copy_from_slice(&sum);
        bytes
    }

    #[test]
    fn every_byte_set_to_any_value_is_a_miss() {
        let record = full();
        let bytes = record.encode();
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = value;
                let expected =
                    if bytes[at] == value { Ok(record.clone()) } else { Err(Miss::Damaged) };
                assert_eq!(OriginRecord::decode_any(&changed), expected, "{at}: {value}");
            }
        }
    }

    #[test]
    fn every_truncation_and_anything_after_the_end_is_a_miss() {
        let bytes = full().encode();
        for length in 0..bytes.len() {
            assert_eq!(OriginRecord::decode_any(&bytes[..length]), Err(Miss::Damaged), "{length}");
            assert_eq!(
                OriginRecord::decode_any(&bytes[length + 1..]),
                Err(Miss::Damaged),
                "{length}"
            );
        }
        for more in [&b"\0"[..], b"VRGR", &bytes] {
            let longer = [&bytes, more].concat();
            assert_eq!(OriginRecord::decode_any(&longer), Err(Miss::Damaged));
        }
    }

    #[test]
    fn a_head_with_a_flipped_bit_has_the_same_key_or_is_a_miss() {
        let record = full();
        let bytes = record.encode();
        let head =
            BODY_OFFSET + record.file().unwrap().body.as_bytes().len()..bytes.len() - 2 * HASH;
        for bit in head.start * 8..head.end * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let bytes = resealed(bytes);
            if let Ok(found) = OriginRecord::decode(&bytes, record.key()) {
                assert_eq!(found.key(), record.key());
                assert_eq!(found.encode(), bytes, "one way to write a record");
            }
        }
    }

    #[test]
    fn newer_version_differs_from_a_damaged_or_nonexistent_one() {
        for (version, expected) in [(7, Miss::Newer { version: 7 }), (0, Miss::Damaged)] {
            let mut bytes = full().encode();
            bytes[4..6].copy_from_slice(&u16::to_le_bytes(version));
            assert_eq!(OriginRecord::decode_any(&bytes), Err(Miss::Damaged));
            assert_eq!(OriginRecord::decode_any(&resealed(bytes)), Err(expected));
        }
    }

    #[test]
    fn record_with_another_key_is_foreign() {
        let bytes = full().encode();
        let others = [
            Origin::from_parts("http", "shop.example", Some(8443)),
            Origin::from_parts("https", "shop.example", None),
            Origin::from_parts("https", "shop.example.", Some(8443)),
            Origin::from_parts("https", "www.shop.example", Some(8443)),
        ];
        let others = others.map(|other| key(&other.unwrap()));
        let origin = origin("shop.example");
        let other_profile = ReadOptions::new(Profile::GOOGLE).with_identity("ExampleBot");
        let other_identity = ReadOptions::new(Profile::RFC9309).with_identity("OtherBot");
        let readers = [other_profile, other_identity].map(|options| options.key(&origin));
        for other in others.into_iter().chain(readers) {
            let found = key(&origin).as_str().to_owned();
            assert_eq!(OriginRecord::decode(&bytes, &other), Err(Miss::Foreign { found }));
        }
    }

    #[test]
    fn validators_of_another_origin_are_neither_stored_nor_accepted() {
        let record = full();
        let file = record.file().unwrap().clone();
        let file = File { final_url: "https://cdn.example/robots.txt".into(), ..file };
        let foreign = OriginRecord { file: Some(Arc::new(file.clone())), ..record.clone() };
        assert_eq!(OriginRecord::decode_any(&foreign.encode()), Err(Miss::Damaged));
        let now = Timestamp::from_seconds(1_763_900_000);
        let response = Response::new(now, Outcome::Success, file.final_url.clone());
        let mut attempt = Attempt::new(response);
        attempt.file = Some(File { cut_at: None, ..file });
        let options = ReadOptions::new(Profile::RFC9309);
        let record = record.after(None, &options, attempt, 0).shared.unwrap();
        assert!(record.file().unwrap().validators.is_empty());
        assert_eq!(OriginRecord::decode_any(&record.encode()), Ok(record));
    }

    #[test]
    fn a_state_without_its_file_is_damage() {
        let missing = OriginRecord { file: None, piece: None, ..full() };
        assert_eq!(OriginRecord::decode_any(&missing.encode()), Err(Miss::Damaged));
    }

    #[test]
    fn wrong_lengths_are_damage() {
        let bytes = full().encode();
        for at in [6, 14] {
            for length in [0, 1, u64::from(u32::MAX), u64::MAX, u64::MAX / 2] {
                let mut bytes = bytes.clone();
                bytes[at..at + 8].copy_from_slice(&length.to_le_bytes());
                assert_eq!(OriginRecord::decode_any(&bytes), Err(Miss::Damaged));
            }
        }
    }

    /// A text of up to `most` of these characters.
    fn text(rng: &mut Rng, most: usize, characters: &str) -> String {
        let characters: Vec<char> = characters.chars().collect();
        (0..rng.usize(..=most)).filter_map(|_| rng.choice(&characters)).collect()
    }

    fn bytes(rng: &mut Rng, most: usize) -> Vec<u8> {
        (0..rng.usize(..most)).map(|_| rng.u8(..)).collect()
    }

    fn maybe<T>(rng: &mut Rng, make: impl FnOnce(&mut Rng) -> T) -> Option<T> {
        rng.bool().then(|| make(rng))
    }

    /// Any number, more often one at a border.
    fn number(rng: &mut Rng) -> u64 {
        [0, 1, u64::from(u32::MAX), u64::MAX, rng.u64(..), rng.u64(..)][rng.usize(..6)]
    }

    fn random_origin(rng: &mut Rng) -> Origin {
        let scheme = ["http", "https", "ftp", "a+b.c-1"][rng.usize(..4)];
        let name = |rng: &mut Rng| text(rng, 1, "azAZ_-") + "a" + &text(rng, 18, "azAZ09_-");
        let host = match rng.usize(..4) {
            0 => format!("[::{:x}]", rng.u16(..)),
            1 => name(rng) + ".",
            2 => format!("{}.{}.b0", name(rng), name(rng)),
            _ => name(rng),
        };
        Origin::from_parts(scheme, &host, maybe(rng, |rng| rng.u16(..))).expect(&host)
    }

    fn random_lifetime(rng: &mut Rng) -> Option<Lifetime> {
        maybe(rng, |rng| Lifetime {
            stated: Duration::from_secs(number(rng)),
            by_max_age: rng.bool(),
        })
    }

    const TEXT: &str = "ab/:?#%\"\\\0\t\u{7f}é\u{202e}\u{fffd}🐈";

    fn random_redirects(rng: &mut Rng) -> Vec<Redirect> {
        let redirect = |rng: &mut Rng| Redirect { url: text(rng, 40, TEXT), status: rng.u16(..) };
        (0..rng.usize(..6)).map(|_| redirect(rng)).collect()
    }

    fn random_file(rng: &mut Rng) -> File {
        let outcome =
            if rng.bool() { Outcome::Success } else { Outcome::Status(rng.u16(201..300)) };
        File {
            body: Body::new(bytes(rng, 2_000)),
            outcome,
            fetched_at: Timestamp::from_seconds(rng.u32(..).into()),
            lifetime: random_lifetime(rng),
            redirects: random_redirects(rng),
            final_url: text(rng, 60, TEXT),
            validators: Validators {
                etag: maybe(rng, |rng| bytes(rng, 100)),
                last_modified: maybe(rng, |rng| bytes(rng, 100)),
            },
            media_type: maybe(rng, |rng| bytes(rng, 100)),
            cut_at: maybe(rng, number),
            downgraded: rng.bool(),
            html: rng.bool(),
        }
    }

    fn random_response(rng: &mut Rng) -> Response {
        let status = maybe(rng, |rng| rng.u16(..));
        Response {
            tried_at: Timestamp::from_seconds(number(rng)),
            outcome: status.map_or(Outcome::Network, Outcome::Status),
            status,
            failure: maybe(rng, |rng| Failure::Status(rng.u16(..))),
            failures: 3,
            is_unclear: rng.bool(),
            lifetime: random_lifetime(rng),
            retry_after: maybe(rng, |rng| Duration::from_secs(number(rng))),
            redirects: random_redirects(rng),
            final_url: text(rng, 60, TEXT),
            downgraded: rng.bool(),
        }
    }

    #[test]
    fn encoded_records_are_decoded_unchanged() {
        for seed in 0..256 {
            let rng = &mut Rng::with_seed(seed);
            let (origin, mut file) = (random_origin(rng), random_file(rng));
            // Validators of another origin are not stored.
            if rng.bool() {
                file.final_url = format!("{origin}/{}", file.final_url);
            } else {
                file.validators = Validators::default();
            }
            let state = State::UNKNOWN.after(&Profile::RFC9309, Outcome::Success, file.fetched_at);
            let last = maybe(rng, random_response).map(Arc::new);
            let (file, key) = (Some(Arc::new(file)), key(&origin));
            let record = OriginRecord { state, file, last, ..OriginRecord::new(key.clone()) };
            assert_eq!(OriginRecord::decode(&record.encode(), &key), Ok(record), "seed {seed}");
        }
    }

    #[test]
    fn any_bytes_are_a_miss() {
        for seed in 0..256 {
            let bytes = bytes(&mut Rng::with_seed(seed), 500);
            assert_eq!(OriginRecord::decode_any(&bytes), Err(Miss::Damaged), "seed {seed}");
        }
    }
}
