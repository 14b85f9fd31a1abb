//! Comparisons of the engine with recorded answers, with other implementations, and with itself.

mod access;
mod access_outage;
mod access_page;
mod agreement;
mod allocations;
mod analysis;
mod conformance;
mod dialects_page;
mod export;
mod golden;
mod hostile;
mod naive;
mod policy_page;
#[cfg(feature = "server")]
mod server;
mod table;
