//! The notebook of `integrations/notebooks`, executed on the sample.

use crate::python::Environment;
use crate::shell::{Result, execute, root, target_dir};

/// Packages that execute it, and those that it needs besides ours.
const PACKAGES: [&str; 3] = ["ipykernel>=7,<8", "matplotlib>=3.10,<4", "nbclient>=0.10,<1"];

/// Executes the notebook in an environment with the package `verger_arrow`. The sample, the
/// executed notebook and its plots stay in `target/notebook`.
pub(crate) fn test(environment: &Environment) -> Result {
    environment.install(PACKAGES)?;
    let folder = root().join("integrations/notebooks");
    let output = target_dir().join("notebook");
    let mut run = environment.python([folder.join("execute.py"), folder.join("robots.ipynb")]);
    run.arg(&output).env("PYTHONDONTWRITEBYTECODE", "1");
    // Nothing in the user's home.
    let settings = target_dir().join("notebook-settings");
    for name in ["IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR"] {
        run.env(name, &settings);
    }
    execute(
        run.env("JUPYTER_RUNTIME_DIR", settings.join("runtime")).env("JUPYTER_PLATFORM_DIRS", "1"),
    )
}
