//! Decoding of a page.

use encoding_rs::{CoderResult, Decoder, Encoding};

use super::scan::scan;
use super::{Html, Stop};
use crate::limits::HTML_BYTES;

/// Space reserved in the text for the next decoded bytes.
const ROOM: usize = 8 * 1024;

/// A page with known encoding.
pub(super) struct PageDecoder {
    decoder: Decoder,
    text: String,
    stop: Option<Stop>,
}

impl PageDecoder {
    pub(super) fn new(encoding: &'static Encoding) -> Self {
        // A byte order mark overrides this encoding.
        Self { decoder: encoding.new_decoder(), text: String::new(), stop: None }
    }

    pub(super) fn decode(&mut self, mut bytes: &[u8], is_last: bool) {
        while self.stop.is_none() {
            self.text.reserve(ROOM.min(bytes.len() + ROOM / 8));
            let (result, read, _) = self.decoder.decode_to_string(bytes, &mut self.text, is_last);
            bytes = &bytes[read..];
            if self.text.len() > HTML_BYTES {
                let end = (0..=HTML_BYTES).rev().find(|&at| self.text.is_char_boundary(at));
                self.text.truncate(end.unwrap_or_default());
                self.stop = Some(Stop::Bytes);
            } else if result == CoderResult::InputEmpty {
                return;
            }
        }
    }

    /// Whether no more text will be scanned.
    pub(super) const fn has_stopped(&self) -> bool {
        self.stop.is_some()
    }

    pub(super) fn finish(&mut self) -> Html {
        self.decode(&[], true);
        let mut found = scan(&self.text);
        found.encoding = self.decoder.encoding().name();
        found.stop = found.stop.or(self.stop);
        found
    }
}
