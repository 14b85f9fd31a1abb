//! Contexts of container builds: no history, build or secret is sent to the builder.

use std::path::Path;

use super::files::read;
use crate::shell::Result;

/// The files that leave out parts of the context: of Podman, and of Docker.
const IGNORES: [&str; 2] = [".containerignore", "deploy/Containerfile.dockerignore"];

/// The tokens of `deploy/compose.yaml`.
const TOKENS: &str = "deploy/tokens";

/// Reports different lines of the ignore files, and an ignore file without the tokens.
pub(super) fn check(wrong: &mut Vec<String>) -> Result {
    let [podman, docker] = IGNORES.map(|path| read(Path::new(path)));
    let (podman, docker) = (podman?, docker?);
    if podman != docker {
        let [podman, docker] = IGNORES;
        wrong.push(format!("{docker}: expected the lines of {podman}, but found others"));
    }
    let git = read(Path::new(".gitignore"))?;
    for (path, text) in [(IGNORES[0], &podman), (".gitignore", &git)] {
        if !text.lines().any(|line| line.trim_start_matches('/') == TOKENS) {
            wrong.push(format!("{path}: expected a line `{TOKENS}`, but found none"));
        }
    }
    Ok(())
}
