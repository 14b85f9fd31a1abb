//! Uses of content, and what a source states about them.

use std::collections::BTreeMap;

use serde::Serialize;

/// A use of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a report has one row for each")]
pub enum Use {
    /// A search index with links and short excerpts.
    Search,
    /// Training or fine-tuning of AI models.
    AiTraining,
    /// Input of AI models, for example for answers.
    AiInput,
    /// Text and data mining.
    #[serde(rename = "tdm")]
    Mining,
}

impl Use {
    /// All uses, in the order of a report.
    pub const ALL: [Self; 4] = [Self::Search, Self::AiTraining, Self::AiInput, Self::Mining];

    /// The name in JSON: `ai_training`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::AiTraining => "ai_training",
            Self::AiInput => "ai_input",
            Self::Mining => "tdm",
        }
    }
}

/// The statement about a use, from the least to the most restrictive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "callers must handle each")]
pub enum Outcome {
    /// Nothing is stated. This is not a permission.
    #[default]
    Unstated,
    /// A source permits the use, and none restricts it.
    Allowed,
    /// The use is permitted under conditions, such as a payment or terms for people.
    Conditional,
    /// A source states something that could not be read.
    Unknown,
    /// A source refuses the use, or requires a licence that could not be read.
    Refused,
}

impl Outcome {
    /// The name in JSON: `conditional`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unstated => "unstated",
            Self::Allowed => "allowed",
            Self::Conditional => "conditional",
            Self::Unknown => "unknown",
            Self::Refused => "refused",
        }
    }
}

/// The statements of one source about each use, and the conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Terms {
    /// Only of uses about which something is stated.
    #[serde(rename = "uses")]
    outcomes: BTreeMap<Use, Outcome>,
    /// Conditions in words, foreign text escaped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
}

impl Terms {
    /// The same for every use.
    pub(crate) fn all(outcome: Outcome) -> Self {
        Self::each(&Use::ALL, outcome)
    }

    /// The same for some uses.
    pub(crate) fn each(uses: &[Use], outcome: Outcome) -> Self {
        let mut terms = Self::default();
        for of in uses {
            terms.state(*of, outcome);
        }
        terms
    }

    /// Some uses, under a condition.
    pub(crate) fn under(uses: &[Use], condition: String) -> Self {
        Self { conditions: vec![condition], ..Self::each(uses, Outcome::Conditional) }
    }

    /// Without permissions, as those of a document that is not the page's.
    pub(crate) fn restrictions(mut self) -> Self {
        self.outcomes.retain(|_, outcome| *outcome != Outcome::Allowed);
        self
    }

    /// The statement about a use.
    pub fn of(&self, of: Use) -> Outcome {
        self.outcomes.get(&of).copied().unwrap_or_default()
    }

    /// Adds a statement; the more restrictive one counts (REP-EXT-52).
    pub(crate) fn state(&mut self, of: Use, outcome: Outcome) {
        if outcome > self.of(of) {
            self.outcomes.insert(of, outcome);
        }
    }

    /// Adds a condition, once.
    pub(crate) fn condition(&mut self, condition: String) {
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    /// Combines two statements: the more restrictive one counts for each use.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        other.outcomes.into_iter().for_each(|(of, outcome)| self.state(of, outcome));
        other.conditions.into_iter().for_each(|it| self.condition(it));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_restrictive_statement_counts() {
        use Outcome::{Allowed, Conditional, Refused, Unknown, Unstated};
        let order = [Unstated, Allowed, Conditional, Unknown, Refused];
        for (at, left) in order.into_iter().enumerate() {
            for right in &order[at..] {
                for (a, b) in [(left, *right), (*right, left)] {
                    let both = Terms::all(a).and(Terms::all(b));
                    assert_eq!(both, Terms::all(*right), "{left:?} {right:?}");
                }
            }
        }
        let json = serde_json::to_string(&Terms::all(Unknown)).unwrap();
        assert!(json.contains(r#""tdm":"unknown""#), "{json}");
        assert_eq!(serde_json::to_string(&Terms::all(Unstated)).unwrap(), r#"{"uses":{}}"#);
    }
}
