//! The columns of `verger bulk check`.

use arrow_schema::{DataType, Field};
use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::time;

/// A column of checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum CheckColumn {
    /// Name of the input file
    Input,
    /// Number of the row in its file, from 0; in JSON Lines and text, offset of the line in bytes
    Row,
    /// URL, as given
    Url,
    /// Time of the URL
    Time,
    /// Crawler
    Agent,
    /// Whether the crawler may fetch the URL; null if unknown
    Allowed,
    /// Reason of the answer
    Reason,
    /// Kind of the deciding rule: `allow` or `disallow`
    Kind,
    /// Pattern of the deciding rule, as bytes
    Pattern,
    /// Line of the deciding rule, from 1
    Line,
    /// Time since when the rules are in force
    ValidFrom,
}

impl CheckColumn {
    /// The columns of `--explain`.
    pub(crate) const EXPLANATION: [Self; 4] =
        [Self::Kind, Self::Pattern, Self::Line, Self::ValidFrom];

    /// Whether the column needs the deciding rule. The kind follows from the answer.
    pub(crate) fn needs_rule(self) -> bool {
        Self::EXPLANATION.contains(&self) && self != Self::Kind
    }

    pub(crate) fn field(self) -> Field {
        let name = |key| DataType::Dictionary(Box::new(key), Box::new(DataType::Utf8));
        let (kind, is_nullable) = match self {
            Self::Input | Self::Agent => (name(DataType::Int32), false),
            Self::Row => (DataType::Int64, false),
            Self::Url => (DataType::Utf8, true),
            Self::Time | Self::ValidFrom => (time::data_type(), true),
            Self::Allowed => (DataType::Boolean, true),
            Self::Reason => (name(DataType::Int8), false),
            Self::Kind => (name(DataType::Int8), true),
            Self::Pattern => (DataType::Binary, true),
            Self::Line => (DataType::UInt32, true),
        };
        let value = self.to_possible_value();
        Field::new(value.as_ref().map_or("", PossibleValue::get_name), kind, is_nullable)
    }
}
