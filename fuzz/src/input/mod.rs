//! Questions generated from bytes.

mod dialects;
mod question;

pub(crate) use dialects::{mixed, published, with_tight_limits};
pub(crate) use question::{NamedCrawler, Question, robots_text, url_text};
