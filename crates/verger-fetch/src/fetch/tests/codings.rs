//! Content codings: decoded within limits, or an error.

use std::fmt::Write as _;

use crate::failure::{CodingError, Failure, NetworkError};
use crate::fetch::FetchReport;
use crate::limits::Limits;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use verger_testkit::server::{self, gzip, zlib};

use crate::fetch::tests::world::{RULES, World, response};

async fn fetched(coding: &str, body: impl AsRef<[u8]>) -> FetchReport {
    let header = format!("Content-Encoding: {coding}\r\n");
    World::answering(response("200 OK", &header, body)).fetch_shop().await
}

fn brotli(text: &[u8]) -> Vec<u8> {
    server::brotli(text).unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

type Encoder = fn(&[u8]) -> Vec<u8>;

const CODINGS: [(&str, Encoder); 3] = [("gzip", gzip), ("br", brotli), ("zstd", zstd)];

#[tokio::test]
async fn each_requested_coding_is_decoded() {
    for (coding, encode) in CODINGS {
        let coded = encode(RULES.as_bytes());
        let fetched = fetched(coding, &coded).await;
        assert_eq!(fetched.failure, None, "{coding}");
        assert_eq!(fetched.body, RULES.as_bytes(), "{coding}");
        assert_eq!(fetched.wire_bytes, coded.len(), "{coding}");
    }
    for coding in ["identity", "", " , ", "none", "UTF-8", "utf-8"] {
        assert_eq!(fetched(coding, RULES).await.body, RULES.as_bytes(), "{coding}");
    }
    for coding in ["x-gzip", "GZIP", "gzip,", " gzip"] {
        assert_eq!(
            fetched(coding, gzip(RULES.as_bytes())).await.body,
            RULES.as_bytes(),
            "{coding}"
        );
    }
}

#[tokio::test]
async fn empty_body_is_empty_in_every_coding() {
    for coding in ["gzip", "br", "zstd", "deflate", "identity", "foo", "gzip, gzip"] {
        let fetched = fetched(coding, "").await;
        assert_eq!((fetched.failure, fetched.body.len()), (None, 0), "{coding}");
    }
}

#[tokio::test]
async fn zlib_and_trailing_zeros_are_accepted_and_other_trailing_bytes_are_not() {
    let rules = RULES.as_bytes();
    let with = |coded: Vec<u8>, tail: &[u8]| [&coded, tail].concat();
    let corrupt = Some(Failure::Network(NetworkError::Coding(CodingError::Corrupt)));
    for (coding, body, is_read) in [
        ("deflate", zlib(rules), true),
        ("deflate", with(zlib(rules), &[0; 512]), true),
        ("deflate", with(zlib(rules), b"x"), false),
        // Without the frame of zlib there is no checksum.
        ("deflate", zlib(rules)[2..].to_vec(), false),
        ("gzip", with(gzip(rules), &[0; 512]), true),
        ("gzip", with(gzip(rules), b"x"), false),
        ("gzip", with(gzip(rules), &[0, 0, 1]), false),
        ("gzip", with(gzip(rules), &gzip(b"")), true),
        ("gzip", vec![0; 512], false),
    ] {
        let fetched = fetched(coding, &body).await;
        let expected = if is_read { None } else { corrupt.clone() };
        assert_eq!(fetched.failure, expected, "{coding} {body:?}");
        assert_eq!(fetched.body == rules, is_read, "{coding} {body:?}");
    }
}

#[tokio::test]
async fn the_limit_of_decoded_bytes_is_exact() {
    let limit = Limits::default().body;
    for (coding, encode) in CODINGS {
        for (size, truncated) in [(limit, false), (limit + 1, true)] {
            let fetched = fetched(coding, encode("#".repeat(size).as_bytes())).await;
            assert_eq!((fetched.body.len(), fetched.truncated), (limit, truncated), "{coding}");
        }
    }
}

#[tokio::test]
async fn unrequested_codings_are_refused() {
    for (coding, expected) in [
        ("deflate", CodingError::Corrupt),
        ("foo", CodingError::Unknown),
        ("compress", CodingError::Unknown),
        ("gzip, gzip", CodingError::Several),
        ("gzip, identity", CodingError::Several),
        ("gzip, br, gzip", CodingError::Several),
    ] {
        let outcome = fetched(coding, gzip(RULES.as_bytes())).await.failure;
        assert_eq!(outcome, Some(Failure::Network(NetworkError::Coding(expected))), "{coding}");
    }
    let twice = "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n";
    let world = World::answering(response("200 OK", twice, gzip(&gzip(RULES.as_bytes()))));
    assert_eq!(
        world.fetch_shop().await.failure,
        Some(Failure::Network(NetworkError::Coding(CodingError::Several)))
    );
}

#[tokio::test]
async fn damaged_bodies_are_errors() {
    let corrupt = Some(Failure::Network(NetworkError::Coding(CodingError::Corrupt)));
    // Long enough for several blocks, and hard to compress.
    let mut text = String::new();
    for number in 0..20_000_u32 {
        writeln!(text, "Disallow: /{:x}", number.wrapping_mul(2_654_435_761)).unwrap();
    }
    for (coding, encode) in CODINGS {
        assert_eq!(fetched(coding, RULES).await.failure, corrupt, "{coding}, plain");
        let whole = encode(text.as_bytes());
        for cut in [1, 5, whole.len() / 2, whole.len() - 1] {
            assert_eq!(fetched(coding, &whole[..cut]).await.failure, corrupt, "{coding}, {cut}");
        }
    }
    // Checksum and length of gzip: its last eight bytes.
    let whole = gzip(text.as_bytes());
    for place in 1..=8 {
        let mut damaged = whole.clone();
        let at = damaged.len() - place;
        damaged[at] ^= 1;
        assert_eq!(fetched("gzip", damaged).await.failure, corrupt, "{place}");
    }
    // Rules can be missing: only pages are read with other bytes after their end.
    for tail in [&b"and more"[..], b"\x1f", b"\x1f\x8b"] {
        let trailing = [&whole[..], tail].concat();
        assert_eq!(fetched("gzip", trailing).await.failure, corrupt, "{tail:?}");
    }
}

#[tokio::test]
async fn wrong_checksum_of_zstd_is_an_error() {
    // One raw block of `abc` and a checksum (RFC 8878 section 3.1.1): the right one, and another.
    let frame = |checksum: [u8; 4]| {
        let mut frame = b"\x28\xb5\x2f\xfd\x24\x03\x19\0\0abc".to_vec();
        frame.extend_from_slice(&checksum);
        frame
    };
    // XXH64 of `abc` with seed 0 is 44bc2cf5ad770999.
    let right = fetched("zstd", frame([0x99, 0x09, 0x77, 0xad])).await;
    assert_eq!((right.failure, right.body), (None, b"abc".to_vec()));
    let wrong = fetched("zstd", frame([0x98, 0x09, 0x77, 0xad])).await;
    assert_eq!(wrong.failure, Some(Failure::Network(NetworkError::Coding(CodingError::Corrupt))));
}

#[tokio::test]
async fn all_members_or_frames_of_a_body_are_decoded() {
    let members: Vec<u8> = (0..1000).flat_map(|_| gzip(b"a\n")).collect();
    assert_eq!(fetched("gzip", members).await.body, "a\n".repeat(1000).into_bytes());

    // A skippable frame between two others.
    let frames = [zstd(b"a\n"), b"\x50\x2a\x4d\x18\x03\0\0\0xyz".to_vec(), zstd(b"b\n")].concat();
    assert_eq!(fetched("zstd", frames).await.body, b"a\nb\n");
}

#[tokio::test]
async fn window_of_zstd_is_bounded() {
    // A frame header with a window of 2 GiB (exponent 21), then an empty last block.
    let frame = b"\x28\xb5\x2f\xfd\x00\xa8\x01\0\0";
    let outcome = fetched("zstd", frame).await.failure;
    assert_eq!(outcome, Some(Failure::Network(NetworkError::Coding(CodingError::Corrupt))));
}

#[tokio::test]
async fn window_of_brotli_is_bounded() {
    // The beginning of a stream with a large window, here of 1 GiB, and a first block.
    let stream = b"\x11\x1e\x0b\x00\x80aaa\x03";
    let outcome = fetched("br", stream).await.failure;
    assert_eq!(outcome, Some(Failure::Network(NetworkError::Coding(CodingError::Corrupt))));
}

#[tokio::test]
async fn wire_limit_ends_a_long_body_that_decodes_to_nothing() {
    // Empty members: many bytes on the wire, no text.
    let members: Vec<u8> = gzip(b"").repeat(60_000);
    assert!(members.len() > Limits::default().wire);
    let outcome = fetched("gzip", members).await.failure;
    assert_eq!(outcome, Some(Failure::Network(NetworkError::WireTooLarge)));
}
