//! Programs in C, compiled with the header and linked to the static library.

use std::process::Command;

use crate::common::{assert_example, assert_suite, build_folder, compiled, must, package};

#[test]
fn the_example_prints_verdicts() {
    let program = compiled("examples/check.c", "check", &[]);
    assert_example(|| Command::new(&program));
}

#[test]
fn a_program_in_c_gives_the_answers_of_the_suite() {
    assert_suite(&mut Command::new(compiled("tests/driver.c", "driver", &[])));
}

#[test]
fn the_programs_of_the_guide_print_the_text_below_them() {
    let guide = package().join("../../docs/c.md");
    let guide = std::fs::read_to_string(guide).expect("a readable guide");
    // Every second piece is a block: its language, a newline, its text.
    let blocks: Vec<&str> = guide.split("\n```").skip(1).step_by(2).collect();
    let mut count = 0;
    for (at, block) in blocks.iter().enumerate() {
        let Some(program) = block.strip_prefix("c\n") else { continue };
        let expected = blocks.get(at + 1).and_then(|block| block.strip_prefix("text\n"));
        let name = format!("guide-{at}");
        let source = build_folder().join(&name).with_extension("c");
        std::fs::write(&source, format!("{program}\n")).expect("a writable folder");
        let program = compiled(source.to_str().expect("UTF-8"), &name, &[]);
        assert_eq!(Some(must(&mut Command::new(program)).trim_end()), expected);
        count += 1;
    }
    assert_eq!(count, 2);
}
