//! Windows: neighbouring rows of the input, matched together.
//!
//! If URLs are in no order, each needs another policy than the previous one, which is no longer in
//! the processor's cache. In a window, the URLs of an origin are matched one after the other.
//! Answers are in the order of rows.

use arrow_array::{Array as _, ArrayRef};
use verger_arrow::{OriginReader, READ_AHEAD, read_ahead};

use super::answers::{Answer, Explanation};
use super::questions::Questions;
use crate::limits::{BATCH_ROWS, WINDOW_ANSWERS, WINDOW_BYTES};
use crate::policy_table::PolicyTable;

/// Batches that are matched together.
#[derive(Default)]
pub(super) struct Window {
    batches: Vec<Questions>,
    rows: usize,
    bytes: usize,
}

/// The answers of a window, in the order of rows and crawlers.
#[derive(Default)]
pub(super) struct Matched<'t> {
    pub(super) answers: Vec<Answer>,
    /// Empty unless they are wanted.
    pub(super) explanations: Vec<Explanation<'t>>,
}

impl Window {
    pub(super) fn add(&mut self, batch: Questions) {
        self.rows += batch.rows();
        let bytes = |column: &ArrayRef| column.get_array_memory_size();
        let kept: usize = batch.kept.iter().map(bytes).sum();
        self.bytes += batch.urls.get_array_memory_size() + kept;
        self.batches.push(batch);
    }

    /// Whether the window must be matched before the next batch.
    pub(super) fn is_full(&self, agents: usize) -> bool {
        self.rows * agents >= WINDOW_ANSWERS || self.bytes >= WINDOW_BYTES
    }

    /// The batches; the window is then empty.
    pub(super) fn take(&mut self) -> Vec<Questions> {
        std::mem::take(self).batches
    }

    /// The answers of all rows.
    pub(super) fn matched<'t>(
        &self,
        table: &'t PolicyTable,
        max_age: Option<i64>,
        explain: bool,
    ) -> Matched<'t> {
        let agents = table.agents.len();
        let count = self.rows * agents;
        let mut answers = vec![Answer::unknown("unknown_origin"); count];
        let mut explanations = vec![Explanation::default(); if explain { count } else { 0 }];
        // The number of the origin, then the number of the batch and the row in it.
        let mut keys: Vec<u64> = Vec::with_capacity(self.rows);
        let mut firsts = Vec::with_capacity(self.batches.len());
        let mut first = 0;
        let mut origins = OriginReader::default();
        let mut last = (String::new(), None);
        for (number, batch) in self.batches.iter().enumerate() {
            for row in 0..batch.rows() {
                match batch.origin(row, &mut origins) {
                    Ok(origin) => {
                        if last.0 != origin {
                            last.0.clear();
                            last.0.push_str(origin);
                            last.1 = table.number(origin);
                        }
                        if let Some(origin) = last.1 {
                            let place = (number * BATCH_ROWS + row) as u64;
                            keys.push(u64::from(origin) << PLACE_BITS | place);
                        }
                    }
                    Err(reason) => {
                        let at = (first + row) * agents;
                        answers[at..at + agents].fill(Answer::unknown(reason));
                    }
                }
            }
            firsts.push(first);
            first += batch.rows();
        }
        keys.sort_unstable();
        let mut urls = Vec::with_capacity(READ_AHEAD);
        for piece in keys.chunks(READ_AHEAD) {
            urls.clear();
            urls.extend(piece.iter().map(|key| {
                let place = usize::try_from(key & PLACES).unwrap_or_default();
                let (number, row) = (place / BATCH_ROWS, place % BATCH_ROWS);
                (number, row, self.batches[number].urls.value(row))
            }));
            read_ahead(urls.iter().map(|(.., url)| url.as_bytes()));
            let mut rest = &urls[..];
            for group in piece.chunk_by(|one, next| one >> PLACE_BITS == next >> PLACE_BITS) {
                let (of_group, others) = rest.split_at(group.len());
                rest = others;
                let origin = u32::try_from(group[0] >> PLACE_BITS).ok();
                for agent in 0..agents {
                    let versions = table.versions(origin, agent);
                    for &(number, row, url) in of_group {
                        let time = self.batches[number].time(row);
                        let answer = table.answer(versions, url, time, max_age);
                        let at = (firsts[number] + row) * agents + agent;
                        answers[at] = Answer::of(&answer);
                        if explain {
                            explanations[at] = Explanation::of(&answer);
                        }
                    }
                }
            }
        }
        Matched { answers, explanations }
    }
}

/// Bits of a place in a window.
const PLACE_BITS: u32 = 32;

/// The part of a key that is a place.
const PLACES: u64 = (1 << PLACE_BITS) - 1;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::StringArray;

    use super::*;

    #[test]
    fn a_window_has_a_limit_of_answers_for_any_number_of_crawlers() {
        let urls = StringArray::from_iter_values((0..BATCH_ROWS).map(|row| row.to_string()));
        let times = Some((0_i64..).map(Some).take(BATCH_ROWS).collect());
        let kept: Vec<ArrayRef> = vec![Arc::new(urls.clone())];
        let questions = Questions { urls, times, kept, places: (0..BATCH_ROWS as u64).collect() };
        for agents in [1, 31, 600, 2 * WINDOW_ANSWERS] {
            let (mut window, mut next) = (Window::default(), 0_usize);
            for part in questions.parts(agents) {
                assert!(part.rows() == 1 || part.rows() * agents <= WINDOW_ANSWERS, "{agents}");
                for row in 0..part.rows() {
                    let number = next.to_string();
                    let texts = [&part.urls, part.kept[0].as_any().downcast_ref().unwrap()];
                    assert_eq!(texts.map(|it| it.value(row)), [&number, &number]);
                    assert_eq!(
                        (part.time(row), part.places[row]),
                        (i64::try_from(next).ok(), next as u64)
                    );
                    next += 1;
                }
                window.add(part);
            }
            assert_eq!((next, window.rows), (BATCH_ROWS, BATCH_ROWS));
        }
        assert!(questions.long_rows(10).is_empty());
        let long = questions.long_rows(100);
        // Each text has an offset for its start and its end.
        assert_eq!((long.len(), long[7], long[4_000]), (BATCH_ROWS, 2 * (8 + 1), 2 * (8 + 4)));
    }
}
