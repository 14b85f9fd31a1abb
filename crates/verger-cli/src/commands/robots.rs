//! `verger robots`: the arguments, answers and exit codes of Google's `robots` tool.

use std::io::{self, Write};

use verger::{Dialect, Untrusted};
use verger_json::NamedCrawler;

use crate::args::Robots;
use crate::console::{Console, Out};
use crate::crawler::show_remarks;
use crate::error::{Error, ExitStatus};
use crate::input::read_robots;

pub(super) fn run(args: &Robots, console: &mut Console) -> Result<ExitStatus, Error> {
    let dialect = Dialect::GOOGLE;
    let bytes = read_robots(&args.file, &dialect)?;
    let robots = dialect.parse(&bytes);
    // Names of groups in this dialect consist of letters, `-` and `_`, so the replacement character
    // changes no answer.
    let agent = args.agent.to_string_lossy();
    let url = args.url.as_encoded_bytes();
    if let Some(agent) = args.agent.to_str() {
        let crawler = NamedCrawler::token(agent);
        show_remarks(&crawler, &[&robots], &dialect, &mut console.messages);
    }
    let allowed = robots.check(&*agent, url).is_allowed();
    let status = if allowed { ExitStatus::Success } else { ExitStatus::Finding };
    Ok(console.finish(status, |out| write(args, allowed, bytes.is_empty(), out)))
}

fn write(args: &Robots, allowed: bool, is_empty: bool, out: &mut Out) -> io::Result<()> {
    let agent = Untrusted::new(args.agent.as_encoded_bytes());
    let url = Untrusted::new(args.url.as_encoded_bytes());
    let word = if allowed { "ALLOWED" } else { "DISALLOWED" };
    writeln!(out, "user-agent '{agent}' with URI '{url}': {word}")?;
    if is_empty {
        writeln!(out, "notice: robots file is empty so all user-agents are allowed")?;
    }
    Ok(())
}
