//! Integration tests of `verger-audit`.

mod formats;
mod judgement;
mod requests;
mod script;
