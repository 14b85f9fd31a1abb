//! Tests of the audit of logs.

mod formats;
