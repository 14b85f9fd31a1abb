//! Questions generated from bytes.

mod dialects;
mod grammar;
mod question;

pub(crate) use dialects::{mixed, published, with_tight_limits};
pub(crate) use grammar::{robots_text, url_text};
pub(crate) use question::{Asker, Question};
