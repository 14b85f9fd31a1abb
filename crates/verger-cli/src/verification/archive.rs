//! The archived robots.txt.

use verger::Dialect;
use verger_fetch::record::Body;

use crate::robots_file::RobotsFile;

/// The archived robots.txt, read for one answer after another.
#[derive(Debug)]
pub(crate) struct Archive {
    name: String,
    body: Body,
    /// What the last answer was about: most are about the same.
    last: Option<(Body, RobotsFile)>,
}

impl Archive {
    /// The bytes of a file, and its name, escaped.
    pub(crate) fn new(name: String, bytes: Vec<u8>) -> Self {
        Self { name, body: Body::new(bytes), last: None }
    }

    /// All of it.
    pub(crate) fn whole(&self) -> Body {
        self.body.clone()
    }

    /// Its first bytes; `None` where it has no more than these.
    pub(crate) fn beginning(&self, bytes: usize) -> Option<Body> {
        let body = self.body.as_bytes();
        (bytes < body.len()).then(|| Body::new(&body[..bytes]))
    }

    /// The rules in a body.
    pub(crate) fn read(&mut self, body: &Body, dialect: &Dialect) -> &RobotsFile {
        let last = self.last.take();
        let last = last.filter(|(of, file)| of == body && file.robots().dialect() == *dialect);
        let parse = || {
            let file = RobotsFile::parse(self.name.clone(), body.as_bytes(), dialect);
            (body.clone(), file)
        };
        &self.last.insert(last.unwrap_or_else(parse)).1
    }
}
