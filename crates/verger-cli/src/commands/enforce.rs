//! `verger enforce`: rules of web servers that refuse what robots.txt disallows.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use verger::access::Timestamp;
use verger::{Dialect, Untrusted, quoted};
use verger_enforce::{Answer, Choices, EmitError, Options, Plan, Target};
use verger_fetch::client::{Clock as _, SystemClock};
use verger_fetch::record::Body;
use verger_json::NamedCrawler;
use verger_registry::Registry;

use super::enforce_proof::prove;
use crate::args::Enforce;
use crate::console::{Console, Palette};
use crate::crawler::show_remarks;
use crate::error::{Error, ExitStatus};
use crate::evidence::line_of;
use crate::input::{bytes_of, read_regular, shown};
use crate::limits::{DIFF_CHARS, DIFF_LINES, RULES_BYTES};
use crate::output::write_edits;
use crate::proof::lists;
use crate::robots_file::RobotsFile;
use crate::robots_place::{RobotsPlace, refuse_live_args};
use crate::sentence::{counted, joined};

pub(super) fn run(args: &Enforce, console: &mut Console) -> Result<ExitStatus, Error> {
    let place = RobotsPlace::new(&args.robots);
    if args.prove.is_none() && !matches!(place, RobotsPlace::Site(_)) {
        refuse_live_args(&args.live, &args.robots)?;
    }
    let file = place.load(&args.reading.dialect, None, &args.live, &mut console.messages)?;
    if let Some(warning) = file.truncation() {
        console.messages.warning(warning);
    }
    let now = SystemClock.now();
    let plan = plan(args, &file, now)?;
    for name in &args.agent {
        let crawler = NamedCrawler::agent(name, &args.reading.dialect);
        show_remarks(&crawler, &[file.robots()], &args.reading.dialect, &mut console.messages);
    }
    for note in plan.notes() {
        console.messages.note(note);
    }
    let proof = plan.prove(file.robots());
    if let Some((crawler, target)) = &proof.disagreement {
        let error = format!(
            "the rules do not say the same as {} for {} and the target {}: nothing is written",
            quoted(file.name()),
            quoted(crawler),
            quoted(target)
        );
        return Err(Error::new(error).with_hint("this is an error of Verger: please report it"));
    }
    if let Some((crawler, reason)) = &proof.undecided {
        let crawler = quoted(crawler);
        console.messages.warning(format!("the proof for {crawler} is not complete: {reason}"));
    }
    match (&args.prove, args.target) {
        (Some(url), _) => prove(args, url, &answer(args)?, &plan, file.robots(), console),
        (None, Some(target)) => {
            let sha256 = Body::new(file.robots().text().to_vec()).sha256_hex();
            let choices = Choices {
                answer: answer(args)?,
                sha256: &sha256,
                options: &options(args),
                approximate: args.approximate,
                proof: Some(&proof),
                proxies: (&args.trusted_proxy, &args.proxy_header),
            };
            let output = plan.emit(target, &choices).map_err(|error| unwritten(&file, &error))?;
            for missing in &output.missing {
                let effect = if missing.is_looser { "looser" } else { "stricter" };
                let place = format!("{}:{}", file.name(), missing.line);
                let message =
                    format!("{place}: not complete, so this is {effect}: {}", missing.reason);
                console.messages.warning(message);
            }
            if let Some(path) = &args.check {
                return check(args, path, &output.text, &plan, now, console);
            }
            let compared = counted(proof.compared as u64, "answer");
            console.messages.note(if output.missing.is_empty() {
                format!("proved: the engine and the rules give the same {compared}")
            } else {
                format!(
                    "the engine and the rules give the same {compared}; lists with the rules above are not \
                     part of the proof"
                )
            });
            Ok(console.finish(ExitStatus::Success, |out| out.write_all(output.text.as_bytes())))
        }
        (None, None) => Err(Error::new("expected `--target` or `--prove`")),
    }
}

fn plan(args: &Enforce, file: &RobotsFile, now: Timestamp) -> Result<Plan, Error> {
    let options = Options {
        purposes: args.purpose.clone(),
        agents: args.agent.clone(),
        star_for_all: args.star_for_all,
        verified: args.verified,
    };
    let lists = lists(args.lists.as_deref())?;
    Plan::of(file.robots(), &options, &lists, now).map_err(|error| {
        let is_given = args.agent.contains(&error.name);
        let near = Registry::bundled().similar(&error.name, []).filter(|_| is_given);
        let hint = near.map(|near| near.question());
        let is_dialect = error.name == args.reading.dialect.to_string();
        let place = if is_dialect { format!("{}: ", file.name()) } else { String::new() };
        Error::new(format!("{place}{error}")).with_optional_hint(hint)
    })
}

/// The options that decide about the output, for its heading.
fn options(args: &Enforce) -> String {
    let mut all = Vec::new();
    let mut add = |name, value: &dyn Display| all.push(format!("--{name} {value}"));
    args.purpose.iter().for_each(|it| add("purpose", it));
    args.agent.iter().for_each(|it| add("agent", it));
    if args.star_for_all {
        add("star-for", &"all");
    }
    if let Some(unproved) = args.verified {
        add("verified", &unproved.name());
    }
    args.trusted_proxy.iter().for_each(|it| add("trusted-proxy", it));
    if !args.trusted_proxy.is_empty() {
        add("proxy-header", &Untrusted::new(&args.proxy_header));
    }
    if args.answer != "403" {
        add("answer", &Untrusted::new(args.answer.as_encoded_bytes()));
    }
    if args.reading.dialect != Dialect::default() {
        add("dialect", &args.reading.dialect);
    }
    all.extend(args.approximate.then(|| "--approximate".to_owned()));
    if all.is_empty() { "none".to_owned() } else { all.join(" ") }
}

fn answer(args: &Enforce) -> Result<Answer, Error> {
    let text = args.answer.to_string_lossy();
    let is_url = ["https://", "http://", "/"].iter().any(|start| text.starts_with(start));
    let page = text.strip_prefix("page:");
    // Each with its name in a hint, and whether it is the wanted one.
    let mut known = vec![
        ("403", text == "403", Answer::Status(403)),
        ("429", text == "429", Answer::Status(429)),
        ("444", text == "444", Answer::Close),
        ("a URL", is_url, Answer::Redirect(text.clone().into_owned())),
        ("`page:FILE`", page.is_some(), Answer::Page(String::new())),
    ];
    known.retain(|(.., answer)| args.target.is_none_or(|target| target.has(answer)));
    match (known.iter().find(|(_, is_wanted, _)| *is_wanted), page) {
        (Some(_), Some(path)) => {
            let page = read_regular(Path::new(path), RULES_BYTES)?;
            Ok(Answer::Page(String::from_utf8_lossy(&page).trim_end().to_owned()))
        }
        (Some((.., answer)), None) => Ok(answer.clone()),
        (None, page) => {
            let (place, found) = (args.target.map_or("`--answer`", Target::name), quoted(&*text));
            let names: Vec<_> = known.iter().map(|(name, ..)| (*name).to_owned()).collect();
            let own = match args.target {
                Some(Target::Nginx) => Some("`error_page` and a named location"),
                Some(Target::Apache) => Some("`ErrorDocument`"),
                Some(Target::Caddy) => Some("`handle_errors`"),
                Some(Target::Varnish) => Some("`vcl_synth`"),
                _ => None,
            };
            let own = own.filter(|_| page.is_some());
            let own = own.map(|it| format!("; for a page, use 403 with {it}")).unwrap_or_default();
            let hint = joined(&names, "or").unwrap_or_default() + &own;
            let error = format!("expected an answer of {place}, but found {found}");
            Err(Error::new(error).with_hint(hint))
        }
    }
}

fn unwritten(file: &RobotsFile, error: &EmitError) -> Error {
    let rules = match error {
        EmitError::Rules(rules) => rules,
        EmitError::Nothing => {
            let hint = "`verger check` shows which rules a crawler obeys; `--agent` and `--purpose` \
                        choose crawlers";
            return Error::new(format!("{}: {error}", file.name())).with_hint(hint);
        }
        _ => return Error::new(error.to_string()),
    };
    let text = file.robots().text();
    let lines = rules.iter().map(|it| {
        let rule = line_of(text, it.line).unwrap_or_default();
        format!("{}:{}: {}: {}", file.name(), it.line, quoted(&rule), it.reason)
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    Error::new(format!("the target cannot express all rules, so nothing is written\n{lines}"))
        .with_hint("`--approximate` leaves them out, and names them in the output")
}

/// Shows how a file differs from the output that it should have. The lines of its heading say what
/// has changed.
fn check(
    args: &Enforce,
    path: &Path,
    text: &str,
    plan: &Plan,
    now: Timestamp,
    console: &mut Console,
) -> Result<ExitStatus, Error> {
    let found = read_regular(path, RULES_BYTES)?;
    let is_same = found == text.as_bytes();
    let old = [
        (Some(Registry::bundled().date().start()), "the data about crawlers is", "update Verger"),
        (
            plan.addresses_date(),
            "the oldest list of addresses is",
            "use `--lists DIR` after `verger identity update DIR`",
        ),
    ];
    let old = old.into_iter().filter_map(|(date, data, remedy)| {
        let days = now.since(date?).as_secs() / (24 * 60 * 60);
        let age = format!("{data} from {}, {} ago", date?, counted(days, "day"));
        (days > args.max_days?).then(|| format!("{age}: {remedy}, and write the rules again"))
    });
    let old: Vec<_> = old.collect();
    if !is_same {
        console.messages.hint("without `--check`, the same command writes these rules".to_owned());
    }
    let status = if is_same && old.is_empty() { ExitStatus::Success } else { ExitStatus::Finding };
    let palette = console.palette;
    Ok(console.finish(status, |out| {
        let name = shown(path);
        old.iter().try_for_each(|text| writeln!(out, "{name}: {text}"))?;
        if !is_same {
            return write_first_edits(out, palette, bytes_of(path), &found, text.as_bytes());
        }
        if old.is_empty() {
            writeln!(out, "{name}: up to date")?;
        }
        Ok(())
    }))
}

/// Writes changes of rules, of which there can be thousands.
fn write_first_edits(
    out: &mut impl Write,
    palette: Palette,
    name: &[u8],
    old: &[u8],
    new: &[u8],
) -> io::Result<()> {
    let mut edits = Vec::new();
    write_edits(&mut edits, palette, DIFF_CHARS, name, old, new)?;
    let mut lines = edits.split_inclusive(|byte| *byte == b'\n');
    lines.by_ref().take(DIFF_LINES).try_for_each(|line| out.write_all(line))?;
    match lines.count() {
        0 => Ok(()),
        more => writeln!(out, "({} not shown)", counted(more as u64, "further line")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_changes_the_first_lines_are_shown() {
        let edits = |count: usize| {
            let new = "x\n".repeat(count);
            let mut out = Vec::new();
            write_first_edits(&mut out, Palette::default(), b"r", b"", new.as_bytes()).unwrap();
            String::from_utf8(out).unwrap()
        };
        // With the names and the position.
        let all = edits(DIFF_LINES - 3);
        assert_eq!((all.lines().count(), all.lines().last()), (DIFF_LINES, Some("+x")));
        let first = edits(DIFF_LINES - 1);
        assert_eq!(first.lines().count(), DIFF_LINES + 1);
        assert_eq!(first.lines().last(), Some("(2 further lines not shown)"));
    }
}
