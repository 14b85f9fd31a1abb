//! Content codings: those that are accepted, and the decoding of a body.

use std::io::Read;

#[cfg(feature = "brotli")]
use brotli_decompressor::Decompressor;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use hyper::HeaderMap;
use hyper::header::CONTENT_ENCODING;
#[cfg(feature = "zstd")]
use ruzstd::decoding::StreamingDecoder;
#[cfg(feature = "zstd")]
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

use crate::failure::CodingError;
#[cfg(feature = "brotli")]
use crate::limits::DECODER_ROOM;
use crate::limits::TEXT_BYTES;
#[cfg(feature = "zstd")]
use crate::limits::{ZSTD_FRAMES, ZSTD_WINDOW_BYTES};

/// Value of `Accept-Encoding`. `deflate` is not in it: half of the servers mean zlib, half do not.
/// Zlib is decoded anyway.
pub(super) const ACCEPTED: &str = if cfg!(all(feature = "brotli", feature = "zstd")) {
    "gzip, br, zstd"
} else if cfg!(feature = "brotli") {
    "gzip, br"
} else if cfg!(feature = "zstd") {
    "gzip, zstd"
} else {
    "gzip"
};

/// First bytes of a member of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The coding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Identity,
    Gzip,
    /// `deflate`, which is zlib (RFC 9110 section 8.4.1.2).
    Zlib,
    #[cfg(feature = "brotli")]
    Brotli,
    #[cfg(feature = "zstd")]
    Zstd,
}

impl Coding {
    /// The coding declared by the header fields.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, CodingError> {
        let mut codings = declared(headers);
        let Some(coding) = codings.next() else { return Ok(Self::Identity) };
        if codings.next().is_some() {
            return Err(CodingError::Several);
        }
        Self::named(coding)
    }

    fn named(coding: &[u8]) -> Result<Self, CodingError> {
        match coding.to_ascii_lowercase().as_slice() {
            // Servers also send the name of a charset.
            b"identity" | b"none" | b"utf-8" => Ok(Self::Identity),
            // RFC 9110 section 8.4.1.3: equal to gzip.
            b"gzip" | b"x-gzip" => Ok(Self::Gzip),
            b"deflate" => Ok(Self::Zlib),
            #[cfg(feature = "brotli")]
            b"br" => Ok(Self::Brotli),
            #[cfg(feature = "zstd")]
            b"zstd" => Ok(Self::Zstd),
            _ => Err(CodingError::Unknown),
        }
    }

    /// Decodes a body, up to one byte more than `limit`. Whether bytes after its end were ignored
    /// is part of the result; zeros do not count.
    ///
    /// # Complexity
    ///
    /// One pass over `wire`, which ends after `limit` bytes. In addition to the body, memory for
    /// the window of the coding: 32 KiB for gzip, at most 8 MiB for zstd and 16 MiB for brotli.
    pub(super) fn decode(
        self,
        wire: Vec<u8>,
        limit: usize,
    ) -> Result<(Vec<u8>, bool), CodingError> {
        let body = match self {
            Self::Identity => Ok(wire),
            Self::Gzip => return gzip(&wire, limit),
            Self::Zlib => return zlib(&wire, limit),
            // RFC 7932 section 9.1 reserves this beginning. Some decoders take it for windows of up
            // to 1 GiB, which a body of some hundred bytes could make them fill.
            #[cfg(feature = "brotli")]
            Self::Brotli if wire.first().is_some_and(|first| first & 0x7f == 0x11) => {
                Err(CodingError::Corrupt)
            }
            #[cfg(feature = "brotli")]
            Self::Brotli => {
                take(Decompressor::new(wire.as_slice(), DECODER_ROOM), Vec::new(), limit)
            }
            #[cfg(feature = "zstd")]
            Self::Zstd => zstd(&wire, limit),
        };
        Ok((body?, false))
    }
}

/// The declared codings, the first one innermost.
fn declared(headers: &HeaderMap) -> impl DoubleEndedIterator<Item = &[u8]> {
    let values = headers.get_all(CONTENT_ENCODING).iter();
    let codings = values.flat_map(|value| value.as_bytes().split(|&octet| octet == b','));
    codings.map(<[u8]>::trim_ascii).filter(|coding| !coding.is_empty())
}

/// Decodes a recorded body, up to one byte more than `limit`.
///
/// Archives store bodies without some codings that the header fields still declare. So text is not
/// decoded, and an outer coding that the bytes do not have is passed over. `deflate` may have no
/// zlib header, as some servers send it.
///
/// # Complexity
///
/// As [`Coding::decode`], for each declared coding.
pub(super) fn decode_recorded(
    headers: &HeaderMap,
    mut body: Vec<u8>,
    limit: usize,
) -> Result<Vec<u8>, CodingError> {
    let mut is_decoded = true;
    for name in declared(headers).rev() {
        if is_text(&body) {
            return Ok(body);
        }
        let decoded = match Coding::named(name) {
            Ok(Coding::Identity) => continue,
            Ok(Coding::Zlib) => {
                zlib(&body, limit).and_then(whole).or_else(|_| raw_deflate(&body, limit))
            }
            coding => coding.and_then(|coding| coding.decode(body.clone(), limit).and_then(whole)),
        };
        is_decoded = decoded.is_ok();
        body = decoded.unwrap_or(body);
    }
    if is_decoded || is_text(&body) { Ok(body) } else { Err(CodingError::Corrupt) }
}

/// Whether bytes are certainly text. Every ninth coded byte is a control character, and half of
/// them are not ASCII.
fn is_text(bytes: &[u8]) -> bool {
    let is_space = |octet: u8| matches!(octet, b'\t' | b'\n' | b'\x0c' | b'\r');
    let controls = bytes.iter().filter(|octet| octet.is_ascii_control() && !is_space(**octet));
    let others = bytes.iter().filter(|octet| !octet.is_ascii()).count();
    bytes.len() >= TEXT_BYTES
        && controls.count() <= bytes.len() / 100
        && (others <= bytes.len() / 4 || str::from_utf8(bytes).is_ok())
}

/// Reads one byte more than `limit`, which shows that the body is longer.
fn take(from: impl Read, mut body: Vec<u8>, limit: usize) -> Result<Vec<u8>, CodingError> {
    let room = (limit + 1).saturating_sub(body.len());
    let room = u64::try_from(room).unwrap_or(u64::MAX);
    match from.take(room).read_to_end(&mut body) {
        Ok(_) => Ok(body),
        Err(_) => Err(CodingError::Corrupt),
    }
}

/// All members of a gzip body (RFC 1952 section 2.2).
fn gzip(wire: &[u8], limit: usize) -> Result<(Vec<u8>, bool), CodingError> {
    let (mut rest, mut body) = (wire, Vec::new());
    loop {
        let mut member = GzDecoder::new(rest);
        body = take(&mut member, body, limit)?;
        rest = member.into_inner();
        if body.len() > limit || !rest.starts_with(&GZIP) {
            let is_tail = body.len() <= limit && !is_padding(rest);
            return Ok((body, is_tail));
        }
    }
}

fn zlib(wire: &[u8], limit: usize) -> Result<(Vec<u8>, bool), CodingError> {
    let mut decoder = ZlibDecoder::new(wire);
    let body = take(&mut decoder, Vec::new(), limit)?;
    let is_tail = body.len() <= limit && !is_padding(decoder.into_inner());
    Ok((body, is_tail))
}

/// `deflate` without the zlib header and checksum (RFC 1951).
fn raw_deflate(wire: &[u8], limit: usize) -> Result<Vec<u8>, CodingError> {
    let mut decoder = DeflateDecoder::new(wire);
    let body = take(&mut decoder, Vec::new(), limit)?;
    let is_tail = body.len() <= limit && !is_padding(decoder.into_inner());
    whole((body, is_tail))
}

/// The body, unless other bytes follow its end: rules can be missing.
pub(super) fn whole((body, has_tail): (Vec<u8>, bool)) -> Result<Vec<u8>, CodingError> {
    if has_tail { Err(CodingError::Corrupt) } else { Ok(body) }
}

/// Whether bytes are zeros, with which some servers fill a block.
fn is_padding(rest: &[u8]) -> bool {
    rest.iter().all(|&octet| octet == 0)
}

/// All frames of a zstd body (RFC 8878 section 3.1).
#[cfg(feature = "zstd")]
fn zstd(wire: &[u8], limit: usize) -> Result<Vec<u8>, CodingError> {
    let mut rest = wire;
    let mut body = Vec::new();
    for _ in 0..ZSTD_FRAMES {
        let frame = StreamingDecoder::new_with_max_window_size(&mut rest, ZSTD_WINDOW_BYTES);
        match frame {
            Ok(mut frame) => {
                body = take(&mut frame, body, limit)?;
                if body.len() > limit {
                    return Ok(body);
                }
                let declared = frame.decoder.get_checksum_from_data();
                if declared.is_some() && declared != frame.decoder.get_calculated_checksum() {
                    return Err(CodingError::Corrupt);
                }
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let length = usize::try_from(length).map_err(|_| CodingError::Corrupt)?;
                rest = rest.get(length..).ok_or(CodingError::Corrupt)?;
            }
            Err(_) => return Err(CodingError::Corrupt),
        }
        if rest.is_empty() {
            return Ok(body);
        }
    }
    Err(CodingError::Corrupt)
}

/// Checks that a body has no content coding, by its header fields.
pub(super) fn check_is_decoded(headers: &HeaderMap) -> Result<(), CodingError> {
    match Coding::of(headers)? {
        Coding::Identity => Ok(()),
        _ => Err(CodingError::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn a_coding_is_requested_if_and_only_if_it_is_supported() {
        for (name, is_compiled) in [
            ("gzip", true),
            ("br", cfg!(feature = "brotli")),
            ("zstd", cfg!(feature = "zstd")),
            ("compress", false),
        ] {
            let headers =
                HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static(name))]);
            assert_eq!(Coding::of(&headers).is_ok(), is_compiled, "{name}");
            assert_eq!(ACCEPTED.split(", ").any(|it| it == name), is_compiled, "{name}");
        }
    }
}
