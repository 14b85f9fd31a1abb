//! Replies to the login and to TYPE (F054 to F071).
//!
//! REP-ACCESS-11: 550 means an absent file only as a reply to RETR; to any other command it is a
//! failure.

use crate::server::{Ftp, Script};

use super::ftp_greetings::entry;
use super::{Class, Entry, ids};

const NEVER: &[Class] = &[Class::Unreachable];
const RULES: &[Class] = &[Class::Rules];
const EITHER: &[Class] = &[Class::Unreachable, Class::Rules];

const REPLIES: [(&str, &str, &[Class]); 18] = [
    ("USER", "530 no", NEVER),
    ("USER", "331 password please", RULES),
    ("USER", "332 account please", NEVER),
    ("USER", "421 closing", NEVER),
    ("USER", "230 logged in", RULES),
    ("USER", "202 superfluous", EITHER),
    ("USER", "500 what", NEVER),
    ("USER", "junk", NEVER),
    ("PASS", "530 no", NEVER),
    ("PASS", "332 account please", NEVER),
    ("PASS", "421 closing", NEVER),
    ("PASS", "230 logged in", RULES),
    ("PASS", "500 what", NEVER),
    ("PASS", "junk", NEVER),
    ("TYPE", "500 what", NEVER),
    ("TYPE", "550 no", NEVER),
    ("TYPE", "501 what", NEVER),
    ("TYPE", "504 not that", NEVER),
];

pub(super) fn entries() -> Vec<Entry> {
    ids('F', 54)
        .zip(REPLIES)
        .map(|(id, (verb, reply, classes))| {
            let ftp = Ftp::new().on(verb, Script::text(format!("{reply}\r\n")));
            entry(id, &format!("{verb} answered \"{reply}\""), ftp, classes)
        })
        .collect()
}
