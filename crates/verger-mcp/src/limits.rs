//! All limits of this crate, with their reasons.

use std::time::Duration;

/// URLs of one `check`. The answers of a hundred fill some ten thousand tokens of a model.
pub(crate) const URLS: usize = 100;

/// Bytes of a page in an answer, unless the agent asks for more: some 25,000 tokens of a model.
pub(crate) const CONTENT_BYTES: usize = 100 * 1024;

/// Bytes of a robots.txt as an argument, the limit of Google (REP-SYNTAX-8).
pub(crate) const ROBOTS_BYTES: usize = 512 * 1024;

/// Calls of one session that run at once, each on a thread; others wait for them.
pub(crate) const CALLS: usize = 16;

/// Crawlers of a `diff` besides those of the files.
pub(crate) const AGENTS: usize = 16;

/// Bytes of a result without the page, some 20,000 tokens of a model. Sites write most of them.
pub(crate) const RESULT_BYTES: usize = 64 * 1024;

/// Items of each list and characters of each text in a result. The next row is for a result that is
/// longer than [`RESULT_BYTES`]; the last one bounds nested lists and a hundred answers. Prices of
/// x402 have some thousand characters, and are of no use if they are cut.
pub(crate) const ROOM: [(usize, usize); 4] = [(usize::MAX, 8_192), (40, 400), (8, 100), (2, 50)];

/// Characters of an error about arguments.
pub(crate) const ERROR_CHARS: usize = 256;

/// Minimum wait before a page is fetched again, if its server failed.
pub(crate) const SERVER_PAUSE: Duration = Duration::from_secs(60);

/// Time between two reports of progress.
pub(crate) const PROGRESS: Duration = Duration::from_secs(2);

/// Maximum wait for a turn at a site. Clients give up after a minute.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(45);
