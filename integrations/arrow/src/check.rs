//! Verdicts and compiled policies.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, StringBuilder, StringDictionaryBuilder, UInt32Builder,
};
use arrow_array::types::Int8Type;
use arrow_array::{Array, BinaryArray, BooleanArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use hashbrown::HashMap;
use verger::policy::PolicyError;
use verger::{Dialect, Policy, Rule, RuleKind, Verdict};

use crate::{Column, Distinct, Error, READ_AHEAD, read_ahead, rows};

/// Returns whether each crawler may fetch its URL.
///
/// `robots` are files as bytes, `agents` product tokens or whole User-Agent headers, `urls`
/// absolute URLs or paths that begin with `/`. Any other URL is disallowed.
///
/// # Errors
///
/// If a column is not text, or its length differs.
pub fn check(
    robots: &dyn Array,
    agents: &dyn Array,
    urls: &dyn Array,
    dialect: Dialect,
) -> Result<BooleanArray, Error> {
    let mut out = BooleanBuilder::with_capacity(rows(&[robots, agents, urls]));
    of_files(robots, agents, urls, dialect, |row| match row {
        Some((policy, url)) => out.append_value(policy.is_allowed(url)),
        None => out.append_null(),
    })?;
    Ok(out.finish())
}

/// As [`check`], with the reason and the deciding rule: a struct of
/// [`details`](crate::types::details).
///
/// # Errors
///
/// As [`check`].
pub fn check_detailed(
    robots: &dyn Array,
    agents: &dyn Array,
    urls: &dyn Array,
    dialect: Dialect,
) -> Result<StructArray, Error> {
    let mut out = Details::default();
    of_files(robots, agents, urls, dialect, |row| {
        out.add(row.map(|(policy, url)| Ok(policy.check(url))));
    })?;
    out.finish()
}

/// Returns whether the crawler of each policy may fetch its URL. Policies are the bytes that
/// [`compile`] returns. A policy that is damaged, or written by a newer version, gives a null.
///
/// # Errors
///
/// As [`check`].
pub fn check_policies(policies: &dyn Array, urls: &dyn Array) -> Result<BooleanArray, Error> {
    let questions = Questions::read(policies, urls)?;
    let mut allowed = vec![None; questions.numbers.len()];
    let (rows, ends) = questions.by_policy();
    let mut start = 0;
    for (policy, end) in questions.policies.iter().zip(ends) {
        for piece in rows[start..end].chunks(READ_AHEAD) {
            let urls = || piece.iter().map(|row| questions.urls.get(*row));
            read_ahead(urls().flatten());
            for (&row, url) in piece.iter().zip(urls()) {
                allowed[row] = url.and_then(|url| Some(policy.as_ref().ok()?.is_allowed(url)));
            }
        }
        start = end;
    }
    Ok(BooleanArray::from(allowed))
}

/// As [`check_policies`], with the reason, the deciding rule and errors: a struct of
/// [`details`](crate::types::details).
///
/// # Errors
///
/// As [`check`].
pub fn check_policies_detailed(
    policies: &dyn Array,
    urls: &dyn Array,
) -> Result<StructArray, Error> {
    let questions = Questions::read(policies, urls)?;
    let mut out = Details::default();
    for row in 0..questions.numbers.len() {
        out.add(questions.row(row).map(|(policy, url)| policy.map(|policy| policy.check(url))));
    }
    out.finish()
}

/// Returns the compiled policy of each file for a crawler, as bytes.
///
/// # Errors
///
/// As [`check`], and if the policies have more than 2 GiB.
pub fn compile(
    robots: &dyn Array,
    agents: &dyn Array,
    dialect: Dialect,
) -> Result<BinaryArray, Error> {
    let rows = rows(&[robots, agents]);
    let (robots, agents) =
        (Column::new("robots", robots, rows)?, Column::new("agents", agents, rows)?);
    let mut policies = Policies::new(dialect);
    let mut out = BinaryBuilder::new();
    let mut bytes = 0;
    for row in 0..rows {
        match robots.get(row).zip(agents.get(row)) {
            Some((file, agent)) => {
                let policy = policies.of(file, agent).as_bytes();
                bytes += policy.len();
                if bytes > Error::RESULT_BYTES {
                    return Err(Error::of_result());
                }
                out.append_value(policy);
            }
            None => out.append_null(),
        }
    }
    Ok(out.finish())
}

/// Gives each row the policy of its file and crawler, and its URL.
fn of_files(
    robots: &dyn Array,
    agents: &dyn Array,
    urls: &dyn Array,
    dialect: Dialect,
    mut row_of: impl FnMut(Option<(&Policy, &[u8])>),
) -> Result<(), Error> {
    let rows = rows(&[robots, agents, urls]);
    let robots = Column::new("robots", robots, rows)?;
    let agents = Column::new("agents", agents, rows)?;
    let urls = Column::new("urls", urls, rows)?;
    let mut policies = Policies::new(dialect);
    for row in 0..rows {
        let values = robots.get(row).zip(agents.get(row)).zip(urls.get(row));
        row_of(values.map(|((file, agent), url)| (policies.of(file, agent), url)));
    }
    Ok(())
}

/// A policy in the bytes of a column.
type BorrowedPolicy<'a> = Policy<&'a [u8]>;

/// Rows with URLs and policies, each of which is read once.
struct Questions<'a> {
    urls: Column<'a>,
    policies: Vec<Result<BorrowedPolicy<'a>, PolicyError>>,
    /// The number of the policy of each row.
    numbers: Vec<Option<usize>>,
}

impl<'a> Questions<'a> {
    fn read(policies: &'a dyn Array, urls: &'a dyn Array) -> Result<Self, Error> {
        let rows = rows(&[policies, urls]);
        let column = Column::new("policies", policies, rows)?;
        let urls = Column::new("urls", urls, rows)?;
        let (mut distinct, mut policies) = (Distinct::default(), Vec::new());
        let number = |row| {
            let bytes = column.get(row)?;
            let number = distinct.number(bytes);
            if number == policies.len() {
                policies.push(Policy::from_bytes(bytes));
            }
            Some(number)
        };
        let numbers = (0..rows).map(number).collect();
        Ok(Self { urls, policies, numbers })
    }

    /// The policy and the URL of a row.
    fn row(&self, row: usize) -> Option<(Result<&BorrowedPolicy<'a>, PolicyError>, &'a [u8])> {
        let policy = &self.policies[self.numbers[row]?];
        Some((policy.as_ref().map_err(|error| *error), self.urls.get(row)?))
    }

    /// The rows by their policies, each of which stays in the processor's cache while its URLs are
    /// matched, and the end of the rows of each policy. Rows without a policy are left out.
    fn by_policy(&self) -> (Vec<usize>, Vec<usize>) {
        let known = || self.numbers.iter().enumerate().filter_map(|(row, it)| Some((row, (*it)?)));
        let mut ends = vec![0; self.policies.len() + 1];
        known().for_each(|(_, number)| ends[number + 1] += 1);
        for number in 0..self.policies.len() {
            ends[number + 1] += ends[number];
        }
        let mut order = vec![0; known().count()];
        for (row, number) in known() {
            order[ends[number]] = row;
            ends[number] += 1;
        }
        (order, ends)
    }
}

/// Bytes of policies that a call keeps. A large file with many crawlers has a policy for each of
/// them, so memory would grow with their product. This is hundreds of times the largest policy of
/// the corpus, far more than equal neighbours need.
const KEPT_BYTES: usize = 256 << 20;

/// The policies of a call. Each is compiled once, unless policies of [`KEPT_BYTES`] were needed
/// since.
struct Policies<'a> {
    dialect: Dialect,
    kept_bytes: usize,
    files: Distinct<'a>,
    agents: Distinct<'a>,
    numbers: HashMap<(usize, usize), usize>,
    compiled: Vec<Policy>,
    compiled_bytes: usize,
    /// The file and the crawler of the previous row, and their policy.
    last: Option<((usize, usize), usize)>,
}

impl<'a> Policies<'a> {
    fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            kept_bytes: KEPT_BYTES,
            files: Distinct::default(),
            agents: Distinct::default(),
            numbers: HashMap::new(),
            compiled: Vec::new(),
            compiled_bytes: 0,
            last: None,
        }
    }

    fn of(&mut self, file: &'a [u8], agent: &'a [u8]) -> &Policy {
        let key = (self.files.number(file), self.agents.number(agent));
        if let Some((last, at)) = self.last
            && last == key
        {
            return &self.compiled[at];
        }
        let found = self.numbers.get(&key).copied();
        let at = found.unwrap_or_else(|| self.compile(key, file, agent));
        self.last = Some((key, at));
        &self.compiled[at]
    }

    /// Compiles a policy, and returns its position.
    fn compile(&mut self, key: (usize, usize), file: &[u8], agent: &[u8]) -> usize {
        // Bytes outside UTF-8 cannot be part of a product token, whatever replaces them.
        let agent: Cow<'_, str> = String::from_utf8_lossy(agent);
        let policy = self.dialect.policy(file, &*agent);
        if self.compiled_bytes + policy.as_bytes().len() > self.kept_bytes {
            self.numbers.clear();
            self.compiled.clear();
            self.compiled_bytes = 0;
        }
        self.compiled_bytes += policy.as_bytes().len();
        self.compiled.push(policy);
        let at = self.compiled.len() - 1;
        self.numbers.insert(key, at);
        at
    }
}

/// Builds the struct of detailed verdicts.
#[derive(Default)]
struct Details {
    valid: Vec<bool>,
    allowed: BooleanBuilder,
    reason: StringDictionaryBuilder<Int8Type>,
    kind: StringDictionaryBuilder<Int8Type>,
    pattern: BinaryBuilder,
    line: UInt32Builder,
    error: StringBuilder,
    /// Bytes of patterns and errors.
    bytes: usize,
}

/// The fields of a detailed verdict: `allowed`; `reason`, a name such as `rule` or `no_group`; of
/// the deciding rule its `kind` (`allow`, `disallow`), `pattern` as in the file, and `line` from 1,
/// all null if no rule decided; `error`, null unless the row could not be decided.
pub fn detail_fields() -> Fields {
    let name = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    Fields::from(vec![
        Field::new("allowed", DataType::Boolean, true),
        Field::new("reason", name.clone(), true),
        Field::new("kind", name, true),
        Field::new("pattern", DataType::Binary, true),
        Field::new("line", DataType::UInt32, true),
        Field::new("error", DataType::Utf8, true),
    ])
}

impl Details {
    fn add(&mut self, row: Option<Result<Verdict<'_>, PolicyError>>) {
        self.valid.push(row.is_some());
        let (verdict, error) = match row {
            Some(Ok(verdict)) => (Some(verdict), None),
            Some(Err(error)) => (None, Some(error.to_string())),
            None => (None, None),
        };
        let rule = verdict.as_ref().and_then(Verdict::rule);
        let pattern = rule.as_ref().map(Rule::pattern);
        self.bytes += error.as_ref().map_or(0, String::len) + pattern.map_or(0, <[u8]>::len);
        let fits = self.bytes <= Error::RESULT_BYTES;
        self.error.append_option(error.filter(|_| fits));
        self.allowed.append_option(verdict.as_ref().map(Verdict::is_allowed));
        self.reason.append_option(verdict.as_ref().map(|verdict| verdict.reason().name()));
        self.kind.append_option(rule.as_ref().map(|rule| match rule.kind() {
            RuleKind::Allow => "allow",
            RuleKind::Disallow => "disallow",
        }));
        self.pattern.append_option(pattern.filter(|_| fits));
        let line = rule.as_ref().map(|rule| rule.position().line);
        self.line.append_option(line.map(|line| u32::try_from(line).unwrap_or(u32::MAX)));
    }

    fn finish(mut self) -> Result<StructArray, Error> {
        if self.bytes > Error::RESULT_BYTES {
            return Err(Error::of_result());
        }
        Ok(StructArray::new(
            detail_fields(),
            vec![
                Arc::new(self.allowed.finish()),
                Arc::new(self.reason.finish()),
                Arc::new(self.kind.finish()),
                Arc::new(self.pattern.finish()),
                Arc::new(self.line.finish()),
                Arc::new(self.error.finish()),
            ],
            Some(NullBuffer::from(self.valid)),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_stay_within_their_bytes_and_give_the_same_answers() {
        let file = b"User-agent: a1\nDisallow: /1\nUser-agent: *\nDisallow: /x\n";
        let agents: Vec<Vec<u8>> = (0..50).map(|it| format!("a{it}").into_bytes()).collect();
        let mut policies = Policies::new(Dialect::RFC9309);
        policies.kept_bytes = 3 * policies.of(file, b"a1").as_bytes().len();
        for agent in agents.iter().chain(&agents) {
            let policy = policies.of(file, agent);
            assert_eq!(policy.is_allowed("/1"), agent != b"a1");
            assert_eq!(policy.is_allowed("/x"), agent == b"a1");
            let bytes: usize = policies.compiled.iter().map(|it| it.as_bytes().len()).sum();
            assert!(bytes == policies.compiled_bytes && bytes <= policies.kept_bytes);
        }
    }
}
