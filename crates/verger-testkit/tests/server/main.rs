//! The hostile server does what its scripts say, judged with raw sockets, and its catalogue is whole.

mod catalogue;
mod client;
mod ftp;
mod http;
mod tls;
mod world;

/// Runs a test that does not end by itself with a limit that only a fault reaches.
async fn soon<T>(work: impl Future<Output = T>) -> T {
    const FAULT: std::time::Duration = std::time::Duration::from_secs(60);
    tokio::time::timeout(FAULT, work).await.expect("an end")
}
