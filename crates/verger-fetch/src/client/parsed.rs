//! Files that are parsed already.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use verger::{Dialect, Origin, Robots};

use crate::limits::{PARSED_BYTES, PARSED_OVERHEAD};
use crate::record::{OriginRecord, Viewer};

/// Parsed files by origin, those that were parsed first going first.
#[derive(Debug)]
pub(super) struct Parsed {
    dialect: Dialect,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    files: HashMap<Origin, File>,
    order: VecDeque<Origin>,
    bytes: usize,
}

#[derive(Debug)]
struct File {
    is_cut: bool,
    sha256: [u8; 32],
    robots: Arc<Robots>,
    size: usize,
}

impl Parsed {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, held: Mutex::default() }
    }

    /// The file by which a record answers a viewer; the one that was parsed before, if it is the same.
    pub(super) fn of(&self, record: &OriginRecord, viewer: &Viewer) -> Option<Arc<Robots>> {
        let kept = record.file_for(viewer)?;
        let body = &kept.body;
        if let Some(file) = self.lock().files.get(record.origin())
            && file.sha256 == *body.sha256()
            && file.is_cut == kept.is_truncated()
        {
            return Some(Arc::clone(&file.robots));
        }
        // Not under the lock: a file may take a while.
        let robots = Arc::new(kept.parse(&self.dialect));
        let file = File {
            sha256: *body.sha256(),
            is_cut: kept.is_truncated(),
            robots: Arc::clone(&robots),
            size: body.as_bytes().len() + PARSED_OVERHEAD,
        };
        self.lock().put(record.origin(), file);
        Some(robots)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn put(&mut self, origin: &Origin, file: File) {
        self.bytes += file.size;
        if let Some(before) = self.files.insert(origin.clone(), file) {
            self.bytes -= before.size;
        } else {
            self.order.push_back(origin.clone());
        }
        while self.bytes > PARSED_BYTES {
            let Some(oldest) = self.order.pop_front() else { return };
            self.bytes -= self.files.remove(&oldest).map_or(0, |file| file.size);
        }
    }
}
