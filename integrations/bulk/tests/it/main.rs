//! Tests of `verger bulk` and `verger-bulk`.

mod adversary;
mod cli;
mod columns;
mod common;
mod corpus;
mod history;
mod hostile;
mod warc;
