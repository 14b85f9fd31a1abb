//! Integration tests of `verger-audit`.

mod formats;
mod judgement;
mod model;
mod requests;
mod script;
