//! The parts of a head: a file, a response; and their fields: numbers in little endian,
//! bytes after their length. Each value has exactly one encoding; others are rejected.

use std::time::Duration;

use verger::access::{Outcome, Timestamp};

use super::super::file::{Body, File, Lifetime, Redirect, Validators};
use super::super::response::Response;
use crate::failure::Failure;

const DOWNGRADED: u8 = 1;
const HTML: u8 = 2;

impl File {
    pub(super) fn write(&self, writer: &mut Writer) {
        outcome(writer, self.outcome);
        writer.u64(self.fetched_at.seconds());
        lifetime(writer, self.lifetime);
        redirects(writer, &self.redirects, &self.final_url);
        for field in [&self.validators.etag, &self.validators.last_modified, &self.media_type] {
            writer.option(field.as_deref(), Writer::bytes);
        }
        writer.option(self.cut_at, Writer::u64);
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        writer.u8(flag(self.downgraded, DOWNGRADED) | flag(self.html, HTML));
    }

    pub(super) fn read(reader: &mut Reader<'_>, body: Body) -> Option<Self> {
        let outcome = read_outcome(reader)?;
        let fetched_at = Timestamp::from_seconds(reader.u64()?);
        let lifetime = read_lifetime(reader)?;
        let (redirects, final_url) = read_redirects(reader)?;
        let mut field = || reader.option(|reader| reader.bytes().map(<[u8]>::to_vec));
        let validators = Validators { etag: field()?, last_modified: field()? };
        let media_type = field()?;
        let cut_at = reader.option(Reader::u64)?;
        let flags = reader.u8().filter(|flags| flags & !(DOWNGRADED | HTML) == 0)?;
        Some(Self {
            body,
            outcome,
            fetched_at,
            lifetime,
            redirects,
            final_url,
            validators,
            media_type,
            cut_at,
            downgraded: flags & DOWNGRADED != 0,
            html: flags & HTML != 0,
        })
    }
}

impl Response {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.u64(self.tried_at.seconds());
        outcome(writer, self.outcome);
        writer.option(self.status, Writer::u16);
        let failure = self.failure.as_ref().map(written);
        writer.option(failure.as_deref(), Writer::bytes);
        writer.u8(self.is_unclear.into());
        writer.u32(self.failures);
        lifetime(writer, self.lifetime);
        writer.option(self.retry_after.map(|wait| wait.as_secs()), Writer::u64);
        redirects(writer, &self.redirects, &self.final_url);
        writer.u8(self.downgraded.into());
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let tried_at = Timestamp::from_seconds(reader.u64()?);
        let outcome = read_outcome(reader)?;
        let status = reader.option(Reader::u16)?;
        let failure = reader.option(read_failure)?;
        let is_unclear = reader.flag()?;
        let failures = reader.u32()?;
        let lifetime = read_lifetime(reader)?;
        let retry_after = reader.option(Reader::u64)?.map(Duration::from_secs);
        let (redirects, final_url) = read_redirects(reader)?;
        let downgraded = reader.flag()?;
        Some(Self {
            tried_at,
            outcome,
            status,
            failure,
            is_unclear,
            failures,
            lifetime,
            retry_after,
            redirects,
            final_url,
            downgraded,
        })
    }
}

/// A failure as JSON.
fn written(failure: &Failure) -> Vec<u8> {
    serde_json::to_vec(failure).unwrap_or_default()
}

fn read_failure(reader: &mut Reader<'_>) -> Option<Failure> {
    let bytes = reader.bytes()?;
    serde_json::from_slice(bytes).ok().filter(|failure| written(failure) == bytes)
}

fn redirects(writer: &mut Writer, redirects: &[Redirect], final_url: &str) {
    writer.length(redirects.len());
    for hop in redirects {
        writer.bytes(hop.url.as_bytes());
        writer.u16(hop.status);
    }
    writer.bytes(final_url.as_bytes());
}

/// Reads redirects and the final URL.
fn read_redirects(reader: &mut Reader<'_>) -> Option<(Vec<Redirect>, String)> {
    // A wrong count exceeds the bytes.
    let count = reader.length()?;
    let redirects = (0..count)
        .map(|_| Some(Redirect { url: reader.text()?, status: reader.u16()? }))
        .collect::<Option<_>>()?;
    Some((redirects, reader.text()?))
}

fn lifetime(writer: &mut Writer, lifetime: Option<Lifetime>) {
    writer.option(lifetime, |writer, Lifetime { stated, by_max_age }| {
        writer.u64(stated.as_secs());
        writer.u8(by_max_age.into());
    });
}

#[expect(clippy::option_option, reason = "invalid data differs from no lifetime")]
fn read_lifetime(reader: &mut Reader<'_>) -> Option<Option<Lifetime>> {
    reader.option(|reader| {
        let stated = Duration::from_secs(reader.u64()?);
        Some(Lifetime { stated, by_max_age: reader.flag()? })
    })
}

fn outcome(writer: &mut Writer, outcome: Outcome) {
    let (code, status) = match outcome {
        Outcome::Status(status) => (1, status),
        Outcome::NotModified => (2, 0),
        Outcome::RedirectLimit => (3, 0),
        Outcome::BrokenRedirect => (4, 0),
        Outcome::DisallowedHop => (5, 0),
        Outcome::Network => (6, 0),
        Outcome::AcceptedEmpty => (8, 0),
        Outcome::Success => (0, 0),
        // An outcome unknown to this code says nothing about the site.
        _ => (7, 0),
    };
    writer.u8(code);
    writer.u16(status);
}

fn read_outcome(reader: &mut Reader<'_>) -> Option<Outcome> {
    Some(match (reader.u8()?, reader.u16()?) {
        (1, status) => Outcome::Status(status),
        (0, 0) => Outcome::Success,
        (2, 0) => Outcome::NotModified,
        (3, 0) => Outcome::RedirectLimit,
        (4, 0) => Outcome::BrokenRedirect,
        (5, 0) => Outcome::DisallowedHop,
        (6, 0) => Outcome::Network,
        (7, 0) => Outcome::LocalFault,
        (8, 0) => Outcome::AcceptedEmpty,
        _ => return None,
    })
}

/// Writes fields.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn length(&mut self, value: usize) {
        self.u64(value as u64);
    }

    pub(super) fn bytes(&mut self, value: &[u8]) {
        self.length(value.len());
        self.0.extend(value);
    }

    pub(super) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.u8(value.is_some().into());
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// Reads fields. `None` if the data does not fit.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (value, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*value)
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (value, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(value)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[value]| value)
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.u64()?).ok()
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        str::from_utf8(self.bytes()?).ok().map(str::to_owned)
    }

    #[expect(clippy::option_option, reason = "invalid data differs from an absent value")]
    pub(super) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.u8()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    pub(super) fn end(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}
