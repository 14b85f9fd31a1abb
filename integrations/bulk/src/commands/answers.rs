//! Answers, and their columns.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Int8Array, Int32Array, Int64Array,
    StringArray, UInt32Array,
};
use arrow_select::take::take;
use serde::{Deserialize, Serialize};
use verger::{Reason, RuleKind};

use super::questions::Questions;
use crate::check_column::CheckColumn;
use crate::error::Result;
use crate::limits::{BATCH_BYTES, BATCH_ROWS};
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

/// The answer for a URL and a crawler, in two bytes: a window has many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Answer {
    /// `None` if the rules are unknown.
    allowed: Option<bool>,
    /// Number of the reason in the column.
    reason: u8,
}

/// The deciding rule of an answer, and since when it is in force.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Explanation<'t> {
    pattern: Option<Cow<'t, [u8]>>,
    line: Option<u32>,
    from: Option<i64>,
}

/// The answers of a batch, in the order of rows and crawlers.
pub(super) struct Answers<'t> {
    agents: StringArray,
    all: Vec<Answer>,
    explanations: Vec<Explanation<'t>>,
    /// Bytes of patterns and repeated columns.
    bytes: usize,
}

impl Answer {
    /// An unknown answer, for a reason in the list. Another reason is `unknown`.
    pub(super) fn unknown(reason: &str) -> Self {
        let found = UNKNOWN.iter().position(|known| *known == reason);
        let number = Reason::ALL.len() + found.unwrap_or(UNKNOWN.len() - 1);
        Self { allowed: None, reason: u8::try_from(number).unwrap_or_default() }
    }

    pub(super) fn of(answer: &UrlAnswer<'_>) -> Self {
        match answer {
            UrlAnswer::Unknown(reason) => Self::unknown(reason),
            UrlAnswer::Verdict { allowed, reason, .. } => Self::known(*allowed, *reason),
        }
    }

    fn known(allowed: bool, reason: Reason) -> Self {
        let found = Reason::ALL.iter().position(|known| *known == reason);
        let number = found.and_then(|at| u8::try_from(at).ok());
        let reason = number.unwrap_or_else(|| Self::unknown(reason.name()).reason);
        Self { allowed: Some(allowed), reason }
    }

    /// The number of the kind of the deciding rule. It follows from the answer.
    fn kind(self) -> Option<i8> {
        let is_by_rule = Reason::ALL.get(usize::from(self.reason)) == Some(&Reason::Rule);
        self.allowed.filter(|_| is_by_rule).map(i8::from)
    }
}

impl<'t> Explanation<'t> {
    pub(super) fn of(answer: &UrlAnswer<'t>) -> Self {
        let UrlAnswer::Verdict { reason, verdict, row, .. } = answer else {
            return Self::default();
        };
        let by_rule = *reason == Reason::Rule;
        let rule = verdict.rule().filter(|_| by_rule);
        let line = verdict.line().filter(|_| by_rule);
        Self {
            pattern: rule.map(|rule| Cow::Borrowed(rule.pattern())),
            line: line.map(|line| u32::try_from(line).unwrap_or(u32::MAX)),
            from: Some(row.from).filter(|&from| from != i64::MIN),
        }
    }
}

impl<'t> Answers<'t> {
    pub(super) fn new(agents: &[String]) -> Self {
        let agents = agents.iter().map(Some).collect();
        Self { agents, all: Vec::new(), explanations: Vec::new(), bytes: 0 }
    }

    /// Whether the batch must end.
    pub(super) fn is_full(&self) -> bool {
        self.all.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// Adds the answer for the next crawler or row, with the bytes of repeated columns. Either all
    /// answers have explanations, or none.
    pub(super) fn add(
        &mut self,
        answer: Answer,
        explanation: Option<Explanation<'t>>,
        bytes: usize,
    ) {
        self.all.push(answer);
        self.bytes += bytes;
        if let Some(explanation) = explanation {
            self.bytes += explanation.pattern.as_ref().map_or(0, |pattern| pattern.len());
            self.explanations.push(explanation);
        }
    }

    /// The counts of the answers.
    pub(super) fn counts(&self) -> [(&'static str, u64); 3] {
        let names = [
            ("answers.allowed", Some(true)),
            ("answers.disallowed", Some(false)),
            ("answers.unknown", None),
        ];
        names.map(|(name, allowed)| {
            let found = self.all.iter().filter(|answer| answer.allowed == allowed);
            (name, found.count() as u64)
        })
    }

    /// Number of answers by a rule whose pattern the policy does not have.
    pub(super) fn without_pattern(&self) -> usize {
        let all = self.all.iter().zip(&self.explanations);
        all.filter(|(answer, it)| answer.kind().is_some() && it.pattern.is_none()).count()
    }

    /// Begins the next batch.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.explanations.clear();
        self.bytes = 0;
    }

    /// The columns of the answers: the kept ones, then the wanted ones. Each row of a batch has the
    /// answers of all crawlers; `first` is the number of the first one here. `name` is that of the
    /// input file.
    pub(super) fn columns(
        &self,
        wanted: &[CheckColumn],
        name: &str,
        batch: &Questions,
        first: usize,
    ) -> Result<Vec<ArrayRef>> {
        let kept = batch.kept.iter().map(|column| self.repeated(column, first));
        let wanted = wanted.iter().map(|column| self.column(*column, name, batch, first));
        kept.chain(wanted).collect()
    }

    fn column(
        &self,
        column: CheckColumn,
        name: &str,
        batch: &Questions,
        first: usize,
    ) -> Result<ArrayRef> {
        let (answers, explanations) = (self.all.iter(), self.explanations.iter());
        Ok(match column {
            CheckColumn::Input => {
                let numbers = Int32Array::from_value(0, self.all.len());
                let values = StringArray::from_iter_values([name]);
                Arc::new(DictionaryArray::<Int32Type>::new(numbers, Arc::new(values)))
            }
            CheckColumn::Row => {
                let places = self.rows(first).map(|row| batch.places[row].cast_signed());
                Arc::new(Int64Array::from_iter_values(places))
            }
            CheckColumn::Url => self.repeated(&batch.urls, first)?,
            CheckColumn::Time => time::array(self.rows(first).map(|row| batch.time(row)).collect()),
            CheckColumn::Agent => {
                let agents = i32::try_from(self.agents.len()).unwrap_or(i32::MAX);
                let numbers = (0..agents).cycle().skip(first % self.agents.len());
                let numbers = Int32Array::from_iter_values(numbers.take(self.all.len()));
                let values = Arc::new(self.agents.clone());
                Arc::new(DictionaryArray::<Int32Type>::new(numbers, values))
            }
            CheckColumn::Allowed => {
                Arc::new(answers.map(|it| it.allowed).collect::<BooleanArray>())
            }
            CheckColumn::Reason => {
                let numbers = answers.map(|it| i8::try_from(it.reason).unwrap_or_default());
                let values = StringArray::from_iter_values(reasons());
                names(Int8Array::from_iter_values(numbers), values)
            }
            CheckColumn::Kind => {
                let kinds = [RuleKind::Disallow, RuleKind::Allow].map(RuleKind::name);
                names(answers.map(|it| it.kind()).collect(), StringArray::from_iter_values(kinds))
            }
            CheckColumn::Pattern => {
                Arc::new(explanations.map(|it| it.pattern.as_deref()).collect::<BinaryArray>())
            }
            CheckColumn::Line => Arc::new(explanations.map(|it| it.line).collect::<UInt32Array>()),
            CheckColumn::ValidFrom => time::array(explanations.map(|it| it.from).collect()),
        })
    }

    /// The rows of the answers in their batch.
    fn rows(&self, first: usize) -> impl Iterator<Item = usize> {
        (first..first + self.all.len()).map(|at| at / self.agents.len())
    }

    /// A column of the input with each row once for each crawler.
    fn repeated(&self, column: &dyn Array, first: usize) -> Result<ArrayRef> {
        if self.agents.len() == 1 {
            return Ok(column.slice(first, self.all.len()));
        }
        let rows = self.rows(first).map(|row| u32::try_from(row).unwrap_or(u32::MAX));
        Ok(take(column, &rows.collect::<UInt32Array>(), None)?)
    }
}

/// A column of names by their numbers.
fn names(numbers: Int8Array, names: StringArray) -> ArrayRef {
    Arc::new(DictionaryArray::<Int8Type>::new(numbers, Arc::new(names)))
}

/// The values of the column `reason`.
fn reasons() -> impl Iterator<Item = &'static str> {
    Reason::ALL.iter().map(|reason| reason.name()).chain(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_number() {
        let name = |answer: Answer| reasons().nth(usize::from(answer.reason));
        for &reason in Reason::ALL {
            assert_eq!(name(Answer::known(true, reason)), Some(reason.name()));
        }
        for reason in UNKNOWN {
            assert_eq!(name(Answer::unknown(reason)), Some(reason));
        }
        assert_eq!(name(Answer::unknown("no such reason")), Some("unknown"));
    }
}
