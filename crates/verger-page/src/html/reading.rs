//! Decoding, and cutting into pieces.

use encoding_rs::{CoderResult, Decoder, Encoding};

use super::scan::Scanner;
use super::{Html, Stop};
use crate::limits::{HTML_BYTES, HTML_PIECE_BYTES};

/// A page whose encoding is known, on its way to the tokenizer.
pub(super) struct Reading {
    decoder: Decoder,
    decoded: Box<[u8]>,
    piece: Vec<u8>,
    /// Decoded bytes that may still be scanned.
    left: usize,
    /// `None` when the scan has stopped.
    scanner: Option<Scanner>,
    stop: Option<Stop>,
    found: Html,
}

impl Reading {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        Self {
            // Follows a byte order mark rather than this encoding.
            decoder: encoding.new_decoder(),
            decoded: vec![0; HTML_PIECE_BYTES].into(),
            piece: Vec::with_capacity(HTML_PIECE_BYTES),
            left: HTML_BYTES,
            scanner: Some(Scanner::new()),
            stop: None,
            found: Html::default(),
        }
    }

    pub(super) fn decode(&mut self, mut bytes: &[u8], is_last: bool) {
        while self.scanner.is_some() {
            let (result, read, written, _) =
                self.decoder.decode_to_utf8(bytes, &mut self.decoded, is_last);
            bytes = &bytes[read..];
            self.cut(written);
            if result == CoderResult::InputEmpty {
                return;
            }
        }
    }

    /// Whether nothing more will be scanned.
    pub(super) fn has_stopped(&self) -> bool {
        self.scanner.is_none()
    }

    /// Puts decoded bytes into the piece, and hands it over when it is full.
    fn cut(&mut self, written: usize) {
        let mut at = 0;
        while at < written {
            if self.left == 0 {
                return self.end_scan(Stop::Bytes);
            }
            let room = HTML_PIECE_BYTES - self.piece.len();
            let now = room.min(written - at).min(self.left);
            self.piece.extend_from_slice(&self.decoded[at..at + now]);
            self.left -= now;
            at += now;
            if self.piece.len() == HTML_PIECE_BYTES {
                self.hand_over();
            }
        }
    }

    fn hand_over(&mut self) {
        let has_room = self.scanner.as_mut().is_none_or(|scanner| scanner.scan(&self.piece));
        self.piece.clear();
        if !has_room {
            self.end_scan(Stop::Memory);
        }
    }

    fn end_scan(&mut self, stop: Stop) {
        self.stop = self.stop.or(Some(stop));
        if stop == Stop::Bytes {
            self.hand_over();
        }
        if let Some(scanner) = self.scanner.take() {
            self.found = scanner.finish();
        }
    }

    pub(super) fn finish(&mut self) -> Html {
        self.decode(&[], true);
        self.hand_over();
        if let Some(scanner) = self.scanner.take() {
            self.found = scanner.finish();
        }
        let mut found = std::mem::take(&mut self.found);
        found.encoding = self.decoder.encoding().name();
        found.stop = self.stop;
        found
    }
}
