//! Integration tests of `verger-audit`.

mod judgement;
mod requests;
mod script;
