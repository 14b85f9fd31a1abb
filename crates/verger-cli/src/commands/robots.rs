//! `verger robots`: the face of Google's tool on our engine.

use std::io::{self, Write};

use verger::{Dialect, Untrusted};

use crate::args::Robots;
use crate::asker::{self, Asker};
use crate::console::{Out, Talk, written};
use crate::exit::ExitStatus;
use crate::input::read_robots;

pub(super) fn run(args: &Robots, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let dialect = Dialect::GOOGLE;
    let bytes = match read_robots(&args.file, &dialect) {
        Ok(bytes) => bytes,
        Err(error) => return talk.fail(&error),
    };
    // No group of this dialect has a name with other bytes than letters, `-` and `_`, so what stands
    // in for bytes that are not UTF-8 changes no answer.
    let agent = args.agent.to_string_lossy();
    let url = args.url.as_encoded_bytes();
    if let Some(agent) = args.agent.to_str() {
        let asker = Asker::chain(vec![agent.to_owned()]);
        asker::remarks(&asker, &dialect).for_each(|(_, remark)| remark.say("", talk));
    }
    let allowed = dialect.parse(&bytes).check(&*agent, url).is_allowed();
    let status = if allowed { ExitStatus::Success } else { ExitStatus::Finding };
    let result = write(args, allowed, bytes.is_empty(), out);
    written(result, status, talk)
}

fn write(args: &Robots, allowed: bool, is_empty: bool, out: &mut Out) -> io::Result<()> {
    let agent = Untrusted::new(args.agent.as_encoded_bytes());
    let url = Untrusted::new(args.url.as_encoded_bytes());
    let word = if allowed { "ALLOWED" } else { "DISALLOWED" };
    writeln!(out, "user-agent '{agent}' with URI '{url}': {word}")?;
    if is_empty {
        writeln!(out, "notice: robots file is empty so all user-agents are allowed")?;
    }
    out.flush()
}
