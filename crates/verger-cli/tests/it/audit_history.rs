//! Histories from git, and those that are not certain.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::audit::{CLOSED, OPEN, VISITS, dated, log};
use crate::common::texts;

fn git(folder: &Path, time: &str, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@b.example"]);
    git.args(["-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false"]).args(arguments);
    let output = git.env("GIT_COMMITTER_DATE", time).env("GIT_AUTHOR_DATE", time).output();
    let output = output.expect("git can be run");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs the program in a folder.
fn audit_in(folder: &Path, history: &str) -> (Option<i32>, String, String) {
    audit_in_with(folder, history, &[])
}

fn audit_in_with(
    folder: &Path,
    history: &str,
    arguments: &[&str],
) -> (Option<i32>, String, String) {
    fs::write(folder.join("access.log"), log(&VISITS)).expect("the fixture is made");
    let output = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(["audit", "access.log", "--origin", "https://shop.example", "--offline"])
        .args(["--format", "json", "--history", history])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program can be run");
    texts(&output)
}

#[test]
fn the_commits_of_a_branch_are_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("public")).unwrap();
    let file = root.join("public/robots.txt");
    let write = |text: &str, time: &str, message: &str| {
        fs::write(&file, text).unwrap();
        git(root, time, &["add", "."]);
        git(root, time, &["commit", "-q", "-m", message]);
    };
    git(root, "2026-08-01T00:00:00Z", &["init", "-q"]);
    // Settings of a user that would hide changes.
    for (key, value) in [
        ("log.showRoot", "false"),
        ("log.diffMerges", "combined"),
        ("log.follow", "true"),
        ("diff.relative", "true"),
    ] {
        git(root, "2026-08-01T00:00:00Z", &["config", key, value]);
    }
    write(OPEN, "2026-08-01T00:00:00Z", "open");
    // A branch whose change is older than its merge: the merge counts.
    git(root, "2026-08-02T00:00:00Z", &["checkout", "-q", "-b", "work"]);
    write(CLOSED, "2026-08-02T00:00:00Z", "closed");
    git(root, "2026-08-02T00:00:00Z", &["checkout", "-q", "main"]);
    let merge = ["merge", "-q", "--no-ff", "-m", "merge", "work"];
    git(root, "2026-09-03T00:00:00Z", &merge);
    git(root, "2026-09-03T00:00:00Z", &["tag", "main", "work"]);
    for (place, history, known) in [
        (root.to_owned(), "git:public/robots.txt", 1),
        (root.join("public"), "git:robots.txt", 1),
        (root.join("public"), "git:main:public/robots.txt", 1),
        (root.join("public"), "git:main:./robots.txt", 1),
        // There, both visits were forbidden.
        (root.to_owned(), "git:work:public/robots.txt", 2),
    ] {
        let (status, out, errors) = audit_in(&place, history);
        assert_eq!(status, Some(0), "{errors}");
        let found: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(found["verdicts"]["disallowed_known"], known, "{history}: {out}");
    }
    fs::remove_file(&file).unwrap();
    git(root, "2026-09-03T12:00:00Z", &["commit", "-q", "-a", "-m", "none"]);
    let (_, out, _) = audit_in(root, "git:public/robots.txt");
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["history"][0]["versions"].as_array().map(Vec::len), Some(3));
    assert_eq!(found["verdicts"]["disallowed_known"], Value::Null, "{out}");
    for (history, message) in [
        ("git:missing.txt", "error: no commit has `git:missing.txt`"),
        (
            "git:no-branch:robots.txt",
            "error: `git:no-branch:robots.txt`: there is no branch `no-branch`",
        ),
        (
            "git:--output=x:robots.txt",
            "error: expected `git:FILE` or `git:BRANCH:FILE`, but found ",
        ),
    ] {
        let (status, _, errors) = audit_in(root, history);
        assert!(status == Some(2) && errors.starts_with(message), "{history}: {errors}");
    }
    assert!(!root.join("x").exists());
}

#[test]
fn what_git_does_not_know_accuses_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let commit = |time: &str| {
        git(root, time, &["add", "-A"]);
        git(root, time, &["commit", "-q", "-m", "change"]);
    };
    let verdicts = |arguments: &[&str]| {
        let (status, out, errors) = audit_in_with(root, "git:robots.txt", arguments);
        assert_eq!(status, Some(0), "{errors}");
        let mut found: Value = serde_json::from_str(&out).unwrap();
        (found["verdicts"].take(), errors)
    };
    git(root, "2026-08-01T00:00:00Z", &["init", "-q"]);
    fs::write(root.join("robots.txt"), OPEN).unwrap();
    commit("2026-08-02T00:00:00Z");
    fs::write(root.join("robots.txt"), CLOSED).unwrap();
    commit("2026-09-04T02:30:00Z");
    // The name of the current commit is also that of a branch.
    git(root, "2026-09-04T02:30:00Z", &["update-ref", "refs/heads/HEAD", "HEAD~1"]);
    // The crawler fetched the file half an hour after the commit.
    let (found, errors) = verdicts(&[]);
    assert_eq!(found["disallowed_known"], Value::Null, "{found}");
    assert!(errors.is_empty(), "{errors}");
    let (found, _) = verdicts(&["--deploy-delay", "25m"]);
    assert_eq!(found["disallowed_known"], 1, "{found}");
    // A commit that is dated before its parent.
    fs::write(root.join("robots.txt"), CLOSED.to_owned() + "\n").unwrap();
    commit("2026-09-01T00:00:00Z");
    let (found, errors) = verdicts(&["--deploy-delay", "0s"]);
    assert_eq!(found["disallowed_known"], Value::Null, "{found}");
    assert!(errors.contains("the times of commits contradict their order"), "{errors}");
    #[cfg(unix)]
    {
        fs::remove_file(root.join("robots.txt")).unwrap();
        std::os::unix::fs::symlink("access.log", root.join("robots.txt")).unwrap();
        commit("2026-09-05T00:00:00Z");
        let (status, _, errors) = audit_in_with(root, "git:robots.txt", &[]);
        let expected = "error: `git:robots.txt` is a symbolic link";
        assert!(status == Some(2) && errors.starts_with(expected), "{errors}");
    }
}

#[test]
fn what_a_merge_brings_may_have_been_served_before_it() {
    for (main, work, message, expected) in [
        // `git pull` into an older commit, and a push: the merged commits were served.
        (
            &[("2026-09-01T12:00:00Z", OPEN)][..],
            &["2026-08-30T00:00:00Z", "2026-09-03T00:00:00Z"][..],
            "Merge branch 'work' of https://git.example/shop",
            ["allowed", "unknown"],
        ),
        // As if nothing had changed.
        (
            &[("2026-09-01T12:00:00Z", OPEN), ("2026-09-02T12:00:00Z", CLOSED)],
            &["2026-08-30T00:00:00Z", "2026-09-03T00:00:00Z"],
            "merge",
            ["disallowed_known", "unknown"],
        ),
        // A merge into a branch of other files brings nothing back.
        (
            &[("2026-08-15T00:00:00Z", OPEN), ("2026-09-03T00:00:00Z", CLOSED)],
            &["2026-08-10T00:00:00Z", "2026-08-16T00:00:00Z"],
            "merge",
            ["allowed", "disallowed_known"],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let commit = |file: &str, text: &str, time: &str| {
            fs::write(root.join(file), text).unwrap();
            git(root, time, &["add", file]);
            git(root, time, &["commit", "-q", "-m", "change"]);
        };
        git(root, "2026-08-01T00:00:00Z", &["init", "-q"]);
        commit("robots.txt", CLOSED, "2026-08-01T00:00:00Z");
        git(root, work[0], &["checkout", "-q", "-b", "work"]);
        commit("other", "x", work[0]);
        git(root, work[0], &["checkout", "-q", "main"]);
        let (before, after) = main.split_at(main.partition_point(|(time, _)| *time < work[1]));
        for (time, text) in before {
            commit("robots.txt", text, time);
        }
        git(root, work[1], &["checkout", "-q", "work"]);
        git(root, work[1], &["merge", "-q", "--no-ff", "-m", message, "main"]);
        let branch = if after.is_empty() { "work" } else { "main" };
        git(root, work[1], &["checkout", "-q", branch]);
        for (time, text) in after {
            git(root, time, &["merge", "-q", "--no-ff", "-m", "merge", "work"]);
            commit("robots.txt", text, time);
        }
        let (status, out, errors) = audit_in(root, "git:robots.txt");
        assert_eq!(status, Some(0), "{errors}");
        let found: Value = serde_json::from_str(&out).unwrap();
        for verdict in expected {
            assert_eq!(found["verdicts"][verdict], 1, "{main:?}: {out}");
        }
    }
}

#[test]
fn after_newer_commits_of_the_upstream_nothing_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let [upstream, local] = ["upstream", "local"].map(|name| folder.path().join(name));
    let commit = |text: &str, time: &str| {
        fs::write(upstream.join("robots.txt"), text).unwrap();
        git(&upstream, time, &["add", "robots.txt"]);
        git(&upstream, time, &["commit", "-q", "-m", "change"]);
    };
    fs::create_dir(&upstream).unwrap();
    git(&upstream, "2026-08-01T00:00:00Z", &["init", "-q"]);
    commit(CLOSED, "2026-08-01T00:00:00Z");
    git(folder.path(), "2026-08-01T00:00:00Z", &["clone", "-q", "upstream", "local"]);
    let check = |history: &str, expected: &str, warning: Option<&str>| {
        let (status, out, errors) = audit_in(&local, history);
        assert_eq!(status, Some(0), "{errors}");
        let mut found: Value = serde_json::from_str(&out).unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(found["verdicts"].take(), expected, "{history}");
        assert_eq!(errors.contains("newer commits"), warning.is_some(), "{errors}");
        assert!(errors.contains(warning.unwrap_or_default()), "{errors}");
    };
    let known = r#"{ "robots_txt": 2, "disallowed_known": 2 }"#;
    check("git:main:robots.txt", known, None);
    commit(OPEN, "2026-09-03T00:00:00Z");
    // Git knows nothing of it before it fetches.
    check("git:robots.txt", known, None);
    git(&local, "2026-09-03T00:00:00Z", &["fetch", "-q"]);
    let known = r#"{ "robots_txt": 2, "disallowed_known": 1, "unknown": 1 }"#;
    let warning = "warning: `git:main:robots.txt`: `origin/main` has newer commits of the file, so nothing is \
                   known from 2026-09-03T00:00:00Z on\n";
    check("git:main:robots.txt", known, Some(warning));
    check("git:robots.txt", known, Some("`git:origin/main:./robots.txt` reads them\n"));
    let known = r#"{ "robots_txt": 2, "disallowed_known": 1, "allowed": 1 }"#;
    check("git:origin/main:robots.txt", known, None);
}

#[test]
fn a_folder_in_which_a_version_is_not_certain_is_an_error() {
    let audit = |files: &[(&str, &str)]| {
        let (_folder, path) = dated(files);
        audit_in(tempfile::tempdir().unwrap().path(), &path)
    };
    for (files, expected) in [
        (
            [("2026-09-03T000000Z.txt", OPEN), ("2026-09-03T000000Z-b.txt", CLOSED)],
            "`2026-09-03T000000Z-b.txt` and `2026-09-03T000000Z.txt` have the same time",
        ),
        (
            [("2026-09-03T000000Z.txt", OPEN), ("2026-09-03T000000Z-seen.txt", CLOSED)],
            "`2026-09-03T000000Z-seen.txt` and `2026-09-03T000000Z.txt` have the same time",
        ),
        (
            [("2026-09-03T000000Z.txt", OPEN), ("2026-09-03T000000Z.txt~", CLOSED)],
            "2026-09-03T000000Z.txt~`",
        ),
        ([("2026-09-03.txt", OPEN), ("2026-09-02.bak", CLOSED)], "2026-09-02.bak`"),
        ([("2026-09-03.txt", OPEN), ("2026-09-02.txt.gz", CLOSED)], "2026-09-02.txt.gz`"),
        ([("2026-09-03.txt", OPEN), ("2026-09-02", CLOSED)], "2026-09-02`"),
        ([("2026-09-01.txt", CLOSED), ("2026-09-02T240000Z.txt", OPEN)], "02T240000Z.txt`"),
        ([("2026-09-01.txt", CLOSED), ("robots-2026-09-02.txt", OPEN)], "robots-2026-09-02.txt`"),
        ([("2026-09-01.txt", CLOSED), ("README", "")], "README`"),
    ] {
        let (status, out, errors) = audit(&files);
        assert!(
            status == Some(2) && out.is_empty() && errors.contains(expected),
            "{files:?}: {errors}"
        );
    }
    // An editor has it open.
    let files = [("2026-09-03T000000Z.txt", OPEN), (".2026-09-03T000000Z.txt.swp", CLOSED)];
    let (status, _, errors) = audit(&files);
    assert_eq!(status, Some(0), "{errors}");
}

#[test]
fn a_renamed_file_has_one_history_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, "2026-08-01T00:00:00Z", &["init", "-q"]);
    fs::write(root.join("old.txt"), CLOSED).unwrap();
    git(root, "2026-08-01T00:00:00Z", &["add", "old.txt"]);
    git(root, "2026-08-01T00:00:00Z", &["commit", "-q", "-m", "closed"]);
    git(root, "2026-09-01T00:00:00Z", &["mv", "old.txt", "new.txt"]);
    git(root, "2026-09-01T00:00:00Z", &["commit", "-q", "-m", "rename"]);
    for [first, second] in [["git:old.txt", "git:new.txt"], ["git:new.txt", "git:old.txt"]] {
        let (status, out, errors) = audit_in_with(root, first, &["--history", second]);
        assert_eq!(status, Some(0), "{errors}");
        let found: Value = serde_json::from_str(&out).unwrap();
        let versions = found["history"][0]["versions"].as_array().map(Vec::len);
        assert_eq!(versions, Some(2), "{first}: {out}");
        assert_eq!(found["verdicts"]["disallowed_known"], 2, "{first}: {out}");
    }
}
