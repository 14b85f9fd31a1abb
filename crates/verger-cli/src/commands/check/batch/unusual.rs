//! Unusual agents, told once.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use crate::agent_text::Remark;
use crate::console::Talk;
use crate::limits::{UNUSUAL_COUNTED, UNUSUAL_TOLD};

/// The unusual agents of a batch, which often has the same one on every line.
#[derive(Default)]
pub(super) struct Unusual {
    /// Hashes, because a token may be as long as a line.
    seen: HashSet<u64>,
    hasher: RandomState,
    has_more: bool,
}

impl Unusual {
    /// Says of an unusual agent what is to be said, once, and only of the first ones.
    pub(super) fn tell(
        &mut self,
        token: &str,
        remark: &Remark,
        (name, line): (&str, u64),
        talk: &mut Talk,
    ) {
        let hash = self.hasher.hash_one(token);
        if self.seen.contains(&hash) {
            return;
        }
        if self.seen.len() == UNUSUAL_COUNTED {
            self.has_more = true;
            return;
        }
        self.seen.insert(hash);
        if self.seen.len() <= UNUSUAL_TOLD {
            remark.say(format_args!("{name}:{line}: "), talk);
        }
    }

    /// How many were not told.
    pub(super) fn last_word(&self) -> Option<String> {
        let more = self.seen.len().saturating_sub(UNUSUAL_TOLD);
        let than = if self.has_more { "more than " } else { "" };
        match more {
            0 => None,
            1 => Some("and 1 more agent like these".to_owned()),
            _ => Some(format!("and {than}{more} more agents like these")),
        }
    }
}
