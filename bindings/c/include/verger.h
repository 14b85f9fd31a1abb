/* C interface of Verger, an implementation of the Robots Exclusion Protocol (RFC 9309).
 *
 * Written by `cargo xtask capi --write` from bindings/c/src. Do not edit.
 *
 * Text is a pointer and a length in bytes, without a terminating NUL. A pointer may be NULL if the
 * length is 0. Functions return a status and write their result through the last parameter; on
 * failure the result is empty or disallowed. Objects are opaque, immutable, and usable by several
 * threads at the same time. Each has one function that frees it, which accepts NULL. Nothing
 * unwinds into C.
 */

#ifndef VERGER_H
#define VERGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The outcome of a call. 0 is success.
typedef enum {
  // Success.
  VERGER_STATUS_OK = 0,
  // Success, but there is no such value: no crawl delay, no further sitemap.
  VERGER_STATUS_NONE = 1,
  // A pointer is NULL where a value is required.
  VERGER_STATUS_NULL_POINTER = 2,
  // The name of the dialect is unknown.
  VERGER_STATUS_UNKNOWN_DIALECT = 3,
  // The text is not an absolute URL with a robots.txt.
  VERGER_STATUS_NOT_A_URL = 4,
  // The bytes are not a policy, or damaged.
  VERGER_STATUS_INVALID_POLICY = 5,
  // The policy was written by a newer version of Verger.
  VERGER_STATUS_NEWER_POLICY = 6,
  // A bug in Verger: a panic was caught. The result is empty or disallowed.
  VERGER_STATUS_PANIC = 7,
  // A length is larger than any object: a negative number that was converted.
  VERGER_STATUS_INVALID_LENGTH = 8,
} verger_status;

// The kind of a rule.
typedef enum {
  // No rule decided.
  VERGER_RULE_KIND_NONE = 0,
  // `Allow`.
  VERGER_RULE_KIND_ALLOW = 1,
  // `Disallow`.
  VERGER_RULE_KIND_DISALLOW = 2,
} verger_rule_kind;

// The rules of a robots.txt for one crawler, compiled.
typedef struct verger_policy verger_policy;

// A parsed robots.txt.
typedef struct verger_robots verger_robots;

// Text in UTF-8 that the caller owns. Free it with `verger_string_free`.
typedef struct {
  // The first byte. A NUL follows the last one; hostile files cannot put others into the text.
  char *data;
  // The number of bytes without the final NUL.
  size_t len;
} verger_string;

// Borrowed text: bytes in any encoding, without a terminating NUL. Empty text can have a NULL
// pointer.
typedef struct {
  // The first byte.
  const char *data;
  // The number of bytes.
  size_t len;
} verger_text;

// The answer for one URL.
typedef struct {
  // Whether the crawler may fetch the URL.
  bool allowed;
  // Whether a later question may have another answer because robots.txt could not be fetched.
  bool temporary;
  // The reason, a static name that ends in NUL: `rule`, `no_rule_matches`, `no_group`,
  // `robots_txt_itself`, `not_a_url`, ….
  const char *reason;
  // The kind of the deciding rule.
  verger_rule_kind kind;
  // The pattern of the deciding rule as in the file. It is valid as long as the object that was
  // asked. Empty if no rule decided, or for a policy without explanation.
  verger_text pattern;
  // The line of the deciding rule, from 1; 0 if no rule decided.
  size_t line;
  // The column of the rule's pattern in bytes, from 1; 0 if unknown.
  size_t column;
  // The number of the user-agent line by which the group applies, from 1; 0 if no group applies
  // or it is unknown.
  size_t group_line;
} verger_verdict;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of this library, such as `0.1.0`, terminated by NUL. It is static.
const char *verger_version(void);

// Decides a single question about a robots.txt, without parsing the whole file. See
// `verger_robots_parse` and `verger_robots_check` for the arguments.
//
// Arguments:
//
// `text`, `agent` and `url` point to that many bytes, `dialect` is NULL or ends in NUL, `out` is
// writable.
verger_status verger_is_allowed(const char *text,
                                size_t text_len,
                                const char *agent,
                                size_t agent_len,
                                const char *url,
                                size_t url_len,
                                const char *dialect,
                                bool *out);

// Writes the URL of the robots.txt that applies to an absolute URL; `VERGER_STATUS_NOT_A_URL` if
// there is none.
//
// Free the result with `verger_string_free`.
//
// Arguments:
//
// `url` points to `url_len` bytes, and `out` is writable.
verger_status verger_robots_url(const char *url, size_t url_len, verger_string *out);

// Compiles the rules of a robots.txt for one crawler. It parses only what the crawler needs;
// `verger_robots_policy` compiles a parsed file. See `verger_robots_parse` for the dialect.
//
// Free the result with `verger_policy_free`.
//
// Arguments:
//
// `text` and `agent` point to that many bytes, `dialect` is NULL or ends in NUL, `out` is
// writable.
verger_status verger_policy_compile(const char *text,
                                    size_t text_len,
                                    const char *agent,
                                    size_t agent_len,
                                    const char *dialect,
                                    verger_policy **out);

// Reads a policy from the bytes of `verger_policy_bytes`. It copies them.
//
// Free the result with `verger_policy_free`.
//
// Arguments:
//
// `data` points to `len` bytes, and `out` is writable.
verger_status verger_policy_from_bytes(const char *data, size_t len, verger_policy **out);

// Returns the bytes of a policy, to be stored anywhere; empty for NULL. They are valid as long as
// the policy.
//
// Arguments:
//
// `policy` is NULL, or a policy of this library.
verger_text verger_policy_bytes(const verger_policy *policy);

// Frees a policy; nothing for NULL. Patterns and bytes borrowed from it become invalid.
//
// Arguments:
//
// `policy` is NULL, or a policy of this library that is not used again.
void verger_policy_free(verger_policy *policy);

// Returns whether the crawler of a policy may fetch a URL; false on any failure.
//
// Arguments:
//
// `policy` is NULL, or a policy of this library; `url` points to `url_len` bytes.
bool verger_policy_is_allowed(const verger_policy *policy, const char *url, size_t url_len);

// Decides whether the crawler of a policy may fetch a URL, as `verger_robots_check`.
//
// Arguments:
//
// `policy` is NULL, or a policy of this library; `url` points to `url_len` bytes; `out` is
// writable.
verger_status verger_policy_check(const verger_policy *policy,
                                  const char *url,
                                  size_t url_len,
                                  verger_verdict *out);

// Parses a robots.txt, given as the bytes of the response. Any bytes are valid. It copies them.
//
// `dialect` is the name of a dialect, ending in NUL: `rfc9309` (also for NULL), `google`, `bing`,
// `yandex`, `baidu`, `rep2019`, `koster1996`, `orig1994` or `book`.
//
// Free the result with `verger_robots_free`.
//
// Arguments:
//
// `text` points to `text_len` bytes, `dialect` is NULL or ends in NUL, `out` is writable.
verger_status verger_robots_parse(const char *text,
                                  size_t text_len,
                                  const char *dialect,
                                  verger_robots **out);

// Frees a parsed robots.txt; nothing for NULL. Patterns and sitemaps borrowed from it become
// invalid; policies do not.
//
// Arguments:
//
// `robots` is NULL, or from `verger_robots_parse` and not used again.
void verger_robots_free(verger_robots *robots);

// Returns whether a crawler may fetch a URL, as `verger_robots_check`; false on any failure.
//
// Arguments:
//
// `robots` is NULL or from `verger_robots_parse`; `agent` and `url` point to that many bytes.
bool verger_robots_is_allowed(const verger_robots *robots,
                              const char *agent,
                              size_t agent_len,
                              const char *url,
                              size_t url_len);

// Decides whether a crawler may fetch a URL.
//
// `agent` is a product token (`ExampleBot`) or a whole User-Agent header. A token is literal: the
// documented fallbacks of known crawlers do not apply. `url` is an absolute URL or a path that
// begins with `/`. Any other text is disallowed with reason `not_a_url`, except in dialect
// `google`.
//
// Arguments:
//
// `robots` is NULL or from `verger_robots_parse`; `agent` and `url` point to that many bytes;
// `out` is writable.
verger_status verger_robots_check(const verger_robots *robots,
                                  const char *agent,
                                  size_t agent_len,
                                  const char *url,
                                  size_t url_len,
                                  verger_verdict *out);

// Explains the answer for a URL in English: the verdict in one line, then one line for each
// matching rule. Text of the file is escaped.
//
// Free the result with `verger_string_free`.
//
// Arguments:
//
// As `verger_robots_check`.
verger_status verger_robots_explain(const verger_robots *robots,
                                    const char *agent,
                                    size_t agent_len,
                                    const char *url,
                                    size_t url_len,
                                    verger_string *out);

// Writes the crawl delay for a crawler in seconds; `VERGER_STATUS_NONE` if there is none.
//
// Arguments:
//
// `robots` is NULL or from `verger_robots_parse`; `agent` points to that many bytes; `out` is
// writable.
verger_status verger_robots_crawl_delay(const verger_robots *robots,
                                        const char *agent,
                                        size_t agent_len,
                                        double *out);

// Writes the value of a sitemap record; `VERGER_STATUS_NONE` at the end of the list. Begin with
// index 0. The value can be any text; it is valid as long as `robots`.
//
// Arguments:
//
// `robots` is NULL or from `verger_robots_parse`; `out` is writable.
verger_status verger_robots_sitemap(const verger_robots *robots, size_t index, verger_text *out);

// Compiles the rules for one crawler to a policy, which checks faster and can be stored.
//
// Free the result with `verger_policy_free`.
//
// Arguments:
//
// `robots` is NULL or from `verger_robots_parse`; `agent` points to that many bytes; `out` is
// writable.
verger_status verger_robots_policy(const verger_robots *robots,
                                   const char *agent,
                                   size_t agent_len,
                                   verger_policy **out);

// Returns a sentence in English for a status, terminated by NUL. It is static; do not free it.
const char *verger_status_message(int32_t status);

// Frees text that a function of this library has returned. An empty one is permitted.
//
// Arguments:
//
// The text is unchanged since a function of this library returned it, and is not used again.
void verger_string_free(verger_string text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* VERGER_H */
