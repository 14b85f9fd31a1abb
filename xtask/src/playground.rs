//! `cargo xtask playground`: the page of `verger-serve` without a service, and its tests.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::npm;
use crate::setup::{CHROMIUM, with_chromium};
use crate::shell::{Result, execute, program, root, target_dir};

/// The browser's driver, and the checker of accessibility.
const PEERS: [&str; 2] = ["axe-core@4.14.1", "playwright-core@1.65.1"];

/// The parts of the npm package that browsers load.
const ENGINE: [&str; 4] = ["index.js", "tools.js", "lib", "native"];

/// Builds the page in `target/playground`, with the npm package.
pub(crate) fn build() -> Result {
    npm::build()?;
    let to = built();
    disk::remove_folder(&to)?;
    write(&to)?;
    println!("{}", to.join("index.html").display());
    Ok(())
}

/// The element with the address of the service.
const SERVICE: &str = r#"<meta name="verger-service" content="./">"#;

/// Writes the page without a service into a folder that a web server can serve. The npm package
/// must be built.
pub(crate) fn write(to: &Path) -> Result {
    let sources = disk::entries(&sources())?;
    for file in sources.iter().filter(|path| path.is_file()) {
        disk::copy(file, &to.join(file.file_name().unwrap_or_default()))?;
    }
    disk::copy_folder(&self::sources().join("example"), &to.join("example"))?;
    for part in ENGINE {
        let (from, to) = (npm::built().join(part), to.join("verger").join(part));
        if from.is_dir() { disk::copy_folder(&from, &to)? } else { disk::copy(&from, &to)? }
    }
    let index = to.join("index.html");
    let text = disk::read(&index)?;
    if !text.contains(SERVICE) {
        return Err(format!("index.html of the page: expected {SERVICE}, but found none"));
    }
    disk::write(&index, text.replace(SERVICE, &SERVICE.replace("./", "")))
}

/// Installs the programs that drive the page.
pub(crate) fn peers() -> Result<npm::Tools> {
    npm::Tools::install("playground-test", &PEERS)
}

/// Drives the built page in Chromium.
pub(crate) fn test() -> Result {
    CHROMIUM.require()?;
    let peers = peers()?;
    let mut tests = program("node", ["--test", "--test-concurrency=1", "tests/"]);
    tests.env("VERGER_PLAYGROUND", built()).env("VERGER_PEERS", peers.folder());
    tests.env("VERGER_PICTURES", target_dir().join("playground-pictures"));
    execute(with_chromium(tests.current_dir(sources())))
}

/// The folder of the sources.
fn sources() -> PathBuf {
    root().join("crates/verger-server/page")
}

/// The folder of the built page.
fn built() -> PathBuf {
    target_dir().join("playground")
}
