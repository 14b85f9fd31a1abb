//! Limits of the program, with their reasons.

use std::time::Duration;

use verger_analysis::limits::WORK;

/// Maximum bytes of a line of `--batch` or `--urls-from`. A longer line is an error, and its rest
/// is skipped. Enough for any robots.txt in a batch line; an endless line cannot fill the memory.
pub(crate) const LINE_BYTES: usize = 64 * 1024 * 1024;

/// Maximum bytes of a robots.txt in a dialect without a limit. A longer file is an error. Far
/// larger than any served file; an endless device cannot fill the memory.
pub(crate) const ROBOTS_BYTES: usize = 256 * 1024 * 1024;

/// Maximum bytes of a file of decisions for `verify`. A larger file is an error. Enough for some
/// hundred thousand decisions, about one day of checks of one site.
pub(crate) const DECISIONS_BYTES: usize = 256 * 1024 * 1024;

/// Maximum files of an archive of robots.txt. More files are an error. A million files take minutes
/// to hash, and some hundred megabytes for their names.
pub(crate) const ARCHIVE_FILES: usize = 1_000_000;

/// Maximum bytes of a file of response heads. A longer file is an error. HTTP clients stop at a
/// quarter of this for one head, and `--include --location` writes a few heads.
pub(crate) const HEAD_BYTES: usize = 1024 * 1024;

/// Maximum requests of a batch whose look-ups run at once.
pub(crate) const LOOK_UPS: usize = 16;

/// Maximum addresses and key sets that a batch looks up. A forged log could name more of them than
/// name servers should be asked for.
pub(crate) const BATCH_LOOK_UPS: usize = 100_000;

/// Maximum rules beside the deciding one that `--explain` lists as text. Further rules are counted.
/// JSON lists all.
pub(crate) const OTHER_RULES: usize = 20;

/// Maximum product tokens of a User-Agent header that a message lists.
pub(crate) const HEADER_TOKENS: usize = 5;

/// Maximum bytes of a URL for the hint that a client would send a different URL. Clients send far
/// shorter ones, and URL parsing costs more than the answer.
pub(crate) const HINTED_URL_BYTES: usize = 64 * 1024;

/// Maximum unusual agents of a batch that are reported.
pub(crate) const REMARKS_SHOWN: usize = 10;

/// Maximum bytes of the text that is shown with a diagnostic.
pub(crate) const DIAGNOSTIC_BYTES: usize = 100;

/// Maximum questions ahead of the next answer, so that the files of several sites are fetched at
/// once. Each pending question can hold a file and its text.
pub(crate) const QUEUE_QUESTIONS: usize = 64;

/// Approximate maximum bytes of these questions: URLs, agents, files, and finished answers.
pub(crate) const QUEUE_BYTES: usize = 1024 * 1024;

/// Maximum lines of a block of a batch. Enough to make the cost of passing it to a thread
/// negligible.
pub(crate) const BLOCK_LINES: usize = 512;

/// Bytes of a block after which no further line is added.
pub(crate) const BLOCK_BYTES: usize = 256 * 1024;

/// Blocks that are read ahead, beside the one that is being read, so that the threads need not wait
/// for the reader.
pub(crate) const BLOCKS_AHEAD: usize = 1;

/// Blocks in the pool for each thread: one, and the next one, so that no thread waits for the
/// writer.
pub(crate) const BLOCKS_PER_THREAD: usize = 2;

/// Bytes of all blocks in the pool after which no further block is added. On a machine with many
/// cores, lines of a megabyte must not fill the memory.
pub(crate) const POOL_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of buffered answers to a block after which further answers are made when they are written.
/// The answers to a line can be ten thousand times as long as the line.
pub(crate) const ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// Approximate maximum bytes of the cache of parsed robots.txt files of a batch.
pub(crate) const PARSED_BYTES: usize = 64 * 1024 * 1024;

/// Maximum bytes of a file of certificates. The lists of operating systems have about 200 KiB.
pub(crate) const CA_BYTES: usize = 16 * 1024 * 1024;

/// Maximum classes of changed URLs for each crawler that `diff` shows as text or Markdown. Further
/// ones are counted. JSON lists all.
pub(crate) const CHANGES_SHOWN: usize = 20;

/// Maximum names of crawlers with the same changes that `diff` shows as text or Markdown. Further
/// ones are counted.
pub(crate) const CRAWLERS_SHOWN: usize = 12;

/// Maximum bytes of the changed URLs of a site that `diff` remembers to find those with the most
/// requests, for all crawlers together. Beyond it the rarest are forgotten; all are counted.
pub(crate) const CHANGED_URLS_BYTES: usize = 64 * 1024 * 1024;

/// Maximum rules that `coverage` shows as text or HTML: first those that decide the most URLs.
/// Further ones are counted. JSON lists all.
pub(crate) const RULES_SHOWN: usize = 200;

/// Longest interval between two checks of a site by `watch`, so that adding it to a time cannot
/// overflow.
pub(crate) const LONGEST_INTERVAL: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Maximum sites that `watch` fetches at once. The client limits connections to one address.
pub(crate) const WATCHED_AT_ONCE: usize = 64;

/// Maximum changes in the words for a file that another request gets. Further ones are counted.
pub(crate) const VARIANT_CHANGES: usize = 5;

/// Time after which `watch` confirms that a robots.txt is unreachable, before it reports that. Most
/// failures are shorter.
pub(crate) const CONFIRM_AFTER: Duration = Duration::from_secs(5 * 60);

/// Maximum names of crawlers that do not promise to obey a policy in a warning. Further ones are
/// counted.
pub(crate) const NAMES_SHOWN: usize = 3;

/// Maximum bytes of a file of tests. A larger file is an error. Far larger than anyone writes.
pub(crate) const TESTS_BYTES: usize = 4 * 1024 * 1024;

/// Maximum tests of a proposal, so that it is read.
pub(crate) const PROPOSED_TESTS: usize = 50;

/// Maximum crawlers in a proposal. With [`PROPOSED_EXPECTATIONS`] in each list, a file of tests may
/// have as many; one with all known crawlers has fewer.
pub(crate) const PROPOSED_CRAWLERS: usize = 300;

/// Maximum expectations of a list in a proposal, so that it is read.
pub(crate) const PROPOSED_EXPECTATIONS: usize = 50;

/// Maximum crawlers in the name of a proposed test.
pub(crate) const PROPOSED_NAMES: usize = 3;

/// Maximum work of all proofs of a proposal, in the units of `verger-analysis`: less than a second.
pub(crate) const PROPOSAL_WORK: u64 = WORK / 2;

/// Maximum bytes of one sitemap, after decompression. More are an error. Twice the maximum of the
/// protocol, 50 MiB, because some generators exceed it.
pub(crate) const SITEMAP_BYTES: usize = 100 * 1024 * 1024;

/// Maximum bytes of the address of an entry of a sitemap. A longer one is skipped. The protocol
/// permits 2,048 characters, which can be 12 KiB of escapes.
pub(crate) const ADDRESS_BYTES: usize = 64 * 1024;

/// Maximum depth of elements of a sitemap. Deeper ones are an error. The protocol has three, with
/// extensions for images and videos five.
pub(crate) const ELEMENT_DEPTH: usize = 64;

/// Maximum number of indexes above a sitemap. More are an error. The protocol permits one; some
/// sites have two.
pub(crate) const INDEX_DEPTH: usize = 3;

/// Maximum number of sitemaps that are read, including indexes. More are an error. An index of the
/// protocol has up to 50,000, which take hours to fetch politely.
pub(crate) const SITEMAPS: usize = 10_000;

/// Maximum problems with the sitemaps of an index that are shown. Further ones are counted.
pub(crate) const PROBLEMS_SHOWN: usize = 10;

/// Maximum rules of each crawler in `coverage --by-crawler`; the most frequent ones are listed.
pub(crate) const TOP_RULES: usize = 5;

/// Maximum frequent path prefixes without a rule that a coverage lists.
pub(crate) const UNMENTIONED: usize = 20;

/// Maximum crawlers, and sets of crawlers that one header names, that `coverage --by-crawler`
/// lists. Requests of further ones count with those of unknown crawlers. The registry has fewer,
/// and a client can send headers with any set.
pub(crate) const CRAWLERS_LISTED: usize = 1000;

/// Maximum User-Agent headers of a log whose crawlers are remembered. Then all are forgotten.
pub(crate) const HEADERS_KNOWN: usize = 10_000;

/// Maximum suggestions for a file that a revision does not have.
pub(crate) const SUGGESTIONS: usize = 3;

/// Delay before the progress bar appears, so that it does not flicker in a short run.
pub(crate) const PROGRESS_AFTER: Duration = Duration::from_millis(500);

/// Lines between two readings of the clock. Reading it for each line would take most of the time of
/// some runs.
pub(crate) const PROGRESS_LINES: u64 = 256;

/// Records of a store that are read at once for a list. A record can be as large as the largest
/// body.
pub(crate) const LIST_PAGE: usize = 100;

/// Bytes of a list or batch that are read at once.
pub(crate) const INPUT_BYTES: usize = 64 * 1024;

/// Bytes of the output buffer.
pub(crate) const OUTPUT_BYTES: usize = 64 * 1024;

/// Maximum depth of folders in which robots.txt files are searched. Far deeper than any site.
pub(crate) const FOLDER_DEPTH: usize = 64;

/// Maximum robots.txt files in a folder and below. More files are an error: probably the folder is
/// an archive, and its files should be given in parts.
pub(crate) const FOLDER_FILES: usize = 100_000;

/// Maximum bytes of a `verger.toml`. A longer file is an error. Every setting fits many times.
pub(crate) const CONFIG_BYTES: usize = 1024 * 1024;

/// Maximum bytes of a statement about uses whose entries are explained. The text of a longer header
/// field can be cut.
pub(crate) const USE_BYTES: usize = 255;

/// Maximum characters of a line in the diff of `verger enforce --check`, whose lines can have
/// thousands. Diffs of robots.txt files are for `patch`, which needs whole lines.
pub(crate) const DIFF_CHARS: usize = 500;

/// Unchanged lines around a change in a diff, as in other tools.
pub(crate) const DIFF_CONTEXT: usize = 3;

/// Maximum lines of the diff of `verger enforce --check`: its heading, and the first rules.
pub(crate) const DIFF_LINES: usize = 100;

/// Time for the search of the shortest diff. After it, the diff is correct, but may be longer.
/// Files of half a million changed lines would take hours.
pub(crate) const DIFF_TIME: Duration = Duration::from_secs(1);

/// Maximum versions of a robots.txt in a history. More are an error. At one change a day, 27 years.
pub(crate) const HISTORY_VERSIONS: usize = 10_000;

/// Maximum bytes of the list of files in which a hint looks for robots.txt files. Those of most
/// repositories have less than one megabyte.
pub(crate) const GIT_LIST_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum bytes of all versions of a robots.txt in git. More are an error. They are in memory.
pub(crate) const HISTORY_BYTES: u64 = 512 * 1024 * 1024;

/// Maximum crawlers that `audit` shows as text or HTML. Further ones are counted. JSON and CSV list
/// all.
pub(crate) const ROWS_SHOWN: usize = 50;

/// Maximum paths of each crawler that `audit` shows as text.
pub(crate) const PATHS_SHOWN: usize = 5;

/// Maximum log lines in the evidence about one crawler. Further ones are counted. More than anyone
/// reads.
pub(crate) const EVIDENCE_LINES: usize = 10_000;

/// Maximum bytes of the log lines of all evidence, because they are in memory.
pub(crate) const EVIDENCE_BYTES: usize = 256 * 1024 * 1024;

/// Maximum bytes of a log line in evidence. A longer one is cut.
pub(crate) const EVIDENCE_LINE_BYTES: usize = 8 * 1024;

/// Fetches of robots.txt by each crawler that evidence looks back on. A request rests on the last
/// successful one; failed ones can follow, and clocks of servers can differ.
pub(crate) const EVIDENCE_FETCHES: usize = 64;

/// Maximum proofs of addresses in the evidence about a crawler.
pub(crate) const EVIDENCE_PROOFS: usize = 1000;

/// Maximum rules in the summary of the evidence about a crawler. Requests by further ones are
/// counted.
pub(crate) const EVIDENCE_RULES: usize = 200;

/// Time after which `audit --follow` shows its counters again.
pub(crate) const FOLLOW_PAUSE: Duration = Duration::from_secs(1);

/// Characters of the name of a folder of evidence: systems permit at least 143 bytes.
pub(crate) const FOLDER_CHARS: usize = 64;

/// Maximum length in bytes of a file of rules with `verger enforce --check`, and of a page of its
/// `--answer`.
pub(crate) const RULES_BYTES: usize = verger_enforce::limits::OUTPUT_BYTES;
