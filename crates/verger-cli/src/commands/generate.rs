//! `verger generate`: writes the rules of a robots.txt from a policy.

use std::io::Write as _;
use std::path::Path;

use serde::Deserialize;
use verger_fetch::client::{Clock as _, SystemClock};
use verger_lint::TomlError;
use verger_registry::{Crawler, Purpose, Registry, RobotsPolicy};

use super::crawlers::outdated;
use crate::args::{Answer, Generate, PolicyArgs};
use crate::config_file::{nearest_config, toml_error};
use crate::console::{Console, Messages};
use crate::error::{Error, ExitStatus};
use crate::input::{is_stdin, place, read_regular, read_whole_robots, shown};
use crate::limits::{CONFIG_BYTES, NAMES_SHOWN};
use crate::output::write_edits;
use crate::policy::block::Subject;
use crate::policy::marks::{EDITS, Marked};
use crate::policy::proof::updated;
use crate::replace_file::replace_file;
use crate::sentence::counted;

pub(super) fn run(args: &Generate, console: &mut Console) -> Result<ExitStatus, Error> {
    let policy = policy(args, &mut console.messages)?;
    let registry = Registry::bundled();
    if let Some(warning) = outdated(registry, SystemClock.now()) {
        console.messages.warning(warning);
    }
    let (old, name) = match &args.update {
        None => (Vec::new(), "the block".to_owned()),
        Some(path) => (read_whole_robots(path).map_err(|error| hint(error, path))?, place(path)),
    };
    let marked = Marked::split(&old, &name)?;
    let new = updated(&marked, &policy, &Subject::all(registry), &registry.date().to_string())?;
    // A newer date alone is not a difference.
    let new_block = &new[marked.before.len()..new.len() - marked.after.len()];
    let is_same = marked.block.is_some_and(|it| without_date(it) == without_date(new_block));
    if !is_same {
        show_limits(&policy, registry, &mut console.messages);
    }
    let Some(path) = args.update.as_ref().filter(|it| args.check || !is_stdin(it)) else {
        return Ok(console.finish(ExitStatus::Success, |out| out.write_all(&new)));
    };
    if !args.check {
        replace_file(path, &old, &new)?;
        let what = if old == new { "already up to date" } else { "written" };
        console.messages.note(format_args!("{}: {what}", shown(path)));
        return Ok(ExitStatus::Success);
    }
    if is_same {
        console.messages.note(format_args!("{}: up to date", shown(path)));
        return Ok(ExitStatus::Success);
    }
    let palette = console.palette;
    let name = path.as_os_str().as_encoded_bytes();
    console.messages.hint("without `--check`, the same command writes these lines".to_owned());
    Ok(console
        .finish(ExitStatus::Finding, |out| write_edits(out, palette, usize::MAX, name, &old, &new)))
}

/// The policy of the flags, or of the table `policy` of the nearest `verger.toml` if they have no
/// answer. Other flags then replace values of the table.
fn policy(args: &Generate, messages: &mut Messages) -> Result<PolicyArgs, Error> {
    let file = nearest_config(args.update.as_deref().unwrap_or(Path::new("robots.txt")))?;
    let table = file.as_deref().map(read_table);
    let flags = &args.policy;
    let policy = if flags.has_answer() {
        if let (Some(file), Some(Ok(Some(_)))) = (&file, table) {
            let name = shown(file);
            messages
                .note(format_args!("flags are given, so the table `policy` of {name} is not used"));
        }
        flags.clone()
    } else {
        let mut table = table.transpose()?.flatten().unwrap_or_default();
        let given = |values: &Vec<String>| Some(values.clone()).filter(|it| !it.is_empty());
        table.except = given(&flags.except).unwrap_or(table.except);
        table.sitemaps = given(&flags.sitemaps).unwrap_or(table.sitemaps);
        table.no_statements |= flags.no_statements;
        table
    };
    if !policy.has_answer() {
        let error = Error::new("missing a policy");
        return Err(error.with_hint(
            "such as `--search yes --training no`, or a table `policy` in `verger.toml`",
        ));
    }
    Ok(policy)
}

/// The table `policy` of a `verger.toml`; `None` if it has none.
fn read_table(file: &Path) -> Result<Option<PolicyArgs>, Error> {
    #[derive(Deserialize)]
    struct Tables {
        policy: Option<PolicyArgs>,
    }
    let bytes = read_regular(file, CONFIG_BYTES)?;
    let error = |start, message: &str| {
        let text = String::from_utf8_lossy(&bytes);
        toml_error(&TomlError::new(&text, start, message), file)
    };
    let text = str::from_utf8(&bytes)
        .map_err(|it| error(it.valid_up_to(), "expected UTF-8, but found other bytes"))?;
    let tables: Tables = toml::from_str(text)
        .map_err(|it| error(it.span().map_or(0, |span| span.start), it.message()))?;
    Ok(tables.policy)
}

/// Says what the file cannot do: crawlers that do not promise to obey it, and purposes without an
/// answer.
fn show_limits(policy: &PolicyArgs, registry: &Registry, messages: &mut Messages) {
    let in_use = registry.crawlers().iter().filter(|it| it.retired().is_none());
    let refused = in_use.filter(|it| policy.answer(it.purpose()) == Some(Answer::No));
    for (statement, what) in [
        (RobotsPolicy::Ignores, "robots.txt cannot keep out crawlers that do not obey it"),
        (
            RobotsPolicy::Unstated,
            "no known statement promises that these refused crawlers obey robots.txt",
        ),
    ] {
        let found = refused.clone().filter(|it| it.robots_policy() == statement);
        let names: Vec<_> = found.map(Crawler::token).collect();
        if !names.is_empty() {
            let more = names.len().saturating_sub(NAMES_SHOWN);
            let shown = names[..names.len() - more].join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            messages.warning(format_args!("{what}: {shown}{more}"));
        }
    }
    let is_open = |it: &&Purpose| policy.answer(**it).is_none();
    let open: Vec<_> = Purpose::ALL.iter().filter(is_open).map(|it| it.name()).collect();
    if !open.is_empty() && policy.all_others.is_none() {
        let purposes = counted(open.len() as u64, "purpose");
        messages.note(format_args!(
            "{purposes} without an answer, treated like all others: {}",
            open.join(", ")
        ));
    }
    let is_closed = |answer| answer == Some(Answer::No);
    if is_closed(policy.training) && policy.dataset.is_none() && !is_closed(policy.all_others) {
        let text = "`--dataset no` also closes the site to collectors of data sets such as CCBot: models can be \
                    trained with these";
        messages.hint(text.to_owned());
    }
}

/// A block without the line of the registry's date, and with LF at the end of each line.
fn without_date(block: &[u8]) -> Vec<Vec<u8>> {
    let lines = block.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_empty());
    lines.filter(|line| !line.starts_with(EDITS.as_bytes())).map(<[u8]>::to_vec).collect()
}

/// The error of reading a file, with a hint if there is none.
fn hint(error: Error, path: &Path) -> Error {
    let text = "without `--update`, the rules are written to standard output, for a new file";
    error.with_optional_hint((!path.exists()).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn flags_without_an_answer_replace_values_of_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let table = "[policy]\ntraining = 'no'\nexcept = ['/a']\nsitemaps = ['https://h/a']\n";
        fs::write(folder.path().join("verger.toml"), table).unwrap();
        let found = |policy: &PolicyArgs| {
            let update = Some(folder.path().join("robots.txt"));
            let args = Generate { update, check: false, policy: policy.clone() };
            super::policy(&args, &mut Messages::stderr())
        };
        let list = |item: &str| vec![item.to_owned()];
        let no = Some(Answer::No);
        let table = PolicyArgs {
            training: no,
            except: list("/a"),
            sitemaps: list("https://h/a"),
            ..PolicyArgs::default()
        };
        let none = PolicyArgs::default();
        for (flags, expected) in [
            (none.clone(), table.clone()),
            (
                PolicyArgs { no_statements: true, ..none.clone() },
                PolicyArgs { no_statements: true, ..table.clone() },
            ),
            (
                PolicyArgs { except: list("/b"), ..none.clone() },
                PolicyArgs { except: list("/b"), ..table.clone() },
            ),
            (
                PolicyArgs { sitemaps: list("https://h/b"), ..none.clone() },
                PolicyArgs { sitemaps: list("https://h/b"), ..table.clone() },
            ),
            // An answer replaces the whole table.
            (PolicyArgs { seo: no, ..none.clone() }, PolicyArgs { seo: no, ..none.clone() }),
        ] {
            assert_eq!(found(&flags).unwrap(), expected);
        }
        fs::write(folder.path().join("verger.toml"), "[policy]\nno-statements = true\n").unwrap();
        let error = found(&none).unwrap_err();
        assert_eq!(error.to_string(), "missing a policy");
    }

    #[test]
    fn a_table_is_read_from_a_regular_file_in_utf_8() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("verger.toml");
        fs::write(&file, b"[policy]\nexcept = [\"/caf\xe9\"]\n").unwrap();
        let error = read_table(&file).unwrap_err().to_string();
        assert!(error.contains("verger.toml:2:16: expected UTF-8"), "{error}");
        #[cfg(unix)]
        {
            fs::remove_file(&file).unwrap();
            crate::replace_file::make_pipe(&file);
            let error = read_table(&file).unwrap_err().to_string();
            assert!(error.contains("a device, a pipe or a socket"), "{error}");
        }
    }
}
