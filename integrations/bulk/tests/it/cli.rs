//! Snapshots of the program's help and messages in `tests/cmd`. `TRYCMD=overwrite` writes them.

#[test]
fn help_and_messages_are_the_snapshots() {
    trycmd::TestCases::new().env("COLUMNS", "100").env("NO_COLOR", "1").case("tests/cmd/*.toml");
}
