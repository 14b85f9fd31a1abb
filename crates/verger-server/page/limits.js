// Limits of the page, with their reasons.

/** Bytes of a robots.txt: four times the size limit of RFC 9309, so that its effect can be shown. */
export const FILE_BYTES = 2_048_000;

/** Crawlers and URLs: every cell is an element, and thousands of them stay fast. */
export const CRAWLERS = 40;
export const URLS = 100;

/** Characters of a crawler or a URL; servers refuse longer URLs. */
export const ENTRY_LENGTH = 8_192;

/** Characters of a link: longer ones are cut by chat programs, and refused by some browsers. */
export const LINK_LENGTH = 100_000;

/** Bytes of the state in a link, which is compressed: two files in base64, crawlers and URLs. */
export const STATE_BYTES = 8_000_000;

/** URLs that are taken from the rules of a file, and the bytes that are searched: a table to begin with. */
export const OWN_URLS = 8;
export const OWN_BYTES = 65_536;

/** Lines that are displayed at a time. */
export const PAGE_LINES = 1_000;

/** Characters of a line that are displayed. */
export const LINE_LENGTH = 2_000;

/** Findings that are displayed at one line, and differences of one crawler. */
export const FINDINGS = 20;
export const CHANGES = 100;

/** Bytes of a file whose stated uses are in the table: the module parses it again for every cell. */
export const USES_BYTES = 65_536;

/** Milliseconds after which the page says that the engine is still loading: most people wait no longer. */
export const PATIENCE = 8_000;

/** Milliseconds after which a question to the linter or the comparison is stopped. */
export const TIME_LIMIT = 30_000;

/** Groups, and matching rules, that an explanation lists. A file can have a hundred thousand. */
export const LISTED = 100;

/** Marked escapes of one text: the text of a page of lines can have a million. */
export const ESCAPES = 8;

/** Bytes of a URL that the service accepts: `URL_BYTES` of verger-server. */
export const SERVICE_URL = 8_192;

/** Bytes of a crawler that the service accepts: `AGENT_BYTES` of verger-server. */
export const AGENT_BYTES = 256;

/** Milliseconds that the service waits for a robots.txt before it answers `pending`. */
export const WAIT = 10_000;

/** Milliseconds after which a request to the service is stopped: it has answered `pending` before. */
export const SERVICE_TIME = 40_000;

/** Tries while a fetch is unfinished or the service is busy: few people wait for more of them. */
export const RETRIES = 4;

/** Versions of a file that are displayed. A store keeps fewer. */
export const VERSIONS = 100;
