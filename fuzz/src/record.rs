//! Target `record`: what a store keeps, and what it makes of other bytes.
//!
//! The bytes are decoded as they are. Then they choose the fields of a record.
//!
//! Bytes that are a record are those that it is written as, and they are a record of its origin only. A
//! record that is written is read again; with a bit of it flipped, or cut, it is damaged.

use arbitrary::{Arbitrary as _, Result, Unstructured};
use verger::Origin;
use verger::access::State;
use verger_fetch::record::{Answer, Body, Hop, Miss, Record, Validators};

/// Holds records to all of that.
///
/// # Panics
///
/// When something does not hold.
pub fn property(bytes: &[u8]) {
    foreign(bytes);
    let mut choices = Unstructured::new(bytes);
    // Choices that run out give no record.
    if let Ok(record) = record(&mut choices) {
        let place = usize::arbitrary(&mut choices).unwrap_or_default();
        written(&record, place);
    }
}

fn foreign(bytes: &[u8]) {
    let Ok(record) = Record::decode_any(bytes) else { return };
    assert_eq!(record.encode(), bytes);
    assert_eq!(Record::decode(bytes, record.origin()).as_ref(), Ok(&record));
    let other = other(record.origin());
    let found = record.origin().to_string();
    assert_eq!(Record::decode(bytes, &other), Err(Miss::Foreign { found }));
}

fn written(record: &Record, place: usize) {
    let bytes = record.encode();
    foreign(&bytes);
    assert_eq!(Record::decode_any(&bytes).as_ref(), Ok(record));
    let bit = place % (bytes.len() * 8);
    let mut flipped = bytes.clone();
    flipped[bit / 8] ^= 1 << (bit % 8);
    assert_eq!(Record::decode_any(&flipped), Err(Miss::Damaged));
    assert_eq!(Record::decode_any(&bytes[..place % bytes.len()]), Err(Miss::Damaged));
}

/// An origin that is another one.
fn other(origin: &Origin) -> Origin {
    let port = if origin.port() == Some(1) { 2 } else { 1 };
    Origin::from_parts(origin.scheme(), origin.host(), Some(port)).expect("only the port differs")
}

fn record(choices: &mut Unstructured<'_>) -> Result<Record> {
    let scheme = *choices.choose(&["http", "https", "ftp"])?;
    let host = *choices.choose(&["a", "shop.example", "shop.example.", "192.0.2.1", "[::1]"])?;
    let origin = Origin::from_parts(scheme, host, choices.arbitrary()?).expect("a host");
    let state = <[u8; State::BYTES]>::arbitrary(choices)?;
    let state = State::decode(&state).unwrap_or(State::UNKNOWN);
    let hops = Vec::<(String, u16)>::arbitrary(choices)?;
    let path = String::arbitrary(choices)?;
    let is_own = bool::arbitrary(choices)?;
    let final_url = if is_own { format!("{origin}/{path}") } else { path };
    let answer = Answer {
        status: choices.arbitrary()?,
        hops: hops.into_iter().map(|(url, status)| Hop { url, status }).collect(),
        final_url,
        validators: Validators { etag: choices.arbitrary()?, last_modified: choices.arbitrary()? },
        media_type: choices.arbitrary()?,
        access_profile: choices.arbitrary()?,
        failure: choices.arbitrary()?,
        truncated: choices.arbitrary()?,
        downgraded: choices.arbitrary()?,
        html: choices.arbitrary()?,
        body: Body::new(Vec::arbitrary(choices)?),
    };
    Ok(Record::new(origin, state, choices.arbitrary()?, answer))
}

/// The record of a robots.txt, as a seed.
pub(crate) fn seed(robots: &[u8]) -> Vec<u8> {
    let origin = Origin::from_parts("https", "shop.example", None).expect("a host");
    let answer = Answer {
        status: Some(200),
        final_url: origin.robots_url(),
        validators: Validators { etag: Some(b"\"1\"".to_vec()), last_modified: None },
        media_type: Some(b"text/plain".to_vec()),
        access_profile: "rfc9309".to_owned(),
        body: Body::new(robots),
        ..Answer::default()
    };
    Record::new(origin, State::UNKNOWN, 0, answer).encode()
}
