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

use verger::parse::Input;
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
        view::check_line_ends(&robots, &Input::read(bytes, &dialect), &shown, end);
    }
    // The displayed form does not depend on the dialect.
    let robots = Robots::parse(bytes);
    assert_eq!(view::of(&robots.clone()), view::of(&robots), "cloned");
    view::check_inert(&robots);
}

fn in_dialect(bytes: &[u8], dialect: &Dialect) -> Robots {
    let input = Input::read(bytes, dialect);
    text::check(bytes, &input, dialect);
    let seen = events::check(&input, dialect);

    let robots = dialect.parse(bytes);
    assert_eq!(robots.text(), input.text(), "{dialect}");
    assert_eq!(robots.encoding(), input.encoding(), "{dialect}");
    assert_eq!(robots.is_truncated(), input.is_truncated(), "{dialect}");
    assert_eq!(robots.dialect(), *dialect, "{dialect}");
    structure::check(&robots, &input, &seen);
    diagnostics::check(&robots, &input, &seen);
    robots
}
