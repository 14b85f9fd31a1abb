//! The history of a robots.txt in git.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use verger::access::Timestamp;
use verger::quoted;
use verger_lint::git;

use super::{Found, expect_few};
use crate::console::Messages;
use crate::error::Error;
use crate::limits::HISTORY_BYTES;
use crate::robots_place::{git_object, read_git};

/// The commits of a file of a branch; see [`git_object`]. The time of a version is
/// that of its commit on this branch, and it was deployed at most `delay` later. From the earliest
/// commit that a merge brought to the merge, it is unknown what was served.
pub(super) fn read(
    object: &str,
    delay: Duration,
    history: &mut Found,
    messages: &mut Messages,
) -> Result<(), Error> {
    let name = quoted(&format!("git:{object}"));
    let full = git_object(object);
    let (branch, path) = full.split_once(':').unwrap_or_default();
    // After `-` git would read an option, and after a line break another object.
    if branch.starts_with('-')
        || branch.is_empty()
        || matches!(path, "" | "./")
        || object.contains('\n')
    {
        let error =
            Error::new(format!("expected `git:FILE` or `git:BRANCH:FILE`, but found {name}"));
        return Err(error);
    }
    let branch_name = full_name(branch, &name)?;
    let is_relative = path.starts_with("./") || path.starts_with("../");
    let top = if is_relative { String::new() } else { ask(&["rev-parse", "--show-cdup"], &name)? };
    let here = [top.trim_end(), path].concat();
    let commits = commits(&branch_name, &here, &name)?;
    if commits.is_empty() {
        let error = Error::new(format!("no commit has {name}"));
        return Err(error.with_hint(
            "`git:FILE` begins in the current folder, `git:BRANCH:FILE` at the root of the repository",
        ));
    }
    let at = Timestamp::from_seconds;
    let (mut bytes, mut last) = (0, 0);
    for commit in &commits {
        last = last.max(commit.time);
        let text =
            (commit.has_file == Some(true)).then(|| read_git(&format!("{}:{path}", commit.hash)));
        let text = text.transpose()?;
        bytes += text.as_ref().map_or(0, |text| text.len() as u64);
        if bytes > HISTORY_BYTES {
            let most = format!("expected at most {HISTORY_BYTES} bytes in all versions of");
            return Err(Error::new(format!("{most} {name}, but found more")));
        }
        let short = commit.hash.get(..12).unwrap_or(&commit.hash);
        history.add(at(last), text, format!("commit {short}"));
        history.gaps.push(at(last)..at(last.saturating_add(delay.as_secs())));
    }
    let gaps = contradictions(&commits.iter().map(|commit| commit.time).collect::<Vec<_>>());
    if let Some(first) = gaps.first() {
        let why = "the times of commits contradict their order, so nothing is known about the time";
        messages.warning(format_args!("{name}: {why} from {} on", first.start));
    }
    history.gaps.extend(gaps);
    // After `git pull` and a push, what a merge brings can be what the branch served before.
    let (_, merges) = changes(&branch_name, &here, &name)?;
    for merge in merges {
        history.gaps.push(at(merge.start)..at(merge.end.saturating_add(delay.as_secs())));
    }
    // Without an upstream, git fails.
    let upstream = ["rev-parse", "--abbrev-ref", &format!("{branch}@{{upstream}}")];
    if let Ok(upstream) = ask(&upstream, &name) {
        let upstream = upstream.trim_end();
        let (first, _) = changes(&format!("{branch_name}..{upstream}"), &here, &name)?;
        if first < u64::MAX {
            let (other, from) = (quoted(upstream), at(first));
            let what = "has newer commits of the file, so nothing is known";
            messages.warning(format_args!("{name}: {other} {what} from {from} on"));
            let other = quoted(&format!("git:{upstream}:{path}"));
            messages.hint(format!("`git pull` brings them into the branch; {other} reads them"));
            history.gaps.push(from..at(u64::MAX));
        }
    }
    Ok(())
}

/// The full name of a branch: a tag with the same name would win.
fn full_name(branch: &str, name: &str) -> Result<String, Error> {
    if branch == "HEAD" {
        return Ok(branch.to_owned());
    }
    let [local, remote] = ["heads", "remotes"].map(|kind| format!("refs/{kind}/{branch}"));
    let list = ["for-each-ref", "--format=%(refname)", &local, &remote];
    let found = ask(&list, name)?;
    let full = [local, remote].into_iter().find(|full| found.lines().any(|it| it == full));
    full.ok_or_else(|| {
        let error = Error::new(format!("{name}: there is no branch {}", quoted(branch)));
        error.with_hint("`git branch --all` lists the branches")
    })
}

/// A commit that changed a file.
struct Commit {
    hash: String,
    /// Seconds since 1970.
    time: u64,
    /// Whether it left a file of this name; `None` if its change is not known.
    has_file: Option<bool>,
}

/// The commits that changed a file, oldest first.
fn commits(branch: &str, path: &str, name: &str) -> Result<Vec<Commit>, Error> {
    // Of a merged branch, the merge counts: then the file came to this branch.
    let log = ["log", "--first-parent", "-m", "--raw", "--no-renames", "--no-show-signature"];
    let log = SETTINGS.split(' ').chain(log).collect::<Vec<_>>();
    let what = ["--format=%H %ct", "--end-of-options", branch, "--", path];
    let mut commits: Vec<Commit> = Vec::new();
    for line in ask(&[&log, &what[..]].concat(), name)?.lines() {
        // `:MODE MODE HASH HASH STATUS PATH`: what it was, and what the commit made of it.
        if let Some(change) = line.strip_prefix(':') {
            let mode = change.split(' ').nth(1);
            if mode == Some(SYMLINK) {
                let error = Error::new(format!("{name} is a symbolic link"));
                return Err(error.with_hint("name the file to which it points"));
            }
            if let Some(commit) = commits.last_mut() {
                *commit.has_file.get_or_insert(false) |= mode != Some("000000");
            }
        } else if let Some((hash, time)) = line.split_once(' ') {
            let (hash, time) = (hash.to_owned(), time.parse().unwrap_or_default());
            commits.push(Commit { hash, time, has_file: None });
        }
    }
    if let Some(commit) = commits.iter().find(|commit| commit.has_file.is_none()) {
        let what = format!("git shows no change by the commit {}", commit.hash);
        return Err(Error::new(format!("could not read {name}: {what}")));
    }
    commits.reverse();
    expect_few(commits.len())?;
    Ok(commits)
}

/// The time of the earliest change of a file by the commits of a branch or range; and for each merge
/// that brought changes, the time from the earliest of them to its own.
fn changes(revisions: &str, path: &str, name: &str) -> Result<(u64, Vec<Range<u64>>), Error> {
    // Children before parents; also the commits without a change, because they join the others.
    let log = ["log", "--topo-order", "--full-history", "--sparse", "-c", "--raw", "--no-renames"];
    let what = ["--no-show-signature", "--format=%H %ct %P", "--end-of-options", revisions, "--"];
    let log = SETTINGS.split(' ').chain(log).chain(what).chain([path]);
    let (mut first, mut merges) = (u64::MAX, Vec::<Range<u64>>::new());
    // By commit, the number of the oldest one of the branch that merged it; none for those of the
    // branch itself.
    let (mut merged_by, mut merge, mut time) = (HashMap::new(), None, 0);
    for line in ask(&log.collect::<Vec<_>>(), name)?.lines() {
        if line.starts_with(':') {
            first = time.min(first);
            if let Some(merge) = merge.and_then(|it: usize| merges.get_mut(it)) {
                merge.start = time.min(merge.start);
            }
            continue;
        }
        let mut words = line.split(' ').filter(|it| !it.is_empty());
        let Some(hash) = words.next() else { continue };
        time = words.next().and_then(|it| it.parse().ok()).unwrap_or_default();
        merge = merged_by.remove(hash).flatten();
        for (number, parent) in words.enumerate() {
            let by = merge.or_else(|| (number > 0).then_some(merges.len()));
            let known = merged_by.entry(parent.to_owned()).or_insert(by);
            *known = known.zip(by).map(|(known, by)| known.max(by));
        }
        if merge.is_none() {
            merges.push(time..time);
        }
    }
    merges.retain(|merge| !merge.is_empty());
    Ok((first, merges))
}

/// Against settings of the user by which the first commit, merges or a sub-folder have no changes,
/// or other files have some.
const SETTINGS: &str =
    "-c log.showRoot=true -c log.diffMerges=separate -c diff.relative=false -c log.follow=false";

/// The mode of a symbolic link in git.
const SYMLINK: &str = "120000";

/// The times, from the oldest commit to the newest, that contradict this order: one of two clocks
/// was wrong. So nothing is known from the commit before both until the next one that is later than
/// both.
fn contradictions(times: &[u64]) -> Vec<Range<Timestamp>> {
    let (mut gaps, mut last) = (Vec::new(), 0);
    for (at, &time) in times.iter().enumerate() {
        if time < last {
            let later = times[..at].iter().position(|it| *it > time).unwrap_or_default();
            let start = later.checked_sub(1).map_or(0, |before| times[before]);
            let end = times[at..].iter().find(|it| **it > last).copied().unwrap_or(u64::MAX);
            gaps.push(Timestamp::from_seconds(start)..Timestamp::from_seconds(end));
        }
        last = last.max(time);
    }
    gaps
}

/// The output of git in the current folder, about the history `name`.
fn ask(arguments: &[&str], name: &str) -> Result<String, Error> {
    let output = git(Path::new(""), arguments, HISTORY_BYTES);
    let output = output.map_err(|cause| Error::new(format!("could not read {name}: {cause}")))?;
    Ok(String::from_utf8_lossy(&output).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_commits_that_contradict_their_order_are_unknown() {
        for (times, expected) in [
            (&[100, 200, 200, 300][..], vec![]),
            // Either the second commit is dated in the future, or the third one in the past.
            (&[100, 900, 200, 1000], vec![(100, 1000)]),
            (&[100, 900, 200, 300], vec![(100, u64::MAX), (100, u64::MAX)]),
            (&[900, 200, 901], vec![(0, 901)]),
        ] {
            let found = contradictions(times).into_iter();
            let found: Vec<_> = found.map(|gap| (gap.start.seconds(), gap.end.seconds())).collect();
            assert_eq!(found, expected, "{times:?}");
        }
    }
}
