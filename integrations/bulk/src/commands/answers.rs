//! The columns of answers.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, UInt32Builder};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{ArrayRef, DictionaryArray, Int8Array, Int32Array, StringArray};
use arrow_schema::{DataType, Field};
use serde::{Deserialize, Serialize};
use verger::{Reason, RuleKind};

use crate::limits::BATCH_BYTES;
use crate::policy_table::UrlAnswer;
use crate::time;

/// Reasons of unknown answers. In the column they come after those of the engine.
const UNKNOWN: [&str; 10] = [
    "unknown_origin",
    "before_first_capture",
    "no_rules_at_this_time",
    "expired",
    "unknown_rules",
    "damaged_policy",
    "no_url",
    "no_time",
    "no_origin",
    "unknown",
];

/// An answer in a file of the work folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredAnswer {
    allowed: Option<bool>,
    reason: u8,
    kind: Option<bool>,
    pattern: Option<Vec<u8>>,
    line: Option<u32>,
    from: Option<i64>,
}

/// Builds the columns of a batch.
pub(super) struct Answers {
    agents: StringArray,
    explain: bool,
    agent: Vec<i32>,
    allowed: BooleanBuilder,
    reason: Vec<i8>,
    kind: Vec<Option<i8>>,
    pattern: BinaryBuilder,
    line: UInt32Builder,
    from: Vec<Option<i64>>,
    counts: [u64; 3],
    /// Bytes of patterns.
    bytes: usize,
}

/// The fields of the columns.
pub(super) fn fields(explain: bool) -> Vec<Field> {
    let name = |key| DataType::Dictionary(Box::new(key), Box::new(DataType::Utf8));
    let mut fields = vec![
        Field::new("agent", name(DataType::Int32), false),
        Field::new("allowed", DataType::Boolean, true),
        Field::new("reason", name(DataType::Int8), false),
    ];
    if explain {
        fields.extend([
            Field::new("kind", name(DataType::Int8), true),
            Field::new("pattern", DataType::Binary, true),
            Field::new("line", DataType::UInt32, true),
            Field::new("valid_from", time::data_type(), true),
        ]);
    }
    fields
}

impl StoredAnswer {
    pub(super) fn of(answer: &UrlAnswer<'_>, explain: bool) -> Self {
        match answer {
            UrlAnswer::Unknown(reason) => Self { reason: unknown(reason), ..Self::default() },
            UrlAnswer::Verdict { allowed, reason, verdict, row } => {
                let by_rule = explain && *reason == Reason::Rule;
                let rule = verdict.rule().filter(|_| by_rule);
                let line = verdict.line().filter(|_| by_rule);
                Self {
                    allowed: Some(*allowed),
                    reason: known(*reason),
                    // The kind follows from the answer.
                    kind: by_rule.then_some(*allowed),
                    pattern: rule.map(|rule| rule.pattern().to_vec()),
                    line: line.map(|line| u32::try_from(line).unwrap_or(u32::MAX)),
                    from: Some(row.from).filter(|&from| explain && from != i64::MIN),
                }
            }
        }
    }
}

impl Answers {
    pub(super) fn new(agents: &[String], explain: bool) -> Self {
        Self {
            agents: agents.iter().map(Some).collect(),
            explain,
            agent: Vec::new(),
            allowed: BooleanBuilder::new(),
            reason: Vec::new(),
            kind: Vec::new(),
            pattern: BinaryBuilder::new(),
            line: UInt32Builder::new(),
            from: Vec::new(),
            counts: [0; 3],
            bytes: 0,
        }
    }

    /// Whether the batch must end, because its patterns are long.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= BATCH_BYTES
    }

    pub(super) fn add(&mut self, agent: usize, answer: &UrlAnswer<'_>) {
        self.add_stored(agent, StoredAnswer::of(answer, self.explain));
    }

    /// The same unknown answer for every crawler.
    pub(super) fn add_unknown(&mut self, reason: &'static str) {
        for agent in 0..arrow_array::Array::len(&self.agents) {
            self.add(agent, &UrlAnswer::Unknown(reason));
        }
    }

    pub(super) fn add_stored(&mut self, agent: usize, stored: StoredAnswer) {
        self.agent.push(i32::try_from(agent).unwrap_or_default());
        self.allowed.append_option(stored.allowed);
        self.reason.push(i8::try_from(stored.reason).unwrap_or_default());
        self.counts[match stored.allowed {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        }] += 1;
        if self.explain {
            self.kind.push(stored.kind.map(i8::from));
            self.bytes += stored.pattern.as_ref().map_or(0, Vec::len);
            self.pattern.append_option(stored.pattern);
            self.line.append_option(stored.line);
            self.from.push(stored.from);
        }
    }

    /// The columns so far, and their counts.
    pub(super) fn finish(&mut self) -> (Vec<ArrayRef>, [(&'static str, u64); 3]) {
        let agents: ArrayRef = Arc::new(self.agents.clone());
        let agent = Int32Array::from(std::mem::take(&mut self.agent));
        let reason = Int8Array::from(std::mem::take(&mut self.reason));
        let reasons = Arc::new(StringArray::from_iter_values(reasons()));
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(DictionaryArray::<Int32Type>::new(agent, agents)),
            Arc::new(self.allowed.finish()),
            Arc::new(DictionaryArray::<Int8Type>::new(reason, reasons)),
        ];
        if self.explain {
            let kinds = [RuleKind::Disallow, RuleKind::Allow].map(RuleKind::name);
            let kinds = Arc::new(StringArray::from_iter_values(kinds));
            let kind = Int8Array::from(std::mem::take(&mut self.kind));
            columns.push(Arc::new(DictionaryArray::<Int8Type>::new(kind, kinds)));
            columns.push(Arc::new(self.pattern.finish()));
            columns.push(Arc::new(self.line.finish()));
            columns.push(time::array(std::mem::take(&mut self.from)));
        }
        self.bytes = 0;
        let [allowed, disallowed, unknown] = std::mem::take(&mut self.counts);
        let counts = [
            ("answers.allowed", allowed),
            ("answers.disallowed", disallowed),
            ("answers.unknown", unknown),
        ];
        (columns, counts)
    }
}

/// The values of the column `reason`.
fn reasons() -> impl Iterator<Item = &'static str> {
    Reason::ALL.iter().map(|reason| reason.name()).chain(UNKNOWN)
}

/// The number of a reason of the engine.
fn known(reason: Reason) -> u8 {
    let found = Reason::ALL.iter().position(|known| *known == reason);
    found.and_then(|at| u8::try_from(at).ok()).unwrap_or_else(|| unknown(reason.name()))
}

/// The number of a reason of an unknown answer. One that is not in the list is `unknown`.
fn unknown(reason: &str) -> u8 {
    let found = UNKNOWN.iter().position(|known| *known == reason).unwrap_or(UNKNOWN.len() - 1);
    u8::try_from(Reason::ALL.len() + found).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_number() {
        let name = |number| reasons().nth(usize::from(number));
        for &reason in Reason::ALL {
            assert_eq!(name(known(reason)), Some(reason.name()));
        }
        for reason in UNKNOWN {
            assert_eq!(name(unknown(reason)), Some(reason));
        }
        assert_eq!(name(unknown("no such reason")), Some("unknown"));
    }
}
