//! Tests of the metric packs.

mod consent_model;
mod documentation;
