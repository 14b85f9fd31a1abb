//! Target `parse`: any bytes, in every published dialect.
//!
//! Nothing panics. The decoded text is a part of the bytes. Each of its lines has exactly one
//! event. All positions are correct and in file order. A second parse gives the same result. No
//! table has more entries than the text explains.

mod diagnostics;
mod events;
mod structure;
mod text;
mod view;

use verger::dialect::Oversize;
use verger::{Dialect, Robots};

use crate::input::{published, with_tight_limits};

/// Checks the parser.
///
/// # Panics
///
/// If a property is violated.
pub fn property(bytes: &[u8]) {
    for dialect in with_tight_limits(bytes.len()) {
        in_dialect(bytes, &dialect);
    }
    for (dialect, end) in published().zip(["\r\n", "\n", "\r"].into_iter().cycle()) {
        let robots = in_dialect(bytes, &dialect);
        let shown = view::of(&robots);
        assert_eq!(view::of(&dialect.parse(bytes)), shown, "parsed twice in {dialect}");
        view::check_line_ends(&robots, &shown, end);
    }
    // The displayed form does not depend on the dialect.
    let robots = Robots::parse(bytes);
    assert_eq!(view::of(&robots.clone()), view::of(&robots), "cloned");
    view::check_inert(&robots);
}

fn in_dialect(bytes: &[u8], dialect: &Dialect) -> Robots {
    let robots = dialect.parse(bytes);
    assert_eq!(robots.dialect(), *dialect, "{dialect}");
    text::check(bytes, &robots, dialect);
    let seen = events::check(&robots);
    structure::check(&robots, &seen);
    diagnostics::check(&robots, &seen);
    robots
}

/// Whether a file of this size allows everything (REP-SYNTAX-8).
fn allows_all(robots: &Robots) -> bool {
    robots.is_truncated() && robots.dialect().oversize == Oversize::AllowAll
}

/// The offset of the first line, after a byte order mark.
fn start(robots: &Robots) -> usize {
    robots.events().next().map_or(robots.text().len(), |event| event.line().start)
}
