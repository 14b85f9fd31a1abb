//! Whole runs of the binary, one in each file of `cmd/`: arguments, exit code, both outputs.
//!
//! The runner does not distinguish `\` and `/`. If the difference matters, the file has `binary =
//! true`, and the outputs are in separate files. `TRYCMD=overwrite cargo test -p verger-cli` writes
//! the current outputs to the files; review the difference.

use std::path::Path;
use std::{fs, io};

#[test]
fn runs() {
    // In continuous integration, paths for GitHub would be those of the workspace.
    trycmd::TestCases::new().env("GITHUB_WORKSPACE", "").case("tests/cmd/*.toml");
}

#[test]
fn every_run_has_expectations_for_both_outputs() -> io::Result<()> {
    // The runner accepts any output without an expectation.
    for entry in fs::read_dir("tests/cmd")? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let is_exact = text.contains("\nbinary = true\n");
        for output in ["stdout", "stderr"] {
            let beside = Path::exists(&path.with_extension(output));
            let inside = text.contains(&format!("\n{output} = "));
            assert!(beside == is_exact && inside != is_exact, "{}: {output}", path.display());
        }
    }
    Ok(())
}
