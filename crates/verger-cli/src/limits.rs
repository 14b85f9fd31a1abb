//! Every number the command line is bounded by, with its reason.

use std::time::Duration;

/// Bytes of one line of `--batch` or `--urls-from`; a longer one is an error of its own, and the
/// rest of it is skipped. Room for any robots.txt in a batch line, and no endless line can fill the
/// memory.
pub(crate) const LINE_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of a robots.txt in a dialect without a limit of its own; a longer one is an error. Far above
/// what anybody serves, and no endless device can fill the memory.
pub(crate) const ROBOTS_BYTES: usize = 256 * 1024 * 1024;

/// Bytes of a file of decisions that are verified; a larger one is an error. Some hundred thousand of them,
/// which is what checks of a day leave about one site.
pub(crate) const DECISIONS_BYTES: usize = 256 * 1024 * 1024;

/// Files of an archive of robots.txt; more are an error. Those of a million sites, which take a while to hash
/// and some hundred megabytes for their names.
pub(crate) const ARCHIVE_FILES: usize = 1_000_000;

/// Bytes of a file of response heads; a longer one is an error. HTTP clients stop at a quarter of this
/// for one head, and `--include --location` leaves a few of them.
pub(crate) const HEAD_BYTES: usize = 1024 * 1024;

/// Rules beside the deciding one that `--explain` lists; more are counted. JSON has them all.
pub(crate) const LOSERS: usize = 20;

/// Product tokens that are named of a User-Agent header.
pub(crate) const HEADER_TOKENS: usize = 5;

/// Bytes of a URL for which the hint is computed that a client would send another one. Far above what
/// any client sends, and what the URL standard does to a long text costs more than the answer.
pub(crate) const HINTED_URL_BYTES: usize = 64 * 1024;

/// Unusual agents of a batch that are told one by one; more are counted.
pub(crate) const UNUSUAL_TOLD: usize = 10;

/// Unusual agents of a batch that are told apart at all; beyond, the count is "more than".
pub(crate) const UNUSUAL_COUNTED: usize = 10_000;

/// Bytes of the text that a diagnostic is about that are shown beside it.
pub(crate) const DIAGNOSED_BYTES: usize = 100;

/// Questions that are asked before the answer to the first of them is there, so that the files of several
/// sites are fetched at once. Each may hold a file and its text for as long as it waits.
pub(crate) const AHEAD: usize = 64;

/// Bytes that wait with them, about: URLs, agents and files of questions, and answers that are there already.
/// No question is asked beyond these.
pub(crate) const AHEAD_BYTES: usize = 1024 * 1024;

/// Lines of a batch that are read and answered together: enough that handing them to a thread does not count.
pub(crate) const BLOCK_LINES: usize = 512;

/// Bytes of such lines, and the rest of the last one.
pub(crate) const BLOCK_BYTES: usize = 256 * 1024;

/// Blocks that are read ahead, beside the one that is being read: the reader is never waited for while there is
/// something to read.
pub(crate) const BLOCKS_READ: usize = 1;

/// Blocks in work for each thread: one, and the next one, so that no thread waits for the writer.
pub(crate) const BLOCKS_PER_THREAD: usize = 2;

/// Bytes of all blocks in work, and the last one: on a machine of many cores lines of a megabyte must not fill
/// the memory.
pub(crate) const IN_WORK_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of answers to one block that are kept until it is their turn, and the last one; those beyond are made when
/// it is, and written as they are made. A line may ask for ten thousand times its own length.
pub(crate) const KEPT_BYTES: usize = 4 * 1024 * 1024;

/// Bytes of a block that is answered where it was read when nothing else is in work: a conversation.
pub(crate) const ALONE_BYTES: usize = 16 * 1024;

/// Bytes of the robots.txt files of a batch that are kept parsed, about.
pub(crate) const FILES_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of a file of certificates. The lists of systems have some 200 KiB.
pub(crate) const CA_BYTES: usize = 16 * 1024 * 1024;

/// Names offered in place of an unknown one.
pub(crate) const SUGGESTIONS: usize = 3;

/// Characters of an unknown name that are compared with the known ones.
pub(crate) const NAME_CHARS: usize = 64;

/// How alike two names must be for one to be offered in place of the other, from 0 to 1.
pub(crate) const SIMILARITY: f64 = 0.8;

/// How long a run may last before a progress bar shows: a short one would only flicker.
pub(crate) const PROGRESS_AFTER: Duration = Duration::from_millis(500);

/// Lines from one look at the clock to the next: one for each line would be most of what some runs do.
pub(crate) const PROGRESS_LINES: u64 = 256;

/// Records of a store that are read at once for a list. Each may be as large as a body can be.
pub(crate) const LISTED_ENTRIES: usize = 100;

/// Bytes of a list or batch that are read at once.
pub(crate) const INPUT_BYTES: usize = 64 * 1024;

/// Bytes of output that are kept together before they are written.
pub(crate) const OUTPUT_BYTES: usize = 64 * 1024;
