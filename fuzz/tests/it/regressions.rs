//! Replays every seed, and every input that once violated a property, on any toolchain.

use std::fs;
use std::path::{Path, PathBuf};

use verger_fuzz::{TARGETS, Target, seeds};
use verger_testkit::suite;

/// Passes every regression of a target to its property.
fn replay(target: &Target) {
    let folder = folder("regressions").join(target.name);
    // A target without regressions has no folder.
    let Ok(entries) = fs::read_dir(&folder) else { return };
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a folder that can be read").path()).collect();
    files.sort();
    for file in &files {
        // A failure does not mention the file.
        println!("{}", file.display());
        (target.property)(&fs::read(file).expect("a file that can be read"));
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn seeds_hold() {
    let seeds = seeds::make(&suite::load(&folder("../testdata")).expect("the suite loads"));
    for target in &TARGETS {
        let mut count = 0;
        for ((_, name), bytes) in seeds.iter().filter(|((of, _), _)| *of == target.name) {
            println!("{}/{name}", target.name);
            (target.property)(bytes);
            count += 1;
        }
        assert!(count > 0, "{} has no seeds", target.name);
    }
}

#[test]
fn regressions_hold() {
    for target in &TARGETS {
        replay(target);
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
