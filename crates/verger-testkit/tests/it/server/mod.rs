//! Tests of the hostile server with raw sockets, and of its catalogue.

mod catalogue;
mod client;
mod ftp;
mod http;
mod tls;
mod world;

/// Runs a test that may not end, with a timeout that only a fault reaches.
async fn soon<T>(work: impl Future<Output = T>) -> T {
    const FAULT: std::time::Duration = std::time::Duration::from_secs(60);
    tokio::time::timeout(FAULT, work).await.expect("an end")
}
