//! Integration tests of `verger-audit`.

mod bytes;
mod formats;
mod judgement;
mod model;
mod precision;
mod reports;
mod requests;
mod script;
mod times;
