//! Every seed, and every input that once broke a property, on any toolchain.

use std::fs;
use std::path::{Path, PathBuf};

use verger_fuzz::{TARGETS, Target};

/// Gives every file of a target's folder to its property; the number of files.
fn replay(target: &Target, kind: &str) -> usize {
    let folder = folder(kind).join(target.name);
    // A target that nothing has ever broken has no folder.
    let Ok(entries) = fs::read_dir(&folder) else { return 0 };
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a folder that can be read").path()).collect();
    files.sort();
    for file in &files {
        // The failure that follows names no file.
        println!("{}", file.display());
        (target.property)(&fs::read(file).expect("a file that can be read"));
    }
    files.len()
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn seeds_hold() {
    for target in &TARGETS {
        assert!(replay(target, "seeds") > 0, "{} has no seeds", target.name);
    }
}

#[test]
fn regressions_hold() {
    for target in &TARGETS {
        replay(target, "regressions");
    }
}

#[test]
fn shortest_inputs_hold() {
    for target in &TARGETS {
        (target.property)(b"");
        for octet in 0..=255 {
            (target.property)(&[octet]);
        }
    }
}
