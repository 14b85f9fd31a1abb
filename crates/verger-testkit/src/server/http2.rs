//! HTTP/2 frames, and a server that plays them after a request.

use std::io;
use std::sync::Arc;

use super::play::Wire;
use super::record::Request;
use super::script::Script;
use super::shared::Shared;

/// First bytes of an HTTP/2 client.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the names of RFC 9113")]
pub enum Kind {
    Data = 0,
    Headers = 1,
    ResetStream = 3,
    Settings = 4,
    PushPromise = 5,
    Ping = 6,
    GoAway = 7,
    Continuation = 9,
}

/// The flag that ends a stream, of DATA and HEADERS.
pub const END_STREAM: u8 = 0x1;
/// The flag that ends a list of fields.
pub const END_HEADERS: u8 = 0x4;
/// The flag for padding.
pub const PADDED: u8 = 0x8;

/// Returns a frame. The payload is cut after 2^24 - 1 bytes.
pub fn frame(kind: Kind, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let payload = &payload[..payload.len().min(0xff_ffff)];
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
    let mut all = length.to_vec();
    all.extend_from_slice(&[kind as u8, flags]);
    all.extend_from_slice(&stream.to_be_bytes());
    all.extend_from_slice(payload);
    all
}

/// Returns a list of fields in HPACK, all literal, without Huffman code and without index. Names
/// and values are shorter than 127 bytes.
pub fn fields(all: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in all {
        block.push(0);
        for text in [name, value] {
            block.push(u8::try_from(text.len()).unwrap_or(126));
            block.extend_from_slice(text.as_bytes());
        }
    }
    block
}

/// Waits for a request, of HTTP/2 or of HTTP/1.1, and plays the script.
pub(super) async fn serve(
    shared: &Arc<Shared>,
    number: usize,
    wire: &mut Wire,
    script: &Script,
) -> io::Result<()> {
    let mut heard = Vec::new();
    let mut piece = [0; 4096];
    while !is_request(&heard) {
        let count = wire.read(&mut piece).await?;
        if count == 0 {
            return Ok(());
        }
        heard.extend_from_slice(&piece[..count]);
    }
    let request = Request { connection: number, is_secure: true, head: heard };
    shared.record(|record| record.requests.push(request));
    wire.play(script).await.map(drop)
}

fn is_request(heard: &[u8]) -> bool {
    let Some(mut rest) = heard.strip_prefix(PREFACE) else {
        return !PREFACE.starts_with(heard) && heard.windows(4).any(|window| window == b"\r\n\r\n");
    };
    while let [a, b, c, kind, _, _, _, _, _, payload @ ..] = rest {
        if *kind == Kind::Headers as u8 {
            return true;
        }
        let length = u32::from_be_bytes([0, *a, *b, *c]);
        let Some(next) = payload.get(usize::try_from(length).unwrap_or(usize::MAX)..) else {
            return false;
        };
        rest = next;
    }
    false
}
