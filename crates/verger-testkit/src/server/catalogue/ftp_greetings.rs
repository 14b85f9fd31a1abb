//! Greetings of an FTP server (F001 to F053).

use crate::server::{Ftp, Script, Service, Setup};

use super::{Claim, Class, Entry, HOST, ids, rules};

const CODES: [&str; 53] = [
    "110", "120", "125", "150", "200", "202", "211", "212", "213", "214", "215", "220", "221",
    "225", "226", "227", "228", "229", "230", "231", "232", "234", "250", "257", "331", "332",
    "350", "421", "425", "426", "430", "434", "450", "451", "452", "500", "501", "502", "503",
    "504", "530", "532", "534", "550", "551", "552", "553", "000", "999", "22", "2200", "abc", "",
];

pub(super) fn entries() -> Vec<Entry> {
    ids('F', 1)
        .zip(CODES)
        .map(|(id, code)| {
            let classes: &[Class] = match code {
                "220" => &[Class::Rules],
                // The server is ready soon, or already logged in.
                "120" => &[Class::Rules, Class::Unreachable],
                "230" => &[Class::Unreachable, Class::Rules],
                _ => &[Class::Unreachable],
            };
            let mut greeting = Script::text(format!("{code} hello\r\n"));
            if code == "120" {
                greeting = greeting.then_text("220 ready\r\n");
            }
            // A client that continues gets a reply to every command.
            entry(id, &format!("greets with \"{code}\""), Ftp::new().greeting(greeting), classes)
        })
        .collect()
}

/// A host with an FTP server.
pub(super) fn entry(id: &'static str, what: &str, ftp: Ftp, classes: &[Class]) -> Entry {
    let setup = Setup::new().host(HOST).place(21, Service::Ftp(Box::new(ftp)));
    Entry::new(id, format!("FTP: {what}"), setup, classes.to_vec())
        .asking(format!("ftp://{HOST}/"))
        .claim(Claim::Body(rules()))
}
