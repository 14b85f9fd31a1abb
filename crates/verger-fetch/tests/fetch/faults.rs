//! The store on disk with killed processes, full disks and failing calls.
//!
//! The processes that use a store are those of this executable, started again. They say the results
//! of the store; the test checks them and the records found afterwards.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use verger_fetch::store::{Lookup, SqliteOptions, SqliteStore, Store, StoreErrorKind};
use verger_testkit::generate::is_thorough;
use verger_testkit::shared::{Lacking, say, skip_loudly};

use crate::common::{key, number_of, open, record, run};

/// The environment variable with the part of a process that a test has started.
const PART: &str = "VERGER_STORE_TEST_PART";

/// Plays the part of a process. It has none in the process of the tests.
#[test]
fn part_of_a_process() {
    let Ok(part) = env::var(PART) else { return };
    match part.split('\n').collect::<Vec<_>>()[..] {
        ["hammer", path, id, start] => hammer(Path::new(path), id, start.parse().unwrap()),
        ["persist", path, id, _] => persist(Path::new(path), &own(id, 0)),
        ["script", path] => script(Path::new(path)),
        _ => panic!("unknown part {part}"),
    }
}

/// Sets a process to play a part, and to say its results on standard error.
fn play<'c>(command: &'c mut Command, part: &str) -> &'c mut Command {
    command.args(["--exact", "faults::part_of_a_process", "--nocapture"]).env(PART, part)
}

const HOSTS: u64 = 5;
const PROCESSES: usize = 4;

fn own(id: &str, at: u64) -> String {
    format!("h{at}.process-{id}.example")
}

fn shared(at: u64) -> String {
    format!("h{at}.shared.example")
}

/// Puts and gets until it is killed, and prints the results of the store.
fn hammer(path: &Path, id: &str, start: u64) {
    let store = open(path).unwrap_or_else(|error| panic!("{error}"));
    let mut out = std::io::stderr().lock();
    let mut print = |line: String| out.write_all(line.as_bytes()).unwrap();
    print("open\n".to_owned());
    for number in start.. {
        let host = own(id, number % HOSTS);
        run(store.put(record(&host, number))).unwrap_or_else(|error| panic!("{error}"));
        print(format!("kept {number}\n"));
        run(store.put(record(&shared(number % HOSTS), number)))
            .unwrap_or_else(|error| panic!("{error}"));
        for host in [host, shared((number + 1) % HOSTS)] {
            if let Lookup::Found(found) = run(store.get(&key(&host))).unwrap() {
                assert!(number_of(&found, &host).is_some(), "a wrong record of {host}");
            }
        }
        if number % 7 == 0 {
            run(store.remove(&key(&shared(number % HOSTS)))).unwrap();
        }
        assert!(store.take_notices().is_empty(), "set aside");
    }
}

/// Puts and gets until it is killed. The file may be replaced too often for an operation.
fn persist(path: &Path, host: &str) {
    let store = open(path).unwrap();
    say("open");
    for number in 0.. {
        let put = run(store.put(record(host, number)));
        for error in put.err().into_iter().chain(run(store.get(&key(host))).err()) {
            assert_eq!(error.kind(), StoreErrorKind::Busy, "{error:?}");
        }
    }
}

/// A process that is killed some time after it has opened the store.
struct Hammered {
    child: Child,
    lines: BufReader<ChildStderr>,
}

impl Hammered {
    fn start(what: &str, path: &Path, id: usize, start: u64) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        play(&mut command, &format!("{what}\n{}\n{id}\n{start}", path.display()));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        Self { child, lines }
    }

    /// Kills it some time after this number of confirmed records. Returns the numbers of all.
    fn kill(self, least: usize, after: Duration) -> Vec<u64> {
        let Self { mut child, lines } = self;
        let mut lines = lines.lines().map(Result::unwrap);
        let start = Instant::now();
        assert_eq!(lines.next().as_deref(), Some("open"), "the store opens every time");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        let first: Vec<String> = lines.by_ref().take(least).collect();
        thread::sleep(after);
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(9), "ended by the kill, not by SQLite or an error");
        let number = |line: String| line.strip_prefix("kept ").unwrap().parse().unwrap();
        first.into_iter().chain(lines).map(number).collect()
    }
}

/// `VERGER_KILLS` sets the number; `cargo xtask kills` sets it.
#[test]
fn killed_processes_lose_no_confirmed_record() {
    let count: usize = env::var("VERGER_KILLS").map_or(40, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let each: Vec<u64> = thread::scope(|scope| {
        let path = &path;
        let ids: Vec<_> = (0..PROCESSES)
            .map(|id| scope.spawn(move || kill_repeatedly(path, id, count / PROCESSES)))
            .collect();
        ids.into_iter().map(|id| id.join().expect("a store that survives")).collect()
    });
    let kept: u64 = each.iter().sum();
    assert!(kept > count as u64, "only {kept} records were kept");
    let store = open(&path).unwrap();
    for entry in run(store.list(None, usize::MAX)).unwrap() {
        assert!(entry.summary.is_ok(), "{entry:?}");
    }
    let damaged = fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("damaged"));
    assert_eq!(damaged.count(), 0);
    say(&format!("kills: {count}, {kept} records kept between them, none lost or wrong"));
}

fn kill_repeatedly(path: &Path, id: usize, count: usize) -> u64 {
    // A linear congruence; any sequence works.
    let mut random = 12_345 + id as u64;
    let (mut number, mut kept) = (0, 0);
    let mut expected = vec![None; usize::try_from(HOSTS).unwrap()];
    for _ in 0..count {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let after = Duration::from_micros((random >> 33) % 120_000);
        // Every second one is perhaps killed before its first record.
        let least = if random >> 63 == 0 { 0 } else { 4 };
        let reported = Hammered::start("hammer", path, id, number).kill(least, after);
        kept += reported.len() as u64;
        for reported in reported {
            expected[usize::try_from(reported % HOSTS).unwrap()] = Some(reported);
            number = reported + 1;
        }
        let store = open(path).unwrap();
        for at in 0..HOSTS {
            let host = own(&id.to_string(), at);
            let found = look(&store, &host);
            let expected = expected[usize::try_from(at).unwrap()];
            // A record that was being put at the end of the process may be stored too.
            let is_next = found == Some(number) && number % HOSTS == at;
            assert!(found == expected || is_next, "{host}: {found:?}, not {expected:?}");
        }
        // It may be in the store, so its number is not used again.
        number += HOSTS;
        for at in 0..HOSTS {
            let found = look(&store, &own(&id.to_string(), at));
            expected[usize::try_from(at).unwrap()] = found;
        }
        run(store.close());
    }
    kept
}

fn look(store: &SqliteStore, host: &str) -> Option<u64> {
    let found = run(store.get(&key(host))).unwrap().found()?;
    Some(number_of(&found, host).expect("a record that was put"))
}

#[test]
fn new_file_is_created_once_by_concurrent_processes() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/store.sqlite");
        let all: Vec<_> = (0..8).map(|id| Hammered::start("hammer", &path, id, 0)).collect();
        for hammered in all {
            hammered.kill(0, Duration::from_millis(5));
        }
        let store = open(&path).unwrap();
        assert!(store.take_notices().is_empty());
    }
}

/// A user removes the file beside running processes, which continue with a new one.
#[test]
fn removed_files_are_replaced_and_kill_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let all: Vec<_> = (0..PROCESSES).map(|id| Hammered::start("persist", &path, id, 0)).collect();
    for _ in 0..if is_thorough() { 1_000 } else { 50 } {
        thread::sleep(Duration::from_millis(5));
        let _ = fs::remove_file(&path);
        let store = open(&path).unwrap_or_else(|error| panic!("another process: {error}"));
        run(store.put(record("a.example", 7))).unwrap();
    }
    for hammered in all {
        hammered.kill(0, Duration::ZERO);
    }
    assert_eq!(look(&open(&path).unwrap(), "a.example"), Some(7));
}

/// Stores records and prints them; continues after errors, and prints their kind.
fn script(path: &Path) {
    let store = match open(path) {
        Ok(store) => store,
        Err(error) => return say(&format!("error {:?}", error.kind())),
    };
    for number in 0..6 {
        for host in ["a.example", "b.example"] {
            match run(store.put(record(host, number))) {
                Ok(()) => say(&format!("kept {host} {number}")),
                Err(error) => say(&format!("error {:?}", error.kind())),
            }
            match run(store.get(&key(host))) {
                Ok(Lookup::Found(found)) => {
                    let number = number_of(&found, host).expect("a record that was put");
                    say(&format!("found {host} {number}"));
                }
                Ok(Lookup::Missing(miss)) => say(&format!("miss {miss:?}")),
                Err(error) => say(&format!("error {:?}", error.kind())),
            }
        }
    }
    for notice in store.take_notices() {
        say(&notice.to_string());
    }
    run(store.close());
}

/// Checks a script with failures. Returns the number of its errors.
fn judge(output: &Output, path: &Path, what: &str) -> usize {
    let reported = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{what}: {reported}");
    assert!(!reported.contains("set aside"), "{what}: {reported}");
    assert!(!reported.contains("miss Damaged"), "{what}: {reported}");
    let mut kept = BTreeMap::new();
    for line in reported.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["kept", host, number] => {
                kept.insert(host.to_owned(), number.parse::<u64>().unwrap());
            }
            ["found", host, number] => {
                let number: u64 = number.parse().unwrap();
                assert!(Some(&number) >= kept.get(host), "{what}: {reported}");
            }
            ["error", kind] => {
                assert!(["Io", "Full"].contains(&kind), "{what}: {reported}");
            }
            ["miss", "Absent"] => assert!(kept.len() < 2, "{what}: {reported}"),
            _ => panic!("{what}: {line}"),
        }
    }
    let store = open(path).unwrap_or_else(|error| panic!("{what}: {error}"));
    for (host, kept) in kept {
        let found = look(&store, &host);
        assert!(found >= Some(kept), "{what}: {host}: {found:?}, but {kept} was kept");
    }
    assert!(store.take_notices().is_empty(), "{what}");
    run(store.close());
    reported.matches("error ").count()
}

/// A file system of one megabyte; unmounted when dropped.
struct SmallDisk(PathBuf);

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn full_disk_is_an_error_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        skip_loudly("a store on a full disk", Lacking::Data, "mounting a disk needs root");
        return;
    }
    let disk = SmallDisk(folder.path().to_owned());
    let path = disk.0.join("store.sqlite");
    let store = open(&path).unwrap();
    run(store.put(record("first.example", 3))).unwrap();
    let (mut kept, mut full) = (Vec::new(), 0);
    for number in 0..400 {
        let host = format!("h{number}.example");
        match run(store.put(record(&host, 599))) {
            Ok(()) => kept.push(host),
            Err(error) => {
                assert!(["Full", "Io"].contains(&&*format!("{:?}", error.kind())), "{error}");
                full += 1;
            }
        }
    }
    assert!(full > 100 && kept.len() > 10, "{full} {}", kept.len());
    let whole = |store: &SqliteStore| {
        assert_eq!(look(store, "first.example"), Some(3));
        assert!(kept.iter().all(|host| look(store, host) == Some(599)));
    };
    whole(&store);
    let full = run(store.put(record("more.example", 599))).unwrap_err();
    assert!(full.to_string().starts_with("the disk is full"), "{full}");
    run(store.close());
    // Full from the start.
    match open(&path) {
        Ok(store) => {
            whole(&store);
            // While it is open, another one cannot be the only one, which needs no space.
            run(store.close());
        }
        Err(error) => panic!("{error}"),
    }
    if let Ok(other) = open(&disk.0.join("other/store.sqlite")) {
        assert!(run(other.put(record("a.example", 1))).is_err());
        // Otherwise it would free space later, when the disk must be full.
        run(other.close());
    }
    // To the last byte: even the index of SQLite's log has no space.
    let mut rest = fs::File::create(disk.0.join("rest")).unwrap();
    while rest.write_all(&[1; 512]).is_ok() {}
    let store = run(SqliteStore::open(&path, read_only())).unwrap();
    let cleared = run(store.clear()).unwrap();
    assert_eq!(cleared, kept.len() as u64 + 1);
    run(store.close());
    let store = open(&path).unwrap();
    run(store.put(record("more.example", 599))).unwrap();
    assert_eq!(run(store.list(None, usize::MAX)).unwrap().len(), 1);
    run(store.close());
}

fn read_only() -> SqliteOptions {
    SqliteOptions::default().with_most_bytes(u64::MAX).with_create(false)
}

/// On a disk that is mounted read-only. Modes do not restrict root, as which such tests often
/// run.
#[test]
fn store_on_a_read_only_disk_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        skip_loudly("a store on a read-only disk", Lacking::Data, "mounting a disk needs root");
        return;
    }
    let disk = SmallDisk(folder.path().to_owned());
    let path = disk.0.join("100%?#.sqlite");
    let store = open(&path).unwrap();
    run(store.put(record("a.example", 3))).unwrap();
    run(store.close());
    fs::remove_file(disk.0.join("100%?#.sqlite.lock")).unwrap();
    let remount = Command::new("mount").args(["-o", "remount,ro"]).arg(&disk.0).status();
    assert!(remount.unwrap().success());
    for _ in 0..2 {
        let store = run(SqliteStore::open(&path, read_only())).unwrap();
        assert_eq!(look(&store, "a.example"), Some(3));
        assert_eq!(run(store.list(None, 9)).unwrap().len(), 1);
        for error in
            [run(store.put(record("b.example", 3))).unwrap_err(), run(store.clear()).unwrap_err()]
        {
            assert_eq!(error.kind(), StoreErrorKind::ReadOnly, "{error}");
        }
        assert_eq!(look(&store, "a.example"), Some(3));
        run(store.close());
    }
    let error = run(SqliteStore::open(&disk.0.join("none.sqlite"), read_only())).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Absent, "{error}");
    assert_eq!(open(&path).unwrap_err().kind(), StoreErrorKind::ReadOnly);
}

fn has_strace() -> bool {
    let there = Command::new("strace").arg("-V").stdout(Stdio::null()).status();
    let is_there = there.is_ok_and(|status| status.success());
    if !is_there {
        skip_loudly("a store whose calls fail", Lacking::Tool, "strace is not installed");
    }
    is_there
}

/// Runs the script with a fault in its calls. Returns whether the fault occurred.
fn traced(path: &Path, log: &Path, call: &str, fault: &str) -> (Output, bool) {
    let beside = |ending: &str| format!("--trace-path={}{ending}", path.display());
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-e", &format!("trace={call}")])
        // Other files are not affected.
        .args(["", "-wal", "-shm"].map(beside))
        .args(["-e", &format!("inject={call}:{fault}"), "-o"])
        .arg(log)
        .arg(env::current_exe().unwrap());
    let output = play(&mut command, &format!("script\n{}", path.display())).output().unwrap();
    let happened = fs::read_to_string(log).unwrap().contains("(INJECTED)");
    (output, happened)
}

/// Number of errors of a script with failing calls; `None` if no call failed.
fn fail(call: &str, fault: &str) -> Option<usize> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let store = open(&path).unwrap();
    run(store.put(record("first.example", 3))).unwrap();
    run(store.close());
    let (output, happened) = traced(&path, &folder.path().join("log"), call, fault);
    let what = format!("{call} {fault}");
    let errors = judge(&output, &path, &what);
    assert_eq!(look(&open(&path).unwrap(), "first.example"), Some(3), "{what}");
    happened.then_some(errors)
}

#[test]
#[ignore = "thorough suite"]
fn every_failing_call_is_an_error_and_loses_nothing() {
    if !has_strace() {
        return;
    }
    let (mut runs, mut errors) = (0, 0);
    for (call, error, every) in [
        ("pwrite64", "ENOSPC", 3),
        ("pwrite64", "EIO", 3),
        ("fdatasync", "EIO", 1),
        ("fsync", "EIO", 1),
        ("fdatasync", "ENOSPC", 2),
        ("pread64", "EIO", 3),
        ("ftruncate", "EIO", 1),
    ] {
        // Until there are no more calls to fail.
        let mut nth = 1;
        while [format!("{nth}"), format!("{nth}+")]
            .iter()
            .map(|when| fail(call, &format!("error={error}:when={when}")))
            .filter_map(|reported| reported.inspect(|reported| errors += reported))
            .count()
            > 0
        {
            runs += 2;
            nth += every;
        }
    }
    assert!(errors > 50, "{errors}");
    say(&format!(
        "failing calls: {runs} runs with a fault, {errors} errors reported, nothing lost"
    ));
}

#[test]
#[ignore = "thorough suite"]
fn interrupted_calls_are_repeated() {
    if !has_strace() {
        return;
    }
    for call in ["pwrite64", "pread64"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        let log = folder.path().join("log");
        let (output, happened) = traced(&path, &log, call, "error=EINTR:when=1+2");
        assert!(happened && judge(&output, &path, call) == 0, "{call}");
    }
}
