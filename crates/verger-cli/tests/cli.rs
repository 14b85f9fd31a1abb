//! Whole runs of the binary, one in each file of `cmd/`: arguments, exit code, both outputs.
//!
//! The runner takes `\` and `/` for the same, so where a backslash counts the file says `binary`, and
//! the outputs stand beside it in files of their own. `TRYCMD=overwrite cargo test -p verger-cli` writes
//! what the binary says into the files; look at the difference before you keep it.

use std::path::Path;
use std::{fs, io};

#[test]
fn runs() {
    trycmd::TestCases::new().case("tests/cmd/*.toml");
}

#[test]
fn every_run_says_what_it_expects_of_both_outputs() -> io::Result<()> {
    // The runner takes whatever comes where nothing is expected.
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
