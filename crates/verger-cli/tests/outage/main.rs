//! Outages as the program meets them: a real web server (nginx), and a clock that the tests set
//! (libfaketime). The rules are REP-CACHE-25 to REP-CACHE-29.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod crawler;
mod ladder;
mod network;
mod pair;
mod profiles;
mod sharing;
mod silence;
mod site;
