//! Questions from bytes, and their dialects.

mod dialects;
mod matching;
mod question;

pub(crate) use dialects::{mixed, published, with_tight_limits};
pub(crate) use matching::{is_space, only_rule, target};
pub(crate) use question::{NamedCrawler, Question};
