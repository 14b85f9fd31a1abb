//! `cargo xtask playground`: the page that checks a robots.txt in a browser, and its tests.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::npm;
use crate::setup::{CHROMIUM, with_chromium};
use crate::shell::{Result, execute, program, root, target_dir};

/// The browser's driver, and the checker of accessibility.
const PEERS: [&str; 2] = ["axe-core@4.14.1", "playwright-core@1.65.1"];

/// The files that the page begins with.
const EXAMPLE: [&str; 2] = ["robots.txt", "robots-next.txt"];

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

/// Writes the page into a folder that a web server can serve. The npm package must be built.
pub(crate) fn write(to: &Path) -> Result {
    let sources = disk::entries(&sources())?;
    for file in sources.iter().filter(|path| path.is_file()) {
        disk::copy(file, &to.join(file.file_name().unwrap_or_default()))?;
    }
    for file in EXAMPLE {
        disk::copy(&root().join("examples/shop").join(file), &to.join("example").join(file))?;
    }
    for part in ENGINE {
        let (from, to) = (npm::built().join(part), to.join("verger").join(part));
        if from.is_dir() { disk::copy_folder(&from, &to)? } else { disk::copy(&from, &to)? }
    }
    Ok(())
}

/// The element with the address of the service; empty without one.
const SERVICE: &str = r#"<meta name="verger-service" content="">"#;

/// Writes the page for a service, which is at the same address. The npm package must be built.
pub(crate) fn write_for_service(to: &Path) -> Result {
    write(to)?;
    let index = to.join("index.html");
    let text = disk::read(&index)?;
    let changed = text.replace(SERVICE, r#"<meta name="verger-service" content="./">"#);
    if changed == text {
        return Err(format!("playground/index.html: expected {SERVICE}, but found none"));
    }
    disk::write(&index, changed)
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
    root().join("playground")
}

/// The folder of the built page.
fn built() -> PathBuf {
    target_dir().join("playground")
}
