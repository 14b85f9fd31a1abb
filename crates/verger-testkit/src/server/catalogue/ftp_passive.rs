//! Addresses and ports of the data connection (F072 to F086).
//!
//! The data is only at the address of the control connection. The world counts a dial to any other
//! address, or to a closed port, as a stray.

use crate::server::{Ftp, PUBLIC, Script, Service};

use super::ftp_greetings::entry;
use super::{Class, Entry, ids};

const NEVER: &[Class] = &[Class::Unreachable, Class::Blocked];

/// Replies to EPSV, or to PASV if they begin with 227.
const REPLIES: [&str; 15] = [
    "227 Entering Passive Mode (127,0,0,1,0,22)",
    "227 Entering Passive Mode (10,0,0,1,4,1)",
    "227 Entering Passive Mode (169,254,169,254,0,80)",
    "227 Entering Passive Mode (255,255,255,255,255,255)",
    "227 Entering Passive Mode (1,2,3,4,999,1)",
    "227 Entering Passive Mode (1,2,3)",
    "227 no numbers",
    "227 (1,2,3,4,5,6",
    // Replaced by a very long list of numbers.
    "227 1,",
    "229 Entering Extended Passive Mode (|||0|)",
    "229 Entering Extended Passive Mode (|||65536|)",
    "229 Entering Extended Passive Mode (|1|127.0.0.1|22|)",
    "229 junk",
    "229 (!!!22!)",
    "500 EPSV not understood",
];

/// Ports above 1023 that a client may dial at the control peer after ignoring the address. They are
/// closed, but such a dial is not a stray.
const PORTS: [u16; 3] = [1025, 65_535, 1286];

pub(super) fn entries() -> Vec<Entry> {
    ids('F', 72)
        .zip(REPLIES)
        .map(|(id, reply)| {
            let script = if reply == "227 1," {
                Script::text(format!("227 {}\r\n", "1,".repeat(5000)))
            } else {
                Script::text(format!("{reply}\r\n"))
            };
            let no = || Script::text("500 no\r\n");
            let (ftp, classes) = match &reply[..3] {
                "227" => (Ftp::new().on("EPSV", no()).on("PASV", script), NEVER),
                "229" => (Ftp::new().on("EPSV", script).on("PASV", no()), NEVER),
                // PASV works, for a client that uses it as a fallback.
                _ => (Ftp::new().on("EPSV", script), &[Class::Rules, Class::Unreachable][..]),
            };
            let mut entry = entry(id, &format!("passive mode: \"{reply}\""), ftp, classes);
            for port in PORTS {
                entry.setup = entry.setup.place_at((PUBLIC, port).into(), Service::Refused);
            }
            entry
        })
        .collect()
}
