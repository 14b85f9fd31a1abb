//! Integration tests of `verger-audit`.

mod judgement;
mod model;
mod requests;
mod script;
