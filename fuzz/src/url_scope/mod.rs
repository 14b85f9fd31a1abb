//! Target `url_scope`: scope of one robots.txt.
//!
//! Each line of the bytes is the text of a URL. Its origin equals that of the `url` crate, is
//! unchanged when written as the URL of a robots.txt and read back, and covers exactly the URLs
//! with this origin. The same bytes choose parts of origins, and operations on a
//! [`RobotRules`](verger::RobotRules), which a simple list of sites must predict.

mod origins;
mod rules;
mod site;

use arbitrary::{Result, Unstructured};

/// Checks scopes.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let urls: Vec<&str> = text.split('\n').take(MOST_URLS).collect();
    origins::check(&urls);
    rules::check_each(&urls);
    // The end of the bytes ends the sequence.
    let mut choices = Unstructured::new(bytes);
    let _: Result<()> = rules::check_session(&mut choices);
    let _: Result<()> = origins::check_parts(&mut choices);
}

/// Maximum number of URLs: each is compared with each.
const MOST_URLS: usize = 8;
