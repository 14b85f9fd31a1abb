//! State shared by the threads of a store and its owner.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use verger::Origin;

use super::SqliteOptions;
use super::place::Place;
use crate::limits::{NOTICES, TOUCHED_ORIGINS};
use crate::store::error::shown;
use crate::store::{StoreError, StoreErrorKind};

/// An event of a store that deserves a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The file was damaged. It was moved away, and its contents will be fetched again.
    SetAside {
        /// The store.
        path: PathBuf,
        /// The new path of the damaged file.
        moved_to: PathBuf,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::SetAside { path, moved_to } = self;
        let (path, moved_to) = (shown(path), shown(moved_to));
        write!(f, "the store `{path}` was damaged; it was set aside as `{moved_to}`")
    }
}

/// The state shared by the threads of a store and its owner.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) place: Place,
    pub(super) options: SqliteOptions,
    notices: Mutex<VecDeque<Notice>>,
    touched: Mutex<Touched>,
}

/// Origins in the order of their last use.
#[derive(Debug, Default)]
struct Touched {
    order: HashMap<String, usize>,
    clock: usize,
}

impl Shared {
    pub(super) fn new(place: Place, options: SqliteOptions) -> Self {
        Self { place, options, notices: Mutex::default(), touched: Mutex::default() }
    }

    /// Adds a full disk as the cause of an error: SQLite does not always report it.
    pub(super) fn explain(&self, error: StoreError) -> StoreError {
        if error.kind() == StoreErrorKind::Io && self.place.is_full() {
            return StoreError::new(StoreErrorKind::Full, "the disk is full").with_source(error);
        }
        error
    }

    pub(super) fn notice(&self, notice: Notice) {
        let mut notices = lock(&self.notices);
        if notices.len() == NOTICES {
            notices.pop_front();
        }
        notices.push_back(notice);
    }

    pub(super) fn take_notices(&self) -> Vec<Notice> {
        lock(&self.notices).drain(..).collect()
    }

    /// Remembers a use. Returns whether so much is remembered that it should be written.
    pub(super) fn touch(&self, origin: &Origin) -> bool {
        let mut touched = lock(&self.touched);
        let is_full = touched.order.len() >= TOUCHED_ORIGINS;
        touched.clock += 1;
        let clock = touched.clock;
        if is_full {
            // Uses that cannot be written are forgotten, which only affects the order of evictions.
            if let Some(used) = touched.order.get_mut(&origin.to_string()) {
                *used = clock;
            }
        } else {
            touched.order.insert(origin.to_string(), clock);
        }
        is_full
    }

    /// The uses to be written, in order.
    pub(super) fn take_touched(&self) -> Vec<String> {
        let order = std::mem::take(&mut lock(&self.touched).order);
        let mut order: Vec<_> = order.into_iter().collect();
        order.sort_unstable_by_key(|(_, used)| *used);
        order.into_iter().map(|(origin, _)| origin).collect()
    }
}

/// The values are consistent even after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn uses_are_written_in_their_order_and_bounded() {
        let place = Place::of(Path::new("x.sqlite"), false).unwrap();
        let shared = Shared::new(place, SqliteOptions::default());
        let origin = |number| Origin::from_parts("https", &format!("h{number}"), None).unwrap();
        for number in [1, 2, 3, 1] {
            assert!(!shared.touch(&origin(number)));
        }
        assert_eq!(shared.take_touched(), ["https://h2", "https://h3", "https://h1"]);
        assert!(shared.take_touched().is_empty());
        for number in 0..TOUCHED_ORIGINS {
            assert!(!shared.touch(&origin(number)));
        }
        assert!(shared.touch(&origin(TOUCHED_ORIGINS)));
        assert_eq!(shared.take_touched().len(), TOUCHED_ORIGINS);
    }
}
