//! `verger completions`: scripts for shells.

use std::io::Write as _;

use crate::args::{Completions, command};
use crate::console::{Out, Talk, written};
use crate::exit::ExitStatus;

pub(super) fn run(args: &Completions, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let mut script = Vec::new();
    // Not straight to the output: the generator panics when writing fails.
    clap_complete::generate(args.shell, &mut command(), "verger", &mut script);
    let result = out.write_all(&script).and_then(|()| out.flush());
    written(result, ExitStatus::Success, talk)
}
