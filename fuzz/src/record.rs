//! Target `record`: encoding of stored records, and decoding of other bytes.
//!
//! The bytes are decoded. Then they choose the fields of a record.
//!
//! Decoded records encode to the same bytes, and are valid only for their origin. An encoded record
//! decodes to itself; with a flipped bit, or cut, it is rejected as damaged.

use std::time::Duration;

use arbitrary::{Arbitrary as _, Result, Unstructured};
use verger::Origin;
use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::failure::Failure;
use verger_fetch::record::{
    Attempt, File, Lifetime, Miss, OriginRecord, ReadOptions, Redirect, Response, Validators,
};

/// Checks records.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    foreign(bytes);
    let mut choices = Unstructured::new(bytes);
    // If the choices run out, there is no record.
    if let Ok(record) = record(&mut choices) {
        let place = usize::arbitrary(&mut choices).unwrap_or_default();
        written(&record, place);
    }
}

fn foreign(bytes: &[u8]) {
    let Ok(record) = OriginRecord::decode_any(bytes) else { return };
    assert_eq!(record.encode(), bytes);
    assert_eq!(OriginRecord::decode_any(&record.encode()).as_ref(), Ok(&record));
    assert_eq!(OriginRecord::decode(bytes, record.key()).as_ref(), Ok(&record));
    let options = ReadOptions::new(Profile::RFC9309);
    let other = options.key(&other(record.origin()));
    let found = record.key().as_str().to_owned();
    assert_eq!(OriginRecord::decode(bytes, &other), Err(Miss::Foreign { found }));
}

fn written(record: &OriginRecord, place: usize) {
    let bytes = record.encode();
    foreign(&bytes);
    assert_eq!(OriginRecord::decode_any(&bytes).as_ref(), Ok(record));
    let bit = place % (bytes.len() * 8);
    let mut flipped = bytes.clone();
    flipped[bit / 8] ^= 1 << (bit % 8);
    assert_eq!(OriginRecord::decode_any(&flipped), Err(Miss::Damaged));
    assert_eq!(OriginRecord::decode_any(&bytes[..place % bytes.len()]), Err(Miss::Damaged));
}

/// A different origin.
fn other(origin: &Origin) -> Origin {
    let port = if origin.port() == Some(1) { 2 } else { 1 };
    Origin::from_parts(origin.scheme(), origin.host(), Some(port)).expect("only the port differs")
}

fn record(choices: &mut Unstructured<'_>) -> Result<OriginRecord> {
    let scheme = *choices.choose(&["http", "https", "ftp"])?;
    let host = *choices.choose(&["a", "shop.example", "shop.example.", "192.0.2.1", "[::1]"])?;
    let origin = Origin::from_parts(scheme, host, choices.arbitrary()?).expect("a host");
    let options = ReadOptions::new(*choices.choose(&Profile::ALL)?);
    let options = options.with_identity(choices.choose(&["", "ExampleBot"])?);
    let mut record = OriginRecord::new(options.key(&origin));
    for _ in 0..choices.int_in_range(1..=4)? {
        let attempt = attempt(record.origin(), choices)?;
        if let Some(next) = record.after(None, &options, attempt, choices.arbitrary()?).shared {
            record = next;
        }
    }
    Ok(record)
}

fn attempt(origin: &Origin, choices: &mut Unstructured<'_>) -> Result<Attempt> {
    let now = Timestamp::from_seconds(choices.arbitrary::<u32>()?.into());
    let outcome = match choices.int_in_range(0..=7)? {
        0 | 1 => Outcome::Success,
        2 => Outcome::Network,
        3 => Outcome::RedirectLimit,
        4 => Outcome::NotModified,
        _ => Outcome::Status(choices.arbitrary()?),
    };
    let redirects = Vec::<(String, u16)>::arbitrary(choices)?;
    let redirects: Vec<Redirect> =
        redirects.into_iter().map(|(url, status)| Redirect { url, status }).collect();
    let path = String::arbitrary(choices)?;
    let final_url = if choices.arbitrary()? { format!("{origin}/{path}") } else { path };
    let failure = Option::<u16>::arbitrary(choices)?.map(Failure::Status);
    let lifetime = Option::<(u64, bool)>::arbitrary(choices)?
        .map(|(seconds, by_max_age)| Lifetime { stated: Duration::from_secs(seconds), by_max_age });
    let downgraded = choices.arbitrary()?;
    let mut attempt = Attempt::new(Response {
        status: choices.arbitrary()?,
        failure,
        is_unclear: choices.arbitrary()?,
        lifetime,
        redirects: redirects.clone(),
        downgraded,
        ..Response::new(now, outcome, final_url.clone())
    });
    attempt.other_answer =
        choices.arbitrary::<Option<u32>>()?.map(|it| Timestamp::from_seconds(it.into()));
    if matches!(outcome, Outcome::Success | Outcome::Status(200..=299)) {
        attempt.file = Some(File {
            outcome,
            lifetime,
            redirects,
            final_url,
            validators: Validators {
                etag: choices.arbitrary()?,
                last_modified: choices.arbitrary()?,
            },
            media_type: choices.arbitrary()?,
            cut_at: choices.arbitrary()?,
            downgraded,
            html: choices.arbitrary()?,
            ..File::new(origin, Vec::<u8>::arbitrary(choices)?, now)
        });
    }
    Ok(attempt)
}

/// The record of a robots.txt, as a seed.
pub(crate) fn seed(robots: &[u8]) -> Vec<u8> {
    let origin = Origin::from_parts("https", "shop.example", None).expect("a host");
    let response = Response::new(Timestamp::EPOCH, Outcome::Success, origin.robots_url());
    let mut attempt = Attempt::new(Response { status: Some(200), ..response });
    attempt.file = Some(File {
        validators: Validators { etag: Some(b"\"1\"".to_vec()), last_modified: None },
        media_type: Some(b"text/plain".to_vec()),
        ..File::new(&origin, robots, Timestamp::EPOCH)
    });
    let options = ReadOptions::new(Profile::RFC9309);
    let next = OriginRecord::new(options.key(&origin)).after(None, &options, attempt, 0);
    next.shared.expect("a file is new").encode()
}
