//! Tests of the program `verger`.

mod agreement;
mod audit;
mod audit_history;
mod audit_letter;
mod audit_order;
mod batch;
mod cache;
mod cli;
mod common;
mod documented;
mod enforce;
mod hostile;
mod identity;
mod kills;
mod lint;
mod live;
mod logs;
#[cfg(target_os = "linux")]
mod outage;
mod programs;
mod site;
mod streams;
mod verify;
mod watch;
