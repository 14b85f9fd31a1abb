//! Policies in memory: for each origin and crawler, the rules of each time.

use std::hash::BuildHasher as _;
use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use serde::{Deserialize, Serialize};
use verger::{Policy, Reason, Verdict};

use crate::cells::{as_text, bytes_at, text_at};
use crate::error::{Error, Result, shown};
use crate::input::Unit;
use crate::job::Task;
use crate::table::{Columns, Wanted};
use crate::time;

/// Number of a row without a policy.
const NO_POLICY: u32 = u32::MAX;

/// Number of a row with a damaged policy.
const DAMAGED: u32 = u32::MAX - 1;

/// Policies by origin, crawler and time.
#[derive(Debug, Default)]
pub(crate) struct PolicyTable {
    pub(crate) agents: Vec<String>,
    /// Numbers of origins, and the rows of each in the sorted list.
    numbers: HashMap<Box<str>, u32>,
    pub(crate) origins: Vec<Range<usize>>,
    rows: Vec<Row>,
    hasher: DefaultHashBuilder,
    by_bytes: HashTable<u32>,
    pub(crate) policies: Vec<Policy>,
    pub(crate) damaged: u64,
    /// Bytes in memory, roughly.
    pub(crate) bytes: u64,
}

/// The rules of one origin for one crawler at one time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    origin: u32,
    agent: u16,
    /// The reason of an access without rules.
    reason: Option<Reason>,
    policy: u32,
    pub(crate) from: i64,
    until: i64,
    last_seen: i64,
}

/// An answer about one URL.
#[derive(Debug)]
pub(crate) enum UrlAnswer<'t> {
    Verdict {
        allowed: bool,
        reason: Reason,
        verdict: Verdict<'t>,
        row: &'t Row,
    },
    /// Not known, for this reason.
    Unknown(&'static str),
}

impl PolicyTable {
    /// A table for some crawlers.
    pub(crate) fn new(agents: &[String]) -> Self {
        Self { agents: agents.to_vec(), ..Self::default() }
    }

    /// Adds a row, unless its crawler is not wanted.
    pub(crate) fn add(&mut self, record: &PolicyRecord) -> Result<()> {
        let Some(agent) = self.agents.iter().position(|agent| *agent == record.agent) else {
            return Ok(());
        };
        let agent = u16::try_from(agent)
            .map_err(|_| Error::new("expected fewer crawlers in the policies"))?;
        let access = record.access.as_deref();
        let is_known = matches!(access, Some("rules" | "allow_all" | "disallow_all"));
        let policy = record.policy.as_deref().filter(|_| is_known);
        let policy = policy.map_or(NO_POLICY, |bytes| self.policy(bytes));
        let reason = match record.reason.as_deref() {
            Some("unavailable") => Some(Reason::Unavailable),
            Some("redirect_limit") => Some(Reason::RedirectLimit),
            _ => Some(Reason::Unreachable),
        };
        let reason = reason.filter(|_| access != Some("rules"));
        let from = record.from.unwrap_or(i64::MIN);
        let until = record.until.unwrap_or(i64::MAX);
        let last_seen = record.last_seen.unwrap_or(from);
        let origin = self.origin(&record.origin);
        self.rows.push(Row { origin, agent, reason, policy, from, until, last_seen });
        self.bytes += size_of::<Row>() as u64;
        Ok(())
    }

    /// Sorts the rows, after the last one is added.
    pub(crate) fn finish(&mut self) {
        // Stable: of rows with the same time, the last one counts.
        self.rows.sort_by_key(|row| (row.origin, row.agent, row.from));
        let mut start = 0;
        for (number, rows) in self.origins.iter_mut().enumerate() {
            let rest = &self.rows[start..];
            let end = start + rest.partition_point(|row| row.origin as usize == number);
            *rows = start..end;
            start = end;
        }
    }

    /// The number of an origin.
    pub(crate) fn number(&self, origin: &str) -> Option<u32> {
        self.numbers.get(origin).copied()
    }

    /// The rows of an origin for a crawler, sorted by time. Numbers name both.
    pub(crate) fn versions(&self, origin: Option<u32>, agent: usize) -> &[Row] {
        let rows = origin.map_or(0..0, |origin| self.origins[origin as usize].clone());
        let rows = &self.rows[rows];
        let start = rows.partition_point(|row| usize::from(row.agent) < agent);
        let rows = &rows[start..];
        &rows[..rows.partition_point(|row| usize::from(row.agent) == agent)]
    }

    /// The answer for a URL by the rows of its origin and a crawler, with the rules of a time or
    /// the latest ones.
    pub(crate) fn answer<'t>(
        &'t self,
        rows: &'t [Row],
        url: &str,
        time: Option<i64>,
        max_age: Option<i64>,
    ) -> UrlAnswer<'t> {
        let row = match in_force(rows, time, max_age) {
            Ok(row) => row,
            Err(reason) => return UrlAnswer::Unknown(reason),
        };
        let Some(policy) = self.policies.get(row.policy as usize) else {
            let is_damaged = row.policy == DAMAGED;
            return UrlAnswer::Unknown(if is_damaged { "damaged_policy" } else { "unknown_rules" });
        };
        let verdict = policy.check(url);
        let (allowed, mut reason) = (verdict.is_allowed(), verdict.reason());
        // Without a file, the policy closes or opens everything; no rule of a file decides.
        if let Some(access) = row.reason.filter(|_| reason.is_by_file()) {
            reason = access;
        }
        UrlAnswer::Verdict { allowed, reason, verdict, row }
    }

    fn origin(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.origins.len()).unwrap_or(u32::MAX);
        self.origins.push(0..0);
        self.numbers.insert(name.into(), number);
        self.bytes += name.len() as u64 + size_of::<(Box<str>, u32, Range<usize>)>() as u64;
        number
    }

    fn policy(&mut self, bytes: &[u8]) -> u32 {
        let (hasher, policies) = (&self.hasher, &mut self.policies);
        let hash = hasher.hash_one(bytes);
        if let Some(found) =
            self.by_bytes.find(hash, |number| policies[*number as usize].as_bytes() == bytes)
        {
            return *found;
        }
        let Ok(policy) = Policy::from_bytes(bytes.into()) else {
            self.damaged += 1;
            return DAMAGED;
        };
        let number = u32::try_from(policies.len()).unwrap_or(u32::MAX);
        policies.push(policy);
        let hash_of = |number: &u32| hasher.hash_one(policies[*number as usize].as_bytes());
        self.by_bytes.insert_unique(hash, number, hash_of);
        self.bytes += bytes.len() as u64 + size_of::<Policy>() as u64 + 8;
        number
    }
}

/// The row that is in force at a time, or the latest one; the reason if none is.
fn in_force(
    rows: &[Row],
    time: Option<i64>,
    max_age: Option<i64>,
) -> std::result::Result<&Row, &'static str> {
    let latest = rows.last().ok_or("unknown_origin")?;
    let Some(time) = time else { return Ok(latest) };
    let before = &rows[..rows.partition_point(|row| row.from <= time)];
    let row = before.last().ok_or("before_first_capture")?;
    if time >= row.until {
        return Err("no_rules_at_this_time");
    }
    if max_age.is_some_and(|most| time.saturating_sub(row.last_seen) > most) {
        return Err("expired");
    }
    Ok(row)
}

/// A row of a table of policies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PolicyRecord {
    pub(crate) origin: String,
    agent: String,
    policy: Option<Vec<u8>>,
    from: Option<i64>,
    until: Option<i64>,
    last_seen: Option<i64>,
    access: Option<String>,
    reason: Option<String>,
}

impl PolicyRecord {
    /// Reads the rows of a unit.
    pub(crate) fn read(
        unit: &Unit,
        task: &mut Task<'_>,
        mut each: impl FnMut(Self) -> Result<()>,
    ) -> Result<()> {
        let wanted = vec![
            Wanted::required(&["origin"]),
            Wanted::required(&["agent"]),
            Wanted::required(&["policy"]),
            Wanted::optional(&["valid_from"]),
            Wanted::optional(&["valid_until"]),
            Wanted::optional(&["last_seen"]),
            Wanted::optional(&["access"]),
            Wanted::optional(&["reason"]),
        ];
        let columns = Columns { wanted, is_strict: true, ..Columns::default() };
        columns.read(unit, task, |_, batch| {
            let text = |at: usize| columns.typed(unit, &batch, at, as_text);
            let times = |at: usize| {
                let times = columns.typed(unit, &batch, at, time::column)?.unwrap_or_default();
                // Without its time, the rules would be in force at every time.
                let nulls = batch.columns[at].as_ref().and_then(Array::logical_nulls);
                let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
                match (0..times.len()).find(|&row| times[row].is_none() && !is_null(row)) {
                    Some(row) => {
                        let (name, row) = (&columns.wanted[at].names[0], batch.places[row]);
                        let path = shown(&unit.path);
                        let error =
                            format!("expected a time in column `{name}` of {path}, row {row}");
                        Err(Error::new(error).with_hint("rows are counted from 0"))
                    }
                    None => Ok(times),
                }
            };
            let (origins, agents) = (text(0)?, text(1)?);
            let binary = |array: &ArrayRef| cast(array, &DataType::LargeBinary).ok();
            let policies = columns.typed(unit, &batch, 2, binary)?;
            let (froms, untils, seens) = (times(3)?, times(4)?, times(5)?);
            let (accesses, reasons) = (text(6)?, text(7)?);
            let value =
                |array: &Option<ArrayRef>, row| text_at(array.as_ref(), row).map(str::to_owned);
            let time = |times: &[Option<i64>], row: usize| times.get(row).copied().flatten();
            for row in 0..batch.rows {
                let Some((origin, agent)) = value(&origins, row).zip(value(&agents, row)) else {
                    continue;
                };
                // Rows without this column are those of a file.
                let of_file = accesses.is_none().then(|| "rules".to_owned());
                each(Self {
                    origin,
                    agent,
                    policy: bytes_at(policies.as_ref(), row),
                    from: time(&froms, row),
                    until: time(&untils, row),
                    last_seen: time(&seens, row),
                    access: of_file.or_else(|| value(&accesses, row)),
                    reason: value(&reasons, row),
                })?;
            }
            Ok(())
        })
    }
}

/// The crawlers of tables of policies, in the order of their first rows.
pub(crate) fn agents(units: &[Unit], task: &mut Task<'_>) -> Result<Vec<String>> {
    let wanted = vec![Wanted::required(&["agent"])];
    let columns = Columns { wanted, is_strict: true, ..Columns::default() };
    let mut found: Vec<String> = Vec::new();
    for unit in units {
        columns.read(unit, task, |_, batch| {
            let agents = batch.columns[0].as_ref().and_then(as_text);
            for agent in agents.iter().flat_map(|array| array.as_string::<i32>().iter()).flatten() {
                if !found.iter().any(|known| known == agent) {
                    found.push(agent.to_owned());
                }
            }
            Ok(())
        })?;
    }
    Ok(found)
}
