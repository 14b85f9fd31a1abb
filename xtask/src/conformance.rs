//! `cargo xtask conformance`: runs the suite of `testdata/` through the library, the one-shot
//! answer and the program.

use crate::shell::{Built, Result, execute, program};

/// Runs example `conformance` of verger-testkit.
pub(crate) fn run() -> Result {
    let built = Built::by_tests()?;
    let runner = built.example("conformance");
    execute(program(&runner.to_string_lossy(), [] as [&str; 0]).arg(built.verger()))
}
