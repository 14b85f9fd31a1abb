//! Memory of programs in C: errors that Valgrind and `AddressSanitizer` find, and growth over many
//! calls. `cargo xtask capi --memory` runs these tests.

use std::process::Command;

use crate::common::{assert_example, assert_suite, compiled, must};

#[test]
#[ignore = "thorough suite"]
fn valgrind_finds_no_error_and_no_leak() {
    let watched = |program: &std::path::Path| {
        let mut command = Command::new("valgrind");
        command.args(["--quiet", "--error-exitcode=99", "--leak-check=full"]);
        command.args(["--show-leak-kinds=all", "--errors-for-leak-kinds=all"]).arg(program);
        command
    };
    let check = compiled("examples/check.c", "check-valgrind", &["-g"]);
    assert_example(|| watched(&check));
    assert_suite(&mut watched(&compiled("tests/driver.c", "driver-valgrind", &["-g"])));
}

#[test]
#[ignore = "thorough suite"]
fn address_sanitizer_finds_no_error_and_no_leak() {
    let options = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let check = compiled("examples/check.c", "check-sanitizer", &options);
    assert_example(|| Command::new(&check));
    assert_suite(&mut Command::new(compiled("tests/driver.c", "driver-sanitizer", &options)));
}

/// A program that uses freed memory must not pass.
#[test]
#[ignore = "thorough suite"]
fn address_sanitizer_finds_a_use_after_free() {
    let options = ["-g", "-fsanitize=address", "-DUSE_AFTER_FREE"];
    let program = compiled("tests/endurance.c", "use-after-free", &options);
    let output = Command::new(program).arg("1").output().expect("the program starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("heap-use-after-free"), "{errors}");
}

#[test]
#[ignore = "thorough suite"]
fn ten_million_calls_take_no_more_memory_than_a_hundred_thousand() {
    let program = compiled("tests/endurance.c", "endurance", &["-O2"]);
    let printed = must(Command::new(program).arg("10000000"));
    println!("{printed}");
    let kilobytes: Vec<u64> = printed
        .lines()
        .filter_map(|line| line.strip_suffix(" KiB")?.rsplit(' ').next()?.parse().ok())
        .collect();
    let [early, late] = kilobytes[..] else { panic!("{printed}") };
    // One page more or less is no growth; a byte for each call would be ten megabytes.
    assert!(late <= early + 256, "{early} KiB became {late} KiB");
}
