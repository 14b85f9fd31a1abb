//! The formats of access logs.

use super::columns::Columns;
use super::custom::Template;
use super::fields::Parts;
use super::rows::{Memory, Row};
use super::time::LogZone;

/// How to read a log.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers build it")]
pub struct LogOptions {
    /// The format; by default that of the first line with a request.
    pub format: Option<LogFormat>,
    /// The zone of times that do not say theirs. Without it they are read as UTC, and marked
    /// ([`Request::is_local`](super::Request::is_local)).
    pub zone: Option<LogZone>,
}

/// A format of access logs.
#[derive(Clone, Debug)]
pub struct LogFormat(pub(crate) Kind);

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Objects, with the names of many servers.
    Json,
    Row(&'static Row),
    Columns(Columns),
    Custom(Template),
}

impl LogFormat {
    /// The format of a `log_format` of nginx: the text with its variables, without the directive.
    ///
    /// It needs `$request` or `$request_uri`. The names of other formats can be variables, too:
    /// `$c-ip` is written as `${c-ip}`. A line that fits in two ways is counted as one that does
    /// not fit.
    ///
    /// # Errors
    ///
    /// The format has no target, or two variables follow each other.
    ///
    /// ```
    /// use verger_audit::log::{LogFormat, LogOptions, read_log};
    ///
    /// let format = LogFormat::custom(r#"$host $remote_addr [$time_local] "$request" "$http_user_agent""#)?;
    /// let log = br#"shop.example 192.0.2.7 [10/Oct/2026:13:55:36 +0200] "GET /cart HTTP/1.1" "Bot/1""#;
    /// let options = LogOptions { format: Some(format), zone: None };
    /// let totals = read_log(&log[..], &options, |request| {
    ///     assert_eq!(request.host.as_deref(), Some(&b"shop.example"[..]));
    /// })?;
    /// assert_eq!(totals.requests, 1);
    /// # Ok::<(), String>(())
    /// ```
    pub fn custom(text: &str) -> Result<Self, String> {
        Template::read(text).map(|template| Self(Kind::Custom(template)))
    }

    /// The name of the format.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Kind::Json => "JSON",
            Kind::Row(row) => row.name,
            Kind::Columns(columns) => columns.name,
            Kind::Custom(_) => "custom",
        }
    }

    /// Reads the parts of a line, unless they are those of an object (`is_json`); `None` if the
    /// format does not fit.
    pub(crate) fn read<'l>(
        &self,
        line: &'l [u8],
        is_json: bool,
        parts: &mut Parts<'l>,
        memory: &mut Memory,
    ) -> Option<()> {
        if is_json && !matches!(self.0, Kind::Json) {
            *parts = Parts::default();
        }
        match &self.0 {
            Kind::Json => is_json.then_some(()),
            Kind::Row(row) => row.read(line, parts, memory),
            Kind::Columns(columns) => columns.read(line, parts),
            Kind::Custom(template) => template.read_line(line, parts),
        }
    }
}
