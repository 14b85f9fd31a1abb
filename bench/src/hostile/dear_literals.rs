//! Families of literals that are expensive for one search algorithm, near the thresholds between
//! algorithms.

use super::cases::Case;
use super::families::{PATH, family, run};

/// All of them.
pub(super) fn all() -> Vec<Case> {
    // Too long for comparison with blocks of a text, and so short that memmem compares at every
    // position.
    let mut all: Vec<Case> = [16, 17, 24, 32]
        .map(|count| {
            let literal = run("a", count);
            let nearly = format!("{}b", run("a", count - 1));
            family(
                format!("{count} letters, another one wrong in each place"),
                |_| format!("allow:*{literal}\n"),
                run(&nearly, PATH),
            )
        })
        .into();
    // A policy stores equivalent rules once, so these differ.
    let (literal, nearly) = (run("a", 24), format!("{}b", run("a", 23)));
    all.push(family(
        "24 letters, another one wrong in each place, and something else in each rule",
        |number| format!("allow:*{literal}*{number}\n"),
        run(&nearly, PATH),
    ));
    // An index finds thousands of occurrences, all before the position or far after it, and blocks
    // do not exclude them.
    for (count, gap) in [(2, 1500), (3, 1500), (4, 1500), (6, 400), (6, 1000)] {
        let literal = run("a", count);
        let nearly = run(&format!("{}b", run("a", count - 1)), gap);
        let piece = format!("b{nearly}b{literal}");
        let before = format!("{}c", run("a", PATH / 2));
        let times = (PATH - before.len()) / piece.len();
        all.push(family(
            format!("{count} letters {times} times, far apart, and before that everywhere"),
            |_| format!("allow:*c{}d\n", format!("*{literal}").repeat(times)),
            format!("{before}{}", piece.repeat(times)),
        ));
    }
    all.push(family(
        "two letters far away, and from there on everywhere",
        |_| "allow:*aa*aabc\n".into(),
        format!("{}{}", run("ab", PATH / 2), run("a", PATH / 2)),
    ));
    all
}
