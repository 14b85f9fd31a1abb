//! Content codings, correct and malformed: gzip, brotli, zstd, deflate, chunked.

use std::io::{self, Write as _};

use flate2::write::ZlibEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress};

use super::script::{Script, ServerAction};

/// Uncompressed length of the repeated piece of a bomb, in bytes.
const UNIT: usize = 1024 * 1024;

/// The head of a gzip member without optional fields.
const GZIP_HEAD: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// Returns bytes as one gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    gzip_with(0, &[], bytes)
}

/// Returns bytes as one gzip member with flags of its head, and the fields for these flags.
pub fn gzip_with(flags: u8, fields: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(bytes);
    let mut all = GZIP_HEAD.to_vec();
    all[3] = flags;
    all.extend_from_slice(fields);
    all.extend_from_slice(&deflate(bytes));
    all.extend_from_slice(&crc.sum().to_le_bytes());
    all.extend_from_slice(&crc.amount().to_le_bytes());
    all
}

/// Returns bytes as zlib (RFC 1950).
pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// Returns bytes as raw deflate.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    compressed(bytes, FlushCompress::Finish)
}

/// Returns the steps that send a correct gzip member of this many MiB of `#`. The compressed size
/// is about a thousandth.
pub fn gzip_bomb(mebibytes: usize) -> Script {
    let unit = b"#".repeat(UNIT);
    // A full flush resets the state of the compressor, so the piece can be repeated.
    let piece = compressed(&unit, FlushCompress::Full);
    let mut one = Crc::new();
    one.update(&unit);
    let mut crc = Crc::new();
    for _ in 0..mebibytes {
        crc.combine(&one);
    }
    let mut tail = deflate(b"");
    tail.extend_from_slice(&crc.sum().to_le_bytes());
    tail.extend_from_slice(&crc.amount().to_le_bytes());
    Script::text(GZIP_HEAD).then(ServerAction::Times(piece, mebibytes)).then_text(tail)
}

/// Returns the bytes that a script with only writing steps sends.
pub fn written(script: &Script) -> Vec<u8> {
    let mut all = Vec::new();
    for step in script.steps() {
        match step {
            ServerAction::Bytes(bytes) => all.extend_from_slice(bytes),
            ServerAction::Times(bytes, times) => all.extend(bytes.repeat(*times)),
            _ => {}
        }
    }
    all
}

/// Returns bytes in brotli.
///
/// # Errors
///
/// Never in practice: it writes to memory.
pub fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    {
        let mut writer = brotli::CompressorWriter::new(&mut all, 4096, 5, 18);
        writer.write_all(bytes)?;
        writer.flush()?;
    }
    Ok(all)
}

/// Returns bytes as one zstd frame with uncompressed content. The window has 2^(10 + exponent)
/// bytes. A frame holds at most 128 KiB.
pub fn zstd(window_exponent: u8, bytes: &[u8]) -> Vec<u8> {
    let mut all = zstd_head(window_exponent);
    all.extend_from_slice(&zstd_block(0, true, bytes.len()));
    all.extend_from_slice(bytes);
    all
}

/// Returns a zstd frame with this number of blocks, each 128 KiB of `#` in four bytes.
pub fn zstd_bomb(blocks: usize) -> Vec<u8> {
    const BLOCK: usize = 128 * 1024;
    let mut all = zstd_head(10);
    for number in 1..=blocks {
        all.extend_from_slice(&zstd_block(1, number == blocks, BLOCK));
        all.push(b'#');
    }
    all
}

fn zstd_head(window_exponent: u8) -> Vec<u8> {
    vec![0x28, 0xb5, 0x2f, 0xfd, 0, window_exponent << 3]
}

fn zstd_block(kind: u32, is_last: bool, size: usize) -> [u8; 3] {
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    let [a, b, c, _] = (u32::from(is_last) | kind << 1 | size << 3).to_le_bytes();
    [a, b, c]
}

/// Returns bytes as chunks of this size, then the last chunk.
pub fn chunked(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut all = Vec::new();
    for chunk in bytes.chunks(size.max(1)) {
        all.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        all.extend_from_slice(chunk);
        all.extend_from_slice(b"\r\n");
    }
    all.extend_from_slice(b"0\r\n\r\n");
    all
}

fn compressed(bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    let mut state = Compress::new(Compression::best(), false);
    let mut all = Vec::with_capacity(bytes.len() / 2 + 1024);
    loop {
        let read = usize::try_from(state.total_in()).unwrap_or(usize::MAX);
        let rest = bytes.get(read..).unwrap_or_default();
        let before = all.len();
        // Writing to memory with enough capacity does not fail.
        let _status = state.compress_vec(rest, &mut all, flush);
        if all.len() < all.capacity() || all.len() == before {
            return all;
        }
        all.reserve(64 * 1024);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn gzip_is_read_back() {
        let mut read = Vec::new();
        flate2::read::GzDecoder::new(&gzip(b"# a")[..]).read_to_end(&mut read).unwrap();
        assert_eq!(read, b"# a");
    }

    #[test]
    fn a_gzip_bomb_is_correct_to_its_end_and_small() {
        let bytes = written(&gzip_bomb(3));
        assert!(bytes.len() < 4 * 1100, "{}", bytes.len());
        let mut read = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut read).unwrap();
        assert!(read.len() == 3 * UNIT && read.iter().all(|&byte| byte == b'#'));
    }

    #[test]
    fn brotli_is_read_back() {
        let bytes = b"#".repeat(100_000);
        let coded = brotli(&bytes).unwrap();
        assert!(coded.len() < 100);
        let mut read = Vec::new();
        brotli::Decompressor::new(&coded[..], 4096).read_to_end(&mut read).unwrap();
        assert_eq!(read, bytes);
    }

    #[test]
    fn zstd_frames_are_those_of_rfc_8878() {
        let wanted = [0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3, 0x19, 0, 0, b'a', b'b', b'c'];
        assert_eq!(zstd(10, b"abc"), wanted);
        assert_eq!(zstd_bomb(2)[6..], [0x02, 0, 0x10, b'#', 0x03, 0, 0x10, b'#']);
    }

    #[test]
    fn chunks_end_with_an_empty_one() {
        assert_eq!(chunked(b"abc", 2), b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
    }
}
