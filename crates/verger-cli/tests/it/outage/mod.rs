//! Outages with a real web server (nginx) and a set clock (libfaketime): REP-CACHE-25 to
//! REP-CACHE-29.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod crawler;
mod ladder;
mod network;
mod profiles;
mod sharing;
mod site;
