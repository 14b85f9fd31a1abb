//! All limits, with their reasons.

/// Rows of a batch: large enough that the cost of a batch does not matter, small enough that its
/// columns stay in the processor's cache.
pub(crate) const BATCH_ROWS: usize = 8_192;

/// Answers of a window, the rows that are matched together by origin. With 4,231 origins in random
/// order, each has 62 URLs in a window, which share the time to load its policy into the
/// processor's cache: matching alone goes from 3.3 to 7.2 million rows a second. A larger window
/// takes more memory on every core.
pub(crate) const WINDOW_ANSWERS: usize = 256 * 1024;

/// Bytes of URLs and kept columns after which a window ends before it has all its answers. URLs of
/// 60 bytes have half as many.
pub(crate) const WINDOW_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of texts after which a batch ends before it has all its rows: rows can hold a robots.txt
/// or a pattern of several hundred kilobytes, and the offsets of a column have 32 bits.
pub(crate) const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Rows of a row group of the output: a million rows are what readers such as `DuckDB` expect of a
/// unit of parallel work, and their columns fit in memory on every core.
pub(crate) const ROW_GROUP_ROWS: usize = 1024 * 1024;

/// Maximum number of row groups of a Parquet file: their numbers have 16 bits.
pub(crate) const ROW_GROUPS: usize = 32_767;

/// Bytes of a row group in memory, for rows with policies. Bounds the memory of a writer.
pub(crate) const ROW_GROUP_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of a plain text file that are one task. Smaller tasks lose less work at a restart; each
/// has its own part of the output.
pub(crate) const TASK_BYTES: u64 = 64 * 1024 * 1024;

/// Maximum bytes of a line of CSV or JSON Lines. A row holds at most one robots.txt, and readers
/// use its first 500 KiB; JSON escapes can take six bytes for one.
pub(crate) const LINE_BYTES: usize = 8 * 1024 * 1024;

/// Maximum bytes of the block of a WARC record that are kept. Longer ones are read, but cut: the
/// text of a robots.txt counts only up to 500 KiB, and codings rarely enlarge it.
pub(crate) const BLOCK_BYTES: usize = 4 * 1024 * 1024;

/// Maximum bytes of the head of a WARC record, as other readers permit.
pub(crate) const WARC_HEAD_BYTES: usize = 1024 * 1024;

/// Largest window of a zstd frame, as a power of two: 128 MiB, the limit of the `zstd` program.
pub(crate) const ZSTD_WINDOW_LOG: u32 = 27;

/// Maximum bytes of a zstd dictionary at the start of a WARC file.
pub(crate) const ZSTD_DICTIONARY_BYTES: u32 = 16 * 1024 * 1024;

/// Bytes that a record of the work folder takes in memory in addition to its own: the struct, and
/// the spare room of its texts.
pub(crate) const RECORD_BYTES: u64 = 256;

/// Input bytes for each partition of the work folder. Compressed archives grow by a factor of about
/// ten, so a partition has about 160 MiB. Larger ones are read in several passes.
pub(crate) const PARTITION_INPUT_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum number of partitions: each needs a buffer in every task.
pub(crate) const PARTITIONS: u64 = 1024;

/// Bytes that a task collects for all partitions before it writes them.
pub(crate) const SHUFFLE_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of a block of one partition. A reader of all partitions has a block of each in memory.
pub(crate) const SHUFFLE_BLOCK_BYTES: usize = 1024 * 1024;

/// Default of `--memory`, in MiB. A small machine has twice as much.
pub(crate) const MEMORY_MIB: u64 = 2 * 1024;

/// Largest time between a redirect and the capture of its target, in microseconds: 24 hours, as
/// long as a fetched robots.txt counts (RFC 9309 section 2.4).
pub(crate) const REDIRECT_WINDOW: i64 = 24 * 60 * 60 * 1_000_000;

/// Further rounds of lookups after the redirects of the profile, for revisit records among the
/// targets: by URL, by record id, and by the URL of the id, each twice.
pub(crate) const REVISIT_ROUNDS: usize = 6;

/// Highest rank of each group of sites in the tables of a metric pack: the groups of studies, and
/// of lists such as Tranco and the Chrome UX Report.
pub(crate) const RANKS: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Maximum number of names, such as those of columns, that a hint shows.
pub(crate) const SHOWN_NAMES: usize = 20;

/// Maximum depth of folders.
pub(crate) const FOLDER_DEPTH: usize = 64;

/// Maximum number of warnings about endings of files that were not read.
pub(crate) const WARNINGS: usize = 20;

/// Maximum number of input files. Their names, sizes and times are in the manifest.
pub(crate) const INPUT_FILES: usize = 1_000_000;

/// Bytes of an object that are read with one request: its delay matters little, and a failed
/// request is soon repeated.
pub(crate) const PIECE_BYTES: usize = 8 * 1024 * 1024;

/// Requests for ranges at a time.
pub(crate) const REQUESTS: usize = 8;

/// Requests for versions of objects at a time. They have no body, so only their delay matters.
pub(crate) const LOOKUPS: usize = 64;

/// Bytes of the end of a Parquet file that are read first. Most metadata is shorter.
pub(crate) const PARQUET_END_BYTES: u64 = 64 * 1024;

/// Bytes of the parts of an upload. S3 permits 10,000, so an object has at most 160 GiB.
pub(crate) const UPLOAD_BYTES: usize = 16 * 1024 * 1024;

/// Parts of an upload that are sent at a time.
pub(crate) const UPLOADS: usize = 2;

/// Largest gap between two records of an archive that are read with one request: bytes that arrive
/// in the time of a request.
pub(crate) const JOINED_GAP: u64 = 256 * 1024;

/// Bytes of an archive in which records can be read with one request.
pub(crate) const JOINED_BYTES: u64 = 1024 * 1024;

/// Selected records of an index that are sorted by their places before they are read.
pub(crate) const SELECTED_RECORDS: usize = 64 * 1024;
