//! Programs in C, compiled with the header and linked to the static library.

mod common;

use std::process::Command;

use common::{assert_example, assert_suite, compiled};

#[test]
fn the_example_prints_verdicts() {
    let program = compiled("examples/check.c", "check", &[]);
    assert_example(|| Command::new(&program));
}

#[test]
fn a_program_in_c_gives_the_answers_of_the_suite() {
    assert_suite(&mut Command::new(compiled("tests/driver.c", "driver", &[])));
}
