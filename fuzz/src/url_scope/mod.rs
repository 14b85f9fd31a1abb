//! Target `url_scope`: what one robots.txt covers.
//!
//! Each line of the bytes is the text of a URL: its origin is that of the `url` crate, written down as
//! the URL of a robots.txt and read again it is itself, and it covers exactly the URLs that have it.
//! The same bytes choose parts of origins, and what is done to a [`RobotRules`](verger::RobotRules),
//! which a plain list of sites has to foretell.

mod origins;
mod rules;
mod site;

use arbitrary::{Result, Unstructured};

/// Holds scopes to all of that.
///
/// # Panics
///
/// When something does not hold.
pub fn property(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let urls: Vec<&str> = text.split('\n').take(MOST_URLS).collect();
    origins::check(&urls);
    rules::check_each(&urls);
    // Bytes that run out end the story.
    let mut choices = Unstructured::new(bytes);
    let _: Result<()> = rules::check_story(&mut choices);
    let _: Result<()> = origins::check_parts(&mut choices);
}

/// Each is compared with each.
const MOST_URLS: usize = 8;
