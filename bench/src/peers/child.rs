//! Peers in other languages: scripts that receive commands and time themselves.
//!
//! # Flow
//!
//! A script of `bench/peers` is started once. Each line of its input is a JSON object with a
//! command, each line of its output is the reply; `peer.py` lists the commands. Files and questions
//! are in two files, so that the pipe carries only commands. So a script takes part in the same
//! rounds as the others, and communication is not timed.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use serde_json::{Value, json};

use super::peer::{About, Answers, Lap, Peer, Stage};
use crate::Result;
use crate::plan::{Plan, Work};
use crate::set::Set;

/// A running script.
pub(crate) struct Script {
    about: About,
    works: &'static [Work],
    /// Folder for the files with robots.txt files and questions.
    folder: PathBuf,
    pipe: RefCell<Pipe>,
}

struct Pipe {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// A script, and its requirements.
struct Known {
    name: &'static str,
    registry: &'static str,
    note: &'static str,
    works: &'static [Work],
    command: fn(&Path) -> Command,
}

const PYTHON: &[Work] = &[Work::OneShot, Work::Parse, Work::Hot, Work::Cold];

const KNOWN: [Known; 3] = [
    Known {
        name: "Protego",
        registry: "PyPI",
        note: "Python; compiles patterns at their first use",
        works: PYTHON,
        command: |folder| python(folder, "protego"),
    },
    Known {
        name: "urllib.robotparser",
        registry: "Python itself",
        note: "Python; no wildcards",
        works: PYTHON,
        command: |folder| python(folder, "urllib"),
    },
    Known {
        name: "robots-parser",
        registry: "npm",
        note: "JavaScript; answers only for URLs of its origin",
        works: PYTHON,
        command: |folder| {
            let mut command = Command::new("node");
            command.arg(script("peer.mjs")).arg(folder.join("node"));
            command
        },
    },
];

/// The scripts that can run with the programs installed in a folder; and a message for each other
/// script.
pub(super) fn all(folder: &Path) -> (Vec<Script>, Vec<String>) {
    let mut scripts = Vec::new();
    let mut missing = Vec::new();
    for known in &KNOWN {
        match Script::start(known, folder) {
            Ok(script) => scripts.push(script),
            Err(error) => missing.push(format!(
                "SKIPPED {}: {error}; hint: `cargo xtask bench --setup` installs it",
                known.name
            )),
        }
    }
    (scripts, missing)
}

/// The Python installed by `--setup`, or any other.
fn python(folder: &Path, peer: &str) -> Command {
    let own =
        folder.join("python").join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let mut command = if own.exists() { Command::new(own) } else { Command::new("python3") };
    command.arg(script("peer.py")).arg(peer);
    command
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

impl Script {
    fn start(known: &Known, folder: &Path) -> Result<Self> {
        let message = |error: std::io::Error| error.to_string();
        let mut command = (known.command)(folder);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(message)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("expected pipes to it, but there are none".to_owned());
        };
        let mut pipe = Pipe { child, input, output: BufReader::new(output) };
        let said = pipe.ask(&json!({ "do": "about" }))?;
        let text = |key: &str| said[key].as_str().unwrap_or("?").to_owned();
        let about = About {
            name: known.name.to_owned(),
            version: format!("{} ({})", text("version"), text("language")),
            registry: known.registry,
            note: known.note,
            is_ours: false,
        };
        let folder = env::temp_dir().join(format!("verger-bench-{}", pipe.child.id()));
        fs::create_dir_all(&folder).map_err(message)?;
        Ok(Self { about, works: known.works, folder, pipe: RefCell::new(pipe) })
    }

    fn ask(&self, what: &Value) -> Result<Value> {
        self.pipe.borrow_mut().ask(what).map_err(|error| format!("{}: {error}", self.about.name))
    }

    /// Writes files and questions for the script.
    fn load(&self, set: &Set) -> Result {
        let mut blob = Vec::new();
        let sites = set.sites.iter().map(|site| {
            let start = blob.len();
            blob.extend_from_slice(&site.bytes);
            let urls: Vec<&str> = site.questions.iter().map(|one| &*one.url).collect();
            json!([start, blob.len(), urls, format!("{}/robots.txt", site.origin())])
        });
        let sites: Vec<Value> = sites.collect();
        let [bytes, questions] = ["files", "questions.json"].map(|name| self.folder.join(name));
        let content = json!({ "agent": set.agent, "blob": bytes, "sites": sites });
        let wrong = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        fs::write(&bytes, &blob).map_err(wrong)?;
        fs::write(&questions, content.to_string()).map_err(wrong)?;
        self.ask(&json!({ "do": "load", "path": questions })).map(drop)
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // It also ends at the end of its input; remaining files are harmless.
        drop(self.pipe.get_mut().child.kill());
        drop(self.pipe.get_mut().child.wait());
        drop(fs::remove_dir_all(&self.folder));
    }
}

impl Pipe {
    fn ask(&mut self, what: &Value) -> Result<Value> {
        let mut line = String::new();
        let asked = writeln!(self.input, "{what}").and_then(|()| self.output.read_line(&mut line));
        match asked {
            Ok(0) => Err("expected an answer, but it has ended".to_owned()),
            Ok(_) => serde_json::from_str(&line).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Peer for Script {
    fn about(&self) -> &About {
        &self.about
    }

    fn can(&self, work: Work) -> bool {
        self.works.contains(&work)
    }

    fn answers(&self, set: &Set) -> Result<Vec<Answers>> {
        self.load(set)?;
        let said = self.ask(&json!({ "do": "answers" }))?;
        let sites = said.as_array().map(Vec::as_slice).unwrap_or_default();
        if sites.len() != set.sites.len() {
            return Err(format!("{}: expected an answer for each file", self.about.name));
        }
        Ok(sites.iter().map(|site| site.as_str().map_or(Answers::Refused, given)).collect())
    }

    fn stage<'s>(&'s self, set: &'s Set, work: Work) -> Result<Box<dyn Stage + 's>> {
        self.load(set)?;
        if work.is_match() {
            self.ask(&json!({ "do": "stage" }))?;
        }
        Ok(Box::new(Running { script: self, work }))
    }
}

fn given(answers: &str) -> Answers {
    let one = |answer| match answer {
        '1' => Some(true),
        '0' => Some(false),
        _ => None,
    };
    Answers::Given(answers.chars().map(one).collect())
}

#[derive(Clone, Copy)]
struct Running<'s> {
    script: &'s Script,
    work: Work,
}

impl Stage for Running<'_> {
    fn start(&mut self) -> Box<dyn Lap + '_> {
        Box::new(*self)
    }
}

impl Lap for Running<'_> {
    /// Times of single files are not reported.
    fn lap(&mut self, plan: &Plan, _: Option<&mut Vec<Duration>>) -> Result<Duration> {
        let order: Vec<(usize, usize)> =
            plan.cold.questions.iter().map(|(site, question, _)| (*site, *question)).collect();
        let said = self.script.ask(&json!({
            "do": self.work.name(),
            "round": plan.round,
            "repeats": plan.repeats,
            "order": order,
        }))?;
        let nanos = said.as_u64().ok_or("expected nanoseconds from a script")?;
        Ok(Duration::from_nanos(nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Site;

    #[test]
    fn a_text_is_read_answer_by_answer() {
        assert_eq!(given("10-"), Answers::Given(vec![Some(true), Some(false), None]));
    }

    /// Python's `urllib.robotparser` needs only Python.
    #[test]
    fn a_script_answers_and_times_itself() {
        let (scripts, missing) = all(Path::new("no such folder"));
        let Some(script) = scripts.iter().find(|script| script.about.name == "urllib.robotparser")
        else {
            eprintln!("SKIPPED: {missing:?}");
            return;
        };
        let urls = ["https://a.example/x/1", "https://a.example/y"].map(str::to_owned);
        let robots = b"User-agent: *\nDisallow: /x\n".to_vec();
        let set =
            Set { agent: "a".into(), sites: vec![Site::new("a.example", robots, urls.into())] };
        assert_eq!(script.answers(&set).unwrap(), [Answers::Given(vec![Some(false), Some(true)])]);
        for work in Work::ALL.into_iter().filter(|work| script.can(*work)) {
            let mut stage = script.stage(&set, work).unwrap();
            let mut plan = Plan { round: 0, repeats: 2, ..Plan::default() };
            plan.cold = crate::plan::Cold::new(&set, 0);
            let time = stage.start().lap(&plan, None).unwrap();
            assert!(!time.is_zero(), "{work:?}");
        }
    }
}
