//! Integration tests of `verger-audit`.

mod formats;
mod judgement;
mod model;
mod reports;
mod requests;
mod script;
mod times;
