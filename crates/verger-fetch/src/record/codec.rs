//! A record as bytes.
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
//! Numbers are in little endian. This frame is that of every version, so that a damaged record and a
//! newer one can be told apart; the head is that of version 1. Every byte is hashed once. The body
//! stands at a fixed place, so that a SQL tool can cut it out.

use sha2::{Digest as _, Sha256};
use verger::Origin;
use verger::access::State;

use super::answer::{Answer, Body, Hop, Validators};
use super::field::{Reader, Writer};
use super::{Miss, Record};

/// The version of the records that are written.
pub const VERSION: u16 = 1;

/// Where the body begins.
pub(crate) const BODY_OFFSET: usize = 22;

const MAGIC: &[u8; 4] = b"VRGR";
const HASH: usize = 32;

const TRUNCATED: u8 = 1;
const DOWNGRADED: u8 = 2;
const HTML: u8 = 4;

impl Record {
    /// The record as bytes.
    ///
    /// # Complexity
    ///
    /// Linear in the record; the body is not hashed again.
    pub fn encode(&self) -> Vec<u8> {
        let head = self.head();
        let body = &self.answer.body;
        let length = BODY_OFFSET + body.as_bytes().len() + head.len() + 2 * HASH;
        let mut writer = Writer(Vec::with_capacity(length));
        writer.0.extend(MAGIC);
        writer.u16(VERSION);
        writer.length(body.as_bytes().len());
        writer.length(head.len());
        let checksum = checksum(&writer.0, &head, body.sha256());
        writer.0.extend(body.as_bytes());
        writer.0.extend(head);
        writer.0.extend(body.sha256());
        writer.0.extend(checksum);
        writer.0
    }

    /// The record that the bytes hold, if it is one of this origin.
    ///
    /// # Errors
    ///
    /// [`Miss::Damaged`] when the bytes are not those that [`encode`](Self::encode) wrote,
    /// [`Miss::Newer`] when a newer version wrote them, [`Miss::Foreign`] when they are the record of
    /// another origin.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes, in time and memory, whatever they say of lengths.
    pub fn decode(bytes: &[u8], origin: &Origin) -> Result<Self, Miss> {
        let record = Self::decode_any(bytes)?;
        if record.origin != *origin {
            return Err(Miss::Foreign { found: record.origin.to_string() });
        }
        Ok(record)
    }

    /// The record that the bytes hold, whosever it is. For looking through a store; who asks for an
    /// origin uses [`decode`](Self::decode).
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), but for [`Miss::Foreign`].
    pub fn decode_any(bytes: &[u8]) -> Result<Self, Miss> {
        let (version, body, head) = unframe(bytes).ok_or(Miss::Damaged)?;
        match version {
            VERSION => Self::from_head(head, body).ok_or(Miss::Damaged),
            0 => Err(Miss::Damaged),
            version => Err(Miss::Newer { version }),
        }
    }

    fn head(&self) -> Vec<u8> {
        let Self { origin, state, tried_at, answer } = self;
        let Validators { etag, last_modified } = &answer.validators;
        let mut writer = Writer::default();
        writer.bytes(origin.scheme().as_bytes());
        writer.bytes(origin.host().as_bytes());
        writer.option(origin.port(), Writer::u16);
        writer.0.extend(state.encode());
        writer.u64(*tried_at);
        writer.option(answer.status, Writer::u16);
        writer.length(answer.hops.len());
        for hop in &answer.hops {
            writer.bytes(hop.url.as_bytes());
            writer.u16(hop.status);
        }
        writer.bytes(answer.final_url.as_bytes());
        for field in [etag, last_modified, &answer.media_type] {
            writer.option(field.as_deref(), Writer::bytes);
        }
        writer.bytes(answer.access_profile.as_bytes());
        writer.option(answer.failure.as_deref().map(str::as_bytes), Writer::bytes);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        writer.u8(flag(answer.truncated, TRUNCATED)
            | flag(answer.downgraded, DOWNGRADED)
            | flag(answer.html, HTML));
        writer.0
    }

    fn from_head(head: &[u8], body: Body) -> Option<Self> {
        let mut reader = Reader(head);
        let (scheme, host) = (reader.text()?, reader.text()?);
        let port = reader.option(Reader::u16)?;
        let origin = Origin::from_parts(&scheme, &host, port).ok()?;
        // One spelling for each origin, or the same bytes would be two records.
        let is_canonical =
            (origin.scheme(), origin.host(), origin.port()) == (&*scheme, &*host, port);
        let state = State::decode(reader.take(State::BYTES)?)?;
        let tried_at = reader.u64()?;
        let status = reader.option(Reader::u16)?;
        // A count that lies runs out of bytes.
        let count = reader.length()?;
        let hops = (0..count)
            .map(|_| Some(Hop { url: reader.text()?, status: reader.u16()? }))
            .collect::<Option<_>>()?;
        let final_url = reader.text()?;
        let mut field = || reader.option(|reader| reader.bytes().map(<[u8]>::to_vec));
        let validators = Validators { etag: field()?, last_modified: field()? };
        let media_type = field()?;
        let access_profile = reader.text()?;
        let failure = reader.option(Reader::text)?;
        let flags = reader.u8().filter(|flags| flags & !(TRUNCATED | DOWNGRADED | HTML) == 0)?;
        reader.end()?;
        let answer = Answer {
            status,
            hops,
            final_url,
            validators,
            media_type,
            access_profile,
            failure,
            truncated: flags & TRUNCATED != 0,
            downgraded: flags & DOWNGRADED != 0,
            html: flags & HTML != 0,
            body,
        };
        // Validators of another origin are never written, so they are not believed either.
        let is_own = answer.validators.is_empty() || answer.is_from(&origin);
        (is_canonical && is_own).then_some(Self { origin, state, tried_at, answer })
    }
}

/// The version, the body and the head of a whole frame.
fn unframe(bytes: &[u8]) -> Option<(u16, Body, &[u8])> {
    let start = bytes.get(..BODY_OFFSET)?;
    let mut reader = Reader(bytes);
    (reader.array()? == *MAGIC).then_some(())?;
    let version = reader.u16()?;
    let (body_length, head_length) = (reader.length()?, reader.length()?);
    let (body, head) = (reader.take(body_length)?, reader.take(head_length)?);
    let (body_hash, expected) = (reader.array()?, reader.array::<HASH>()?);
    reader.end()?;
    (checksum(start, head, &body_hash) == expected).then_some(())?;
    let body = Body::new(body);
    (*body.sha256() == body_hash).then_some((version, body, head))
}

fn checksum(start: &[u8], head: &[u8], body_hash: &[u8; HASH]) -> [u8; HASH] {
    Sha256::new().chain_update(start).chain_update(head).chain_update(body_hash).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn origin(host: &str) -> Origin {
        Origin::from_parts("https", host, Some(8443)).unwrap()
    }

    /// Every field has something in it.
    fn full() -> Record {
        let answer = Answer {
            status: Some(200),
            hops: vec![Hop { url: "https://shop.example:8443/robots.txt".into(), status: 301 }],
            final_url: "https://shop.example:8443/r.txt".into(),
            validators: Validators {
                etag: Some(b"\"a\"".into()),
                last_modified: Some(b"Sun, 06 Nov 1994 08:49:37 GMT".into()),
            },
            media_type: Some(b"text/plain".into()),
            access_profile: "rfc9309".into(),
            failure: Some("no answer".into()),
            truncated: true,
            downgraded: false,
            html: true,
            body: Body::new("User-agent: *\nDisallow: /\n"),
        };
        let state = state(1_763_700_000, true);
        Record::new(origin("shop.example"), state, 1_763_700_000, answer)
    }

    /// A state at a time, of an outage with a copy where it is so.
    fn state(now: u64, is_down: bool) -> State {
        use verger::access::{Outcome, Profile, Timestamp};
        let now = Timestamp::from_seconds(now);
        let state = State::UNKNOWN.after(&Profile::RFC9309, Outcome::Success, now, 0);
        if is_down { state.after(&Profile::RFC9309, Outcome::Network, now, 7) } else { state }
    }

    /// The bytes with a checksum that fits them.
    fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let body_end = BODY_OFFSET + usize::from(bytes[6]);
        let end = bytes.len() - HASH;
        let body_hash = bytes[end - HASH..end].try_into().unwrap();
        let sum = checksum(&bytes[..BODY_OFFSET], &bytes[body_end..end - HASH], &body_hash);
        bytes[end..].copy_from_slice(&sum);
        bytes
    }

    #[test]
    fn every_flipped_bit_is_a_miss() {
        let record = full();
        let bytes = record.encode();
        assert_eq!(Record::decode(&bytes, record.origin()), Ok(record.clone()));
        for bit in 0..bytes.len() * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::decode_any(&bytes), Err(Miss::Damaged), "bit {bit}");
        }
    }

    #[test]
    fn every_byte_set_to_any_value_is_a_miss() {
        let bytes = full().encode();
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = value;
                let is_same = bytes[at] == value;
                assert_eq!(Record::decode_any(&changed).is_ok(), is_same, "{at}: {value}");
            }
        }
    }

    #[test]
    fn every_truncation_and_anything_behind_the_end_is_a_miss() {
        let bytes = full().encode();
        for length in 0..bytes.len() {
            assert_eq!(Record::decode_any(&bytes[..length]), Err(Miss::Damaged), "{length}");
            assert_eq!(Record::decode_any(&bytes[length + 1..]), Err(Miss::Damaged), "{length}");
        }
        for more in [&b"\0"[..], b"VRGR", &bytes] {
            let longer = [&bytes, more].concat();
            assert_eq!(Record::decode_any(&longer), Err(Miss::Damaged));
        }
    }

    #[test]
    fn every_bit_of_the_head_flipped_under_a_fitting_checksum_is_this_origins_or_a_miss() {
        let record = full();
        let bytes = record.encode();
        let head = BODY_OFFSET + record.answer.body.as_bytes().len()..bytes.len() - 2 * HASH;
        for bit in head.start * 8..head.end * 8 {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let bytes = resealed(bytes);
            if let Ok(found) = Record::decode(&bytes, record.origin()) {
                assert_eq!(found.origin(), record.origin());
                assert_eq!(found.encode(), bytes, "one way to write a record");
            }
        }
    }

    #[test]
    fn newer_version_is_told_from_a_damaged_one() {
        let mut bytes = full().encode();
        bytes[4..6].copy_from_slice(&7_u16.to_le_bytes());
        assert_eq!(Record::decode_any(&bytes), Err(Miss::Damaged));
        assert_eq!(Record::decode_any(&resealed(bytes)), Err(Miss::Newer { version: 7 }));
    }

    #[test]
    fn version_that_never_was_is_damage() {
        let mut bytes = full().encode();
        bytes[4..6].copy_from_slice(&[0, 0]);
        assert_eq!(Record::decode_any(&resealed(bytes)), Err(Miss::Damaged));
    }

    #[test]
    fn record_of_another_origin_is_foreign() {
        let bytes = full().encode();
        let others = [
            Origin::from_parts("http", "shop.example", Some(8443)),
            Origin::from_parts("https", "shop.example", None),
            Origin::from_parts("https", "shop.example.", Some(8443)),
            Origin::from_parts("https", "www.shop.example", Some(8443)),
        ];
        for other in others {
            let found = "https://shop.example:8443".to_owned();
            assert_eq!(Record::decode(&bytes, &other.unwrap()), Err(Miss::Foreign { found }));
        }
    }

    #[test]
    fn validators_of_another_origin_are_neither_kept_nor_believed() {
        let mut record = full();
        record.answer.final_url = "https://cdn.example/robots.txt".into();
        assert_eq!(Record::decode_any(&record.encode()), Err(Miss::Damaged));
        let Record { origin, state, tried_at, answer } = record;
        let record = Record::new(origin, state, tried_at, answer);
        assert!(record.answer().validators.is_empty());
        assert_eq!(Record::decode_any(&record.encode()), Ok(record));
    }

    #[test]
    fn lengths_that_lie_cost_nothing() {
        let bytes = full().encode();
        for at in [6, 14] {
            for length in [0, 1, u64::from(u32::MAX), u64::MAX, u64::MAX / 2] {
                let mut bytes = bytes.clone();
                bytes[at..at + 8].copy_from_slice(&length.to_le_bytes());
                assert_eq!(Record::decode_any(&bytes), Err(Miss::Damaged));
            }
        }
    }

    prop_compose! {
        fn origins()(
            scheme in "https?|ftp|[a-z][a-z0-9+.-]{0,8}",
            host in r"[a-zA-Z_-][a-zA-Z0-9_-]{0,19}(\.[a-z][a-z0-9]{0,9}){0,3}\.?|\[::[0-9a-f]{1,4}\]",
            port in any::<Option<u16>>(),
        ) -> Origin {
            Origin::from_parts(&scheme, &host, port).unwrap()
        }
    }

    prop_compose! {
        fn answers()(
            status in any::<Option<u16>>(),
            hops in prop::collection::vec((".{0,40}", any::<u16>()), 0..6),
            final_url in ".{0,60}",
            is_own in any::<bool>(),
            fields in any::<[Option<Vec<u8>>; 3]>(),
            access_profile in ".{0,20}",
            failure in any::<Option<String>>(),
            flags in any::<[bool; 3]>(),
            body in prop::collection::vec(any::<u8>(), 0..2_000),
        ) -> (bool, Answer) {
            let [etag, last_modified, media_type] = fields;
            let [truncated, downgraded, html] = flags;
            let hops = hops.into_iter().map(|(url, status)| Hop { url, status }).collect();
            let validators = Validators { etag, last_modified };
            (is_own, Answer {
                status, hops, final_url, validators, media_type, access_profile, failure, truncated,
                downgraded, html, body: Body::new(body),
            })
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            origin in origins(),
            state in (0..=u64::from(u32::MAX), any::<bool>()),
            tried_at in any::<u64>(),
            (is_own, mut answer) in answers(),
        ) {
            if is_own {
                answer.final_url = format!("{origin}/{}", answer.final_url);
            }
            let kept = answer.validators.clone();
            let state = self::state(state.0, state.1);
            let record = Record::new(origin.clone(), state, tried_at, answer);
            if is_own {
                prop_assert_eq!(&record.answer().validators, &kept);
            }
            prop_assert_eq!(Record::decode(&record.encode(), &origin), Ok(record));
        }

        #[test]
        fn any_bytes_are_a_miss(bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(Record::decode_any(&bytes), Err(Miss::Damaged));
        }
    }
}
