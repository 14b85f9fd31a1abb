//! Captures: archived responses to requests for robots.txt.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use verger::access::Outcome;
use verger::{Dialect, Origin};
use verger_fetch::fetch::RecordedResponse;
use verger_fetch::http::HeaderMap;
use verger_fetch::url::Url;

use crate::job::Task;
use crate::warc::{Digest, RecordId};

/// The place of a capture in the input, in the order of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) unit: u32,
    /// Number of the record or row in its unit.
    pub(crate) number: u64,
    /// As in the list of skipped records.
    pub(crate) at: u64,
}

impl Place {
    /// The place of a record or row of the unit that a task reads.
    pub(crate) fn of(task: &Task<'_>, number: u64, at: u64) -> Self {
        Self { unit: u32::try_from(task.number).unwrap_or(u32::MAX), number, at }
    }
}

/// One capture of a URL.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Capture {
    /// The URL as a client sends it.
    pub(crate) url: String,
    /// Microseconds since 1970.
    pub(crate) time: i64,
    pub(crate) place: Place,
    pub(crate) status: Option<u16>,
    /// `WARC-Record-ID` and `WARC-Payload-Digest`, to which revisit records refer.
    pub(crate) id: Option<RecordId>,
    pub(crate) digest: Option<Digest>,
    pub(crate) content_type: Option<String>,
    /// Rank of the site, with [`CaptureReader::reads_ranks`].
    #[serde(skip)]
    pub(crate) rank: Option<u64>,
    pub(crate) content: Content,
}

/// The content of a capture.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Content {
    /// The end of a fetch.
    Final(Final),
    Redirect {
        next: String,
        is_downgrade: bool,
    },
    /// The same content as an earlier capture of a URL.
    Revisit {
        url: String,
        original: Original,
    },
}

/// The capture to which a revisit record refers, by all that the record says about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Original {
    /// `WARC-Refers-To`.
    pub(crate) id: Option<RecordId>,
    /// `WARC-Payload-Digest`.
    pub(crate) digest: Option<Digest>,
    /// `WARC-Refers-To-Date`.
    pub(crate) time: Option<i64>,
    /// Without these, the last capture before: the server has compared its file with that one.
    pub(crate) is_unmodified: bool,
}

/// The end of a fetch: its outcome, and the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Final {
    #[serde(with = "EndForm")]
    pub(crate) outcome: std::result::Result<Outcome, Unknown>,
    /// Empty if there is no file. For URLs that are not `/robots.txt` also if it has no rules.
    pub(crate) body: Vec<u8>,
    /// SHA-256 and length of the body.
    pub(crate) hash: [u8; 32],
    pub(crate) bytes: u64,
}

/// The form of an outcome in the files of a job. Captures have no others.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Outcome")]
#[non_exhaustive]
enum OutcomeForm {
    Status(u16),
    Success,
    AcceptedEmpty,
    RedirectLimit,
    BrokenRedirect,
    Network,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "std::result::Result<Outcome, Unknown>")]
enum EndForm {
    Ok(#[serde(with = "OutcomeForm")] Outcome),
    Err(Unknown),
}

/// The reason why the response of a capture is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unknown {
    /// The archive has a part of the response.
    Truncated,
    /// The body cannot be decoded.
    Undecodable,
    /// The record is damaged.
    Broken,
    /// The target of a redirect is not in the input near this time.
    RedirectTargetMissing,
    /// The capture to which a revisit record refers is not in the input.
    OriginalMissing,
}

/// The settings for reading captures.
#[derive(Clone, Debug)]
pub(crate) struct CaptureReader {
    pub(crate) dialect: Dialect,
    /// Time of rows without one.
    pub(crate) default_time: i64,
    /// The folder or URL of the archives that indexes name.
    pub(crate) base: Option<PathBuf>,
    /// Whether tables have ranks of sites, if they have a column of this name.
    pub(crate) reads_ranks: bool,
}

impl Capture {
    /// The origin to which the capture applies as robots.txt.
    pub(crate) fn origin(&self) -> Option<String> {
        Some(Origin::of_robots_url(&self.url).ok()??.to_string())
    }

    /// Whether it has a file, to which a revisit record can refer.
    pub(crate) fn has_file(&self) -> bool {
        matches!(self.status, Some(200..=299)) && matches!(self.content, Content::Final(_))
    }
}

/// The origin of any URL, by which captures are divided into partitions.
pub(crate) fn scope(url: &str) -> String {
    Origin::of(url).ok().flatten().map(|origin| origin.to_string()).unwrap_or_default()
}

impl Unknown {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Undecodable => "undecodable",
            Self::Broken => "broken",
            Self::RedirectTargetMissing => "redirect_target_missing",
            Self::OriginalMissing => "original_missing",
        }
    }
}

impl Final {
    /// The end of a fetch whose response is unknown.
    pub(crate) fn unknown(why: Unknown) -> Self {
        Self { outcome: Err(why), body: Vec::new(), hash: [0; 32], bytes: 0 }
    }

    pub(crate) fn new(outcome: Outcome, body: Vec<u8>) -> Self {
        let hash = Sha256::digest(&body).into();
        Self { outcome: Ok(outcome), bytes: body.len() as u64, hash, body }
    }
}

impl CaptureReader {
    pub(crate) fn content(
        &self,
        url: &Url,
        status: u16,
        headers: &HeaderMap,
        body: Vec<u8>,
        is_truncated: bool,
    ) -> Content {
        // In UTF-8, the limit of the dialect is enough; in UTF-16, twice as much.
        let limit = self.dialect.byte_limit.unwrap_or(verger::limits::BODY_BYTES).saturating_mul(2);
        match RecordedResponse::read(url, status, headers, body, limit) {
            RecordedResponse::Redirect { next, is_downgrade } => {
                Content::Redirect { next: next.into(), is_downgrade }
            }
            RecordedResponse::Done { outcome, body, truncated } => {
                // A status needs no body. A body that reaches the limit has all that counts.
                let needs_body = (200..300).contains(&status);
                if is_truncated && needs_body && !truncated {
                    return Content::Final(Final::unknown(Unknown::Truncated));
                }
                let mut end = Final::new(outcome, body);
                let is_robots = Origin::of_robots_url(url.as_str()).ok().flatten().is_some();
                // A page to which a robots.txt may redirect: without groups, it means nothing.
                if !is_robots && self.dialect.parse(&end.body).groups().len() == 0 {
                    end.body = Vec::new();
                }
                Content::Final(end)
            }
            RecordedResponse::Undecodable => Content::Final(Final::unknown(Unknown::Undecodable)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_file_is_unknown_and_a_cut_error_page_is_not() {
        let reader = CaptureReader {
            dialect: Dialect::RFC9309,
            default_time: 0,
            base: None,
            reads_ranks: false,
        };
        let url = "https://shop.example/robots.txt".parse().unwrap();
        let content = |status, body: &[u8]| match reader.content(
            &url,
            status,
            &HeaderMap::new(),
            body.to_vec(),
            true,
        ) {
            Content::Final(end) => end.outcome,
            other => panic!("{other:?}"),
        };
        assert_eq!(content(200, b"User-agent: *\nDis"), Err(Unknown::Truncated));
        assert_eq!(content(404, b"Not f"), Ok(Outcome::Status(404)));
        assert_eq!(content(200, &vec![b'#'; 2 * 500 * 1024 + 1]), Ok(Outcome::Success));
    }

    #[test]
    fn a_page_without_groups_is_kept_without_its_text() {
        let reader = CaptureReader {
            dialect: Dialect::RFC9309,
            default_time: 0,
            base: None,
            reads_ranks: false,
        };
        let length = |url: &str, body: &str| match reader.content(
            &url.parse().unwrap(),
            200,
            &HeaderMap::new(),
            body.into(),
            false,
        ) {
            Content::Final(end) => (end.body.len(), end.bytes),
            other => panic!("{other:?}"),
        };
        assert_eq!(length("https://h/", "<p>Welcome"), (0, 10));
        assert_eq!(length("https://h/robots.txt", "<p>Welcome"), (10, 10));
        assert_eq!(length("https://h/r", "User-agent: *"), (13, 13));
    }
}
