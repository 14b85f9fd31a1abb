//! Tests of `verger bulk` and `verger-bulk`.

mod adversary;
mod archives;
mod cli;
mod columns;
mod common;
mod corpus;
mod history;
mod hostile;
mod remote;
mod warc;
