//! A run: its work folder, and stages of tasks on all cores.
//!
//! # Flow
//!
//! A stage is a list of independent tasks. A task writes one file of the work folder; its content
//! depends only on the input, so the number of threads and interruptions change nothing. The
//! manifest has a line for the run, and a line for each finished task with its counts. A run with
//! the same manifest continues after the finished tasks. A task that was interrupted begins again.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::console::{Progress, note};
use crate::error::{Error, Result, shown};
use crate::output::{copy_all, remove, write_new};
use crate::work_folder::{MANIFEST, WorkFolder};

/// Counts by name, such as `rows` or `skipped.broken`.
pub(crate) type Counts = BTreeMap<String, u64>;

/// A run with its work folder.
#[derive(Debug)]
pub(crate) struct Job {
    work: WorkFolder,
    manifest: Mutex<File>,
    done: HashMap<(String, usize), Counts>,
    pub(crate) threads: usize,
    memory: Budget,
}

/// A line of the manifest after the first.
#[derive(Serialize, Deserialize)]
struct Done {
    stage: String,
    task: usize,
    counts: Counts,
}

/// A running task.
#[derive(Debug)]
pub(crate) struct Task<'j> {
    pub(crate) number: usize,
    /// The file that the task writes.
    pub(crate) path: PathBuf,
    pub(crate) counts: Counts,
    /// The name of the input, for messages.
    pub(crate) input: Option<String>,
    skipped: BufWriter<File>,
    skipped_path: PathBuf,
    progress: &'j Progress,
    is_ended: &'j AtomicBool,
}

/// A skipped record, as in the list of skipped records.
#[derive(Debug, Serialize)]
pub(crate) struct Skip<'a> {
    input: &'a str,
    /// Offset of the record or line in bytes, or number of the row, from 0.
    at: u64,
    /// Number of the WARC record, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
    kind: &'static str,
    message: &'a str,
}

impl<'a> Skip<'a> {
    pub(crate) fn new(input: &'a str, at: u64, kind: &'static str, message: &'a str) -> Self {
        Self { input, at, record: None, kind, message }
    }

    pub(crate) fn of_record(self, number: u64) -> Self {
        Self { record: Some(number), ..self }
    }
}

impl Job {
    /// Begins a run in a work folder, or continues it.
    pub(crate) fn open(
        work: WorkFolder,
        description: &Value,
        restart: bool,
        threads: usize,
        memory: u64,
    ) -> Result<Self> {
        if restart {
            work.clear()?;
        }
        let path = work.file(MANIFEST);
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::io("read", &path, &error)),
        };
        // A line without its end was interrupted.
        let mut whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let is_other = whole.lines().next().is_some_and(|first| {
            serde_json::from_str::<Value>(first).ok().as_ref() != Some(description)
        });
        // A run that has ended before its first task, for example because of a wrong argument, left
        // nothing to continue.
        let is_empty = whole.lines().count() == 1 && whole.starts_with('{');
        if is_other && is_empty {
            work.clear()?;
            whole = "";
        } else if is_other {
            let error =
                format!("{} belongs to a run with other arguments or inputs", shown(&work.path));
            return Err(Error::new(error).with_hint(
                "`--restart` deletes it and begins again; `--work` names another folder",
            ));
        }
        let is_new = whole.is_empty();
        let mut done = HashMap::new();
        for line in whole.lines().skip(1) {
            let line: Done = serde_json::from_str(line).map_err(|error| {
                Error::format(&path, "a manifest", &error)
                    .with_hint("`--restart` deletes it and begins again")
            })?;
            if work.file(&file_name(&line.stage, line.task)).exists() {
                done.insert((line.stage, line.task), line.counts);
            }
        }
        let failed = |error: io::Error| Error::io("write", &path, &error);
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        let mut manifest = opened.map_err(failed)?;
        manifest.set_len(whole.len() as u64).map_err(failed)?;
        if is_new {
            writeln!(manifest, "{description}").map_err(failed)?;
        } else if !done.is_empty() {
            note(&format!("continuing; finished tasks: {}", done.len()));
        }
        let memory = Budget::new(memory);
        let manifest = Mutex::new(manifest);
        Ok(Self { work, manifest, done, threads, memory })
    }

    /// Runs the tasks of a stage that are not finished, and returns the files of all tasks and the
    /// sum of their counts. `bytes` is the memory that a task needs.
    pub(crate) fn stage(
        &self,
        stage: &str,
        tasks: usize,
        bytes: impl Fn(usize) -> Result<u64> + Sync,
        run: impl Fn(&mut Task<'_>) -> Result<()> + Sync,
    ) -> Result<(Vec<PathBuf>, Counts)> {
        let waiting: Vec<usize> =
            (0..tasks).filter(|&task| !self.done.contains_key(&(stage.to_owned(), task))).collect();
        let progress = Progress::new(stage, tasks, tasks - waiting.len());
        let next = AtomicUsize::new(0);
        let is_ended = AtomicBool::new(false);
        let ended = Mutex::new((None, Vec::new()));
        let work = || {
            while !is_ended.load(Ordering::Relaxed) {
                let Some(&number) = waiting.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    return;
                };
                let result = bytes(number).and_then(|bytes| {
                    let _held = self.memory.take(bytes);
                    self.run_task(stage, number, &progress, &is_ended, &run)
                });
                let mut ended = lock(&ended);
                match result {
                    Ok(counts) => ended.1.push((number, counts)),
                    Err(error) => {
                        is_ended.store(true, Ordering::Relaxed);
                        ended.0.get_or_insert(error);
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads.min(waiting.len()) {
                // The others do the work of a thread that cannot start.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        progress.bar.finish_and_clear();
        let (error, results) = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = error {
            return Err(self.explained(error));
        }
        let mut all = Counts::new();
        let earlier = self.done.iter().filter(|((of, _), _)| of == stage).map(|(_, counts)| counts);
        for counts in earlier.chain(results.iter().map(|(_, counts)| counts)) {
            for (name, count) in counts {
                *all.entry(name.clone()).or_default() += count;
            }
        }
        Ok(((0..tasks).map(|task| self.work.file(&file_name(stage, task))).collect(), all))
    }

    /// Runs work that leaves no file, and so is repeated when a run continues.
    pub(crate) fn once<T>(&self, run: impl FnOnce(&mut Task<'_>) -> Result<T>) -> Result<T> {
        let (file, progress) = (self.work.file("once"), Progress::new("load", 1, 0));
        run(&mut Self::task(0, &file, &progress, &AtomicBool::new(false))?)
    }

    /// A task that writes a file.
    fn task<'j>(
        number: usize,
        file: &Path,
        progress: &'j Progress,
        is_ended: &'j AtomicBool,
    ) -> Result<Task<'j>> {
        let skipped_path = file.with_extension("skipped");
        let created = File::create(&skipped_path);
        let skipped = created.map_err(|error| Error::io("write", &skipped_path, &error))?;
        Ok(Task {
            number,
            path: file.with_extension("tmp"),
            counts: Counts::new(),
            input: None,
            skipped: BufWriter::new(skipped),
            skipped_path,
            progress,
            is_ended,
        })
    }

    fn run_task(
        &self,
        stage: &str,
        number: usize,
        progress: &Progress,
        is_ended: &AtomicBool,
        run: impl Fn(&mut Task<'_>) -> Result<()>,
    ) -> Result<Counts> {
        let path = self.work.file(&file_name(stage, number));
        let mut task = Self::task(number, &path, progress, is_ended)?;
        let temporary = task.path.clone();
        // The work of a task that panicked is dropped, so nothing observes a half-changed value.
        catch_unwind(AssertUnwindSafe(|| run(&mut task))).unwrap_or_else(|_| {
            let input = task.input.as_deref().map(|name| format!(", while it read {name}"));
            let input = input.unwrap_or_default();
            let error = format!("task {number} of stage `{stage}` has panicked{input}");
            Err(Error::new(error).with_hint(
                "this is a defect of verger-bulk: please report it with the message above; without \
                 this input, the other files can be processed",
            ))
        })?;
        let failed = |error: io::Error| Error::io("write", &temporary, &error);
        // The manifest must not name a file that a power failure can empty.
        task.skipped.flush().and_then(|()| task.skipped.get_ref().sync_all()).map_err(failed)?;
        File::open(&temporary).and_then(|file| file.sync_all()).map_err(failed)?;
        fs::rename(&temporary, &path).map_err(failed)?;
        let counts = std::mem::take(&mut task.counts);
        let line = Done { stage: stage.to_owned(), task: number, counts };
        let text = serde_json::to_string(&line)
            .map_err(|error| Error::new(format!("could not encode the manifest: {error}")))?;
        let mut manifest = lock(&self.manifest);
        let written = manifest.write_all(format!("{text}\n").as_bytes());
        written.and_then(|()| manifest.sync_data()).map_err(failed)?;
        progress.bar.inc(1);
        Ok(line.counts)
    }

    /// Writes the lists of skipped records of some stages as one file. Removes it if it is empty.
    pub(crate) fn join_skipped(files: &[PathBuf], to: &Path) -> Result<()> {
        let lists: Vec<PathBuf> = files.iter().map(|file| file.with_extension("skipped")).collect();
        let is_empty = |list: &PathBuf| list.metadata().is_ok_and(|list| list.len() == 0);
        if lists.iter().all(is_empty) {
            return remove(to).map(drop);
        }
        write_new(to, |out| copy_all(&lists, out, to))
    }

    /// An error of this run. If a request has failed, the hint says that the run can continue.
    pub(crate) fn explained(&self, error: Error) -> Error {
        if error.is_of_server && !self.work.is_temporary() {
            return error.or_hint("the same command continues after the finished tasks");
        }
        error
    }

    /// Removes the work folder after the output is complete, or if nothing can continue it.
    pub(crate) fn remove(&self) -> Result<()> {
        self.work.remove()
    }
}

impl Task<'_> {
    pub(crate) fn count(&mut self, name: &str, number: u64) {
        match self.counts.get_mut(name) {
            Some(count) => *count += number,
            None => {
                self.counts.insert(name.to_owned(), number);
            }
        }
    }

    /// Lists and counts a skipped record.
    pub(crate) fn skip(&mut self, skip: &Skip<'_>) -> Result<()> {
        self.count(&format!("skipped.{}", skip.kind), 1);
        let line = serde_json::to_string(skip)
            .map_err(|error| Error::new(format!("could not encode a skipped record: {error}")))?;
        let written = writeln!(self.skipped, "{line}");
        written.map_err(|error| Error::io("write", &self.skipped_path, &error))
    }

    /// Empties the list of skipped records, because another stage lists the same ones.
    pub(crate) fn forget_skipped(&mut self) -> Result<()> {
        self.counts.retain(|name, _| !name.starts_with("skipped."));
        let failed = |error: io::Error| Error::io("write", &self.skipped_path, &error);
        self.skipped.flush().map_err(failed)?;
        self.skipped.get_ref().set_len(0).map_err(failed)
    }

    /// Reports processed rows.
    ///
    /// # Errors
    ///
    /// If another task has failed, which ends the run.
    pub(crate) fn advance(&self, rows: usize) -> Result<()> {
        self.progress.add_rows(rows);
        if self.is_ended.load(Ordering::Relaxed) {
            return Err(Error::new("another task has failed"));
        }
        Ok(())
    }
}

/// Memory for tasks that load a partition. A task larger than the whole budget runs alone.
#[derive(Debug)]
struct Budget {
    total: u64,
    free: Mutex<u64>,
    freed: Condvar,
}

struct Held<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl Budget {
    fn new(total: u64) -> Self {
        Self { total, free: Mutex::new(total), freed: Condvar::new() }
    }

    fn take(&self, bytes: u64) -> Held<'_> {
        let bytes = bytes.min(self.total);
        let free = self.freed.wait_while(lock(&self.free), |free| *free < bytes);
        *free.unwrap_or_else(PoisonError::into_inner) -= bytes;
        Held { budget: self, bytes }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *lock(&self.budget.free) += self.bytes;
        self.budget.freed.notify_all();
    }
}

/// The memory of tasks that load no partition.
#[expect(clippy::unnecessary_wraps, reason = "for other tasks, files are read")]
pub(crate) fn no_bytes(_task: usize) -> Result<u64> {
    Ok(0)
}

fn file_name(stage: &str, task: usize) -> String {
    format!("{stage}-{task:06}.done")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use serde_json::json;

    fn open(folder: &Path, description: &Value, restart: bool) -> Result<Job> {
        let work = WorkFolder::open(folder.join("work"))?;
        Job::open(work, description, restart, 2, 100)
    }

    #[test]
    fn finished_tasks_are_not_repeated_and_interrupted_ones_are() {
        let folder = tempfile::tempdir().unwrap();
        let description = json!({"command": "test"});
        let ran = AtomicUsize::new(0);
        let run = |task: &mut Task<'_>| {
            ran.fetch_add(1, Ordering::Relaxed);
            fs::write(&task.path, [b'x'; 3]).unwrap();
            task.count("rows", 5);
            if ran.load(Ordering::Relaxed) == 3 { Err(Error::new("stop")) } else { Ok(()) }
        };
        let work = WorkFolder::open(folder.path().join("work")).unwrap();
        let job = Job::open(work, &description, false, 1, 100).unwrap();
        assert!(job.stage("a", 4, |_| Ok(0), run).is_err());
        let manifest = folder.path().join("work/manifest.jsonl");
        let mut text = fs::read_to_string(&manifest).unwrap();
        assert_eq!(text.lines().count(), 3);
        drop(job);
        text.push_str("{\"stage\":\"a\",\"task\":2,\"cou");
        fs::write(&manifest, text).unwrap();

        ran.store(10, Ordering::Relaxed);
        let job = open(folder.path(), &description, false).unwrap();
        let (files, counts) = job.stage("a", 4, |_| Ok(0), run).unwrap();
        assert_eq!((files.len(), counts["rows"], ran.load(Ordering::Relaxed)), (4, 20, 12));
        assert!(files.iter().all(|file| file.exists()));
    }

    #[test]
    fn a_work_folder_of_other_arguments_is_refused_unless_restarted() {
        let folder = tempfile::tempdir().unwrap();
        let job = open(folder.path(), &json!({"agent": "a"}), false).unwrap();
        let run = |task: &mut Task<'_>| {
            fs::write(&task.path, "").unwrap();
            Ok(())
        };
        job.stage("a", 1, |_| Ok(0), run).unwrap();
        drop(job);
        let error = open(folder.path(), &json!({"agent": "b"}), false).unwrap_err();
        assert!(error.to_string().contains("other arguments"), "{error}");
        open(folder.path(), &json!({"agent": "b"}), true).unwrap();
    }

    #[test]
    fn a_run_without_a_finished_task_leaves_nothing_to_continue() {
        let folder = tempfile::tempdir().unwrap();
        let job = open(folder.path(), &json!({"agent": "a"}), false).unwrap();
        assert!(job.stage("a", 1, |_| Ok(0), |_| Err(Error::new("no column"))).is_err());
        drop(job);
        open(folder.path(), &json!({"agent": "b"}), false).unwrap();
        let manifest = fs::read_to_string(folder.path().join("work/manifest.jsonl")).unwrap();
        assert_eq!(manifest, "{\"agent\":\"b\"}\n");
    }

    #[test]
    fn a_panic_of_a_task_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let job = open(folder.path(), &json!({}), false).unwrap();
        let run = |task: &mut Task<'_>| {
            fs::write(&task.path, "").unwrap();
            task.input = Some("`captures.parquet`".to_owned());
            assert_ne!(task.number, 1, "a panic for the test");
            Ok(())
        };
        let error = job.stage("read", 2, |_| Ok(0), run).unwrap_err();
        let text = "task 1 of stage `read` has panicked, while it read `captures.parquet`";
        assert_eq!(error.to_string(), text);
        assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("report it")), "{error:?}");
    }

    #[test]
    fn a_damaged_manifest_is_an_error_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("work/manifest.jsonl");
        drop(open(folder.path(), &json!({}), false).unwrap());
        for text in ["{}\nnot json\n", "not json\n", "\n"] {
            fs::write(&manifest, text).unwrap();
            let error = open(folder.path(), &json!({}), false).unwrap_err();
            assert!(
                error.hint.as_ref().is_some_and(|hint| hint.contains("--restart")),
                "{text}: {error}"
            );
        }
        drop(open(folder.path(), &json!({}), true).unwrap());
        fs::write(&manifest, b"\xff\n").unwrap();
        let error = open(folder.path(), &json!({}), false).unwrap_err();
        assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("--restart")), "{error}");
    }

    #[test]
    fn a_task_larger_than_the_budget_runs_alone() {
        let folder = tempfile::tempdir().unwrap();
        let job = open(folder.path(), &json!({}), false).unwrap();
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let run = |task: &mut Task<'_>| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(5));
            running.fetch_sub(1, Ordering::SeqCst);
            fs::write(&task.path, "").unwrap();
            Ok(())
        };
        job.stage("large", 6, |_| Ok(1_000), run).unwrap();
        assert_eq!(most.load(Ordering::SeqCst), 1);
        job.stage("small", 6, |_| Ok(10), run).unwrap();
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }
}
