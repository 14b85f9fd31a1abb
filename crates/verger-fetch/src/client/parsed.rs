//! A cache of parsed files.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use verger::{Dialect, Origin, Robots};

use crate::limits::{PARSED_BYTES, PARSED_OVERHEAD};
use crate::record::{OriginRecord, ReadOptions};

/// Parsed files by origin. The oldest are evicted first.
#[derive(Debug)]
pub(super) struct Parsed {
    dialect: Dialect,
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
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
        Self { dialect, cache: Mutex::default() }
    }

    /// The parsed file for a options, from the cache if its content is the same.
    pub(super) fn of(&self, record: &OriginRecord, options: &ReadOptions) -> Option<Arc<Robots>> {
        let source = record.file_for(options)?;
        let body = &source.body;
        if let Some(file) = self.lock().files.get(record.origin())
            && file.sha256 == *body.sha256()
            && file.is_cut == source.is_truncated()
        {
            return Some(Arc::clone(&file.robots));
        }
        // Parsed without the lock, because a large file takes time.
        let robots = Arc::new(source.parse(&self.dialect));
        let file = File {
            sha256: *body.sha256(),
            is_cut: source.is_truncated(),
            robots: Arc::clone(&robots),
            size: body.as_bytes().len() + PARSED_OVERHEAD,
        };
        self.lock().put(record.origin(), file);
        Some(robots)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
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
