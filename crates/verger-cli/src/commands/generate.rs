//! `verger generate`: writes the rules of a robots.txt from a policy.

use std::io::Write as _;
use std::path::Path;

use serde::Deserialize;
use verger_fetch::client::{Clock as _, SystemClock};
use verger_lint::TomlError;
use verger_registry::{Crawler, Registry, RobotsPolicy};

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

pub(super) fn run(args: &Generate, console: &mut Console) -> Result<ExitStatus, Error> {
    let policy = policy(args)?;
    let registry = Registry::bundled();
    if let Some(warning) = outdated(registry, SystemClock.now()) {
        console.messages.warning(warning);
    }
    let (old, name) = match &args.update {
        None => (Vec::new(), "the block".to_owned()),
        Some(path) => (read_whole_robots(path)?, place(path)),
    };
    let marked = Marked::split(&old, &name)?;
    let new = updated(&marked, &policy, &Subject::all(registry), &registry.date().to_string())?;
    // A newer date alone is not a difference.
    let new_block = &new[marked.before.len()..new.len() - marked.after.len()];
    let is_same = marked.block.is_some_and(|it| without_date(it).eq(without_date(new_block)));
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

/// The policy of the flags; without any, of the table `policy` of the nearest `verger.toml`.
fn policy(args: &Generate) -> Result<PolicyArgs, Error> {
    let mut policy = args.policy.clone();
    if policy == PolicyArgs::default() {
        let file = nearest_config(args.update.as_deref().unwrap_or(Path::new("robots.txt")))?;
        let table = file.map(|file| read_table(&file)).transpose()?;
        policy = table.flatten().unwrap_or_default();
    }
    if !policy.has_answer() {
        return Err(Error::new("missing a policy").with_hint(
            "such as `--search yes --training no`, or a table `policy` in `verger.toml` without other flags",
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

/// Says what the file cannot do: keep out crawlers that do not promise to obey it.
fn show_limits(policy: &PolicyArgs, registry: &Registry, messages: &mut Messages) {
    let in_use = registry.crawlers().iter().filter(|it| it.retired().is_none());
    let refused = in_use.filter(|it| policy.answer(it.purpose()) == Some(Answer::No));
    let is_unbound = |it: &&Crawler| {
        matches!(it.robots_policy(), RobotsPolicy::Ignores | RobotsPolicy::Unstated)
    };
    let names: Vec<_> = refused.filter(is_unbound).map(Crawler::token).collect();
    if !names.is_empty() {
        let (count, shown) = (names.len(), names[..names.len().min(NAMES_SHOWN)].join(", "));
        messages.warning(format_args!(
            "robots.txt cannot keep out crawlers that do not promise to obey it: {count}, such as {shown}"
        ));
    }
}

/// The lines of a block without that of the registry's date.
fn without_date(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = block.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.starts_with(EDITS.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn flags_replace_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let table = "[policy]\ntraining = 'no'\nexcept = ['/a']\nsitemaps = ['https://h/a']\n";
        fs::write(folder.path().join("verger.toml"), table).unwrap();
        let found = |policy: &PolicyArgs| {
            let update = Some(folder.path().join("robots.txt"));
            super::policy(&Generate { update, check: false, policy: policy.clone() })
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
        assert_eq!(found(&none).unwrap(), table);
        let flags = PolicyArgs { seo: no, ..none.clone() };
        assert_eq!(found(&flags).unwrap(), flags);
        let error = found(&PolicyArgs { except: list("/b"), ..none.clone() }).unwrap_err();
        assert_eq!(error.to_string(), "missing a policy");
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
