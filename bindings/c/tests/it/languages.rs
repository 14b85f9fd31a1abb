//! Programs in C, C++, Go and Java that use the installed library. `cargo xtask capi --languages`
//! installs it and the tools, and runs these tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{assert_example, assert_suite, build_folder, must, package};

/// The prefix under which cargo-c has installed the library.
fn prefix() -> PathBuf {
    std::env::var_os("VERGER_PREFIX").expect("run `cargo xtask capi --languages`").into()
}

/// The folder of the libraries below the prefix.
fn libraries() -> PathBuf {
    let output = must(pkg_config(&["--variable=libdir"]).arg("verger"));
    PathBuf::from(output.trim())
}

fn with_pkg_config(mut command: Command) -> Command {
    command.env("PKG_CONFIG_PATH", find(&prefix(), "verger.pc").parent().expect("a folder"));
    command
}

fn pkg_config(arguments: &[&str]) -> Command {
    let mut command = with_pkg_config(Command::new("pkg-config"));
    command.args(arguments);
    command
}

/// The only file with this name. The folder of libraries differs between systems.
fn find(folder: &Path, name: &str) -> PathBuf {
    let found = must(Command::new("find").arg(folder).args(["-name", name]));
    PathBuf::from(found.lines().next().unwrap_or_else(|| panic!("no {name}")))
}

/// Compiles a program as pkg-config says.
fn compiled(compiler: &[&str], source: &str, flags: &[&str], name: &str) -> PathBuf {
    let output = must(pkg_config(flags).arg("verger"));
    let program = build_folder().join(name);
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"]);
    must(command.arg(&program).arg(package().join(source)).args(output.split_whitespace()));
    program
}

#[test]
#[ignore = "thorough suite"]
fn pkg_config_finds_the_shared_and_the_static_library() {
    let version = must(pkg_config(&["--modversion"]).arg("verger"));
    assert_eq!(version.trim(), env!("CARGO_PKG_VERSION"));
    let folder = libraries();
    let shared = compiled(&["cc"], "examples/check.c", &["--cflags", "--libs"], "check-shared");
    assert_example(|| {
        let mut command = Command::new(&shared);
        command.env("LD_LIBRARY_PATH", &folder);
        command
    });
    let archive = folder.join("libverger.a");
    let archive = archive.to_str().expect("UTF-8");
    let flags = must(pkg_config(&["--cflags", "--libs", "--static"]).arg("verger"));
    let program = build_folder().join("check-static");
    let flags = flags.split_whitespace().filter(|flag| *flag != "-lverger");
    let source = package().join("examples/check.c");
    must(Command::new("cc").arg("-o").arg(&program).arg(source).arg(archive).args(flags));
    assert_example(|| Command::new(&program));
}

#[test]
#[ignore = "thorough suite"]
fn the_header_is_valid_cpp() {
    let source = build_folder().join("header.cpp");
    std::fs::write(
        &source,
        "#include <verger.h>\nint main() { return verger_version()[0] == '\\0'; }\n",
    )
    .expect("a writable folder");
    let compiler = ["c++", "-std=c++17"];
    let program =
        compiled(&compiler, source.to_str().expect("UTF-8"), &["--cflags", "--libs"], "header");
    must(Command::new(program).env("LD_LIBRARY_PATH", libraries()));
}

fn go(arguments: &[&str]) -> Command {
    let mut command = with_pkg_config(Command::new("go"));
    command.args(arguments).current_dir(package().join("examples/go"));
    command.env("LD_LIBRARY_PATH", libraries()).env("GOFLAGS", "-mod=mod").env("GOPROXY", "off");
    command
}

#[test]
#[ignore = "thorough suite"]
fn a_program_in_go_prints_verdicts() {
    let program = build_folder().join("check-go");
    must(go(&["build", "-o"]).arg(&program).arg("."));
    let folder = libraries();
    assert_example(|| {
        let mut command = Command::new(&program);
        command.env("LD_LIBRARY_PATH", &folder);
        command
    });
}

#[test]
#[ignore = "thorough suite"]
fn a_package_in_go_gives_the_answers_of_the_suite() {
    must(&mut go(&["vet", "./..."]));
    // The race detector needs cgo, and watches the goroutines that share a file.
    println!("{}", must(&mut go(&["test", "-race", "-count=1", "./..."])));
    println!("{}", must(&mut go(&["test", "-run=^$", "-bench=.", "./robots"])));
}

/// Java 22 or newer; its compiler may be missing.
fn java() -> String {
    std::env::var("VERGER_JAVA").expect("run `cargo xtask capi --languages`")
}

/// Compiles the example and the driver with an older javac, against the API of the newer Java.
fn classes() -> PathBuf {
    let folder = build_folder().join("java");
    let (api, classes) = (folder.join("api"), folder.join("classes"));
    std::fs::create_dir_all(&api).expect("a writable folder");
    let javac = |arguments: &[&Path], sources: &[&str]| {
        let mut command = Command::new("javac");
        command.arg("-d").args(arguments).args(sources.iter().map(|it| package().join(it)));
        must(&mut command);
    };
    javac(&[&classes], &["tests/java/ForeignApi.java"]);
    must(Command::new(java()).arg("-cp").arg(&classes).arg("ForeignApi").arg(&api));
    let patch = format!("java.base={}", api.display());
    let exports = "java.base/java.lang.foreign=ALL-UNNAMED";
    let options = ["--patch-module", &patch, "--add-exports", exports].map(Path::new);
    javac(
        &[&[classes.as_path()], &options[..]].concat(),
        &["examples/java/Verger.java", "examples/java/Check.java", "tests/java/Driver.java"],
    );
    classes
}

#[test]
#[ignore = "thorough suite"]
fn programs_in_java_give_the_answers_of_the_suite() {
    let classes = classes();
    let library = libraries().join("libverger.so");
    let program = |name: &str| {
        let mut command = Command::new(java());
        command.arg("--enable-native-access=ALL-UNNAMED").arg("-cp").arg(&classes);
        command.arg(name).arg(&library);
        command
    };
    assert_example(|| program("Check"));
    assert_suite(&mut program("Driver"));
    println!("Java: {}", must(program("Driver").arg("1000000")));
}
