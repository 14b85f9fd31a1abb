/* Makes a number of calls of each kind, and prints the memory in use after a hundredth of them and at
 * the end: endurance CALLS. See memory.rs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verger.h"

static const char FILE_TEXT[] = "User-agent: *\nDisallow: /cart\nAllow: /cart/help$\nSitemap: /s\n";
static const char AGENT[] = "ExampleBot/1.0 (+https://bot.example/)";
static const char URL[] = "https://shop.example/cart/1";

static void must(verger_status status) {
  if (status != VERGER_STATUS_OK) {
    fprintf(stderr, "%s\n", verger_status_message(status));
    exit(2);
  }
}

/* One call of every function. */
static void everything(void) {
  size_t file = sizeof FILE_TEXT - 1, agent = sizeof AGENT - 1, url = sizeof URL - 1;
  bool allowed;
  must(verger_is_allowed(FILE_TEXT, file, AGENT, agent, URL, url, "google", &allowed));
  verger_string robots_url, explanation;
  must(verger_robots_url(URL, url, &robots_url));
  verger_string_free(robots_url);
  verger_robots *robots;
  must(verger_robots_parse(FILE_TEXT, file, NULL, &robots));
  must(verger_robots_explain(robots, AGENT, agent, URL, url, &explanation));
  verger_string_free(explanation);
  double seconds;
  if (verger_robots_crawl_delay(robots, AGENT, agent, &seconds) != VERGER_STATUS_NONE) exit(2);
  verger_text sitemap;
  must(verger_robots_sitemap(robots, 0, &sitemap));
  verger_policy *policy, *compiled, *stored;
  must(verger_robots_policy(robots, AGENT, agent, &policy));
  must(verger_policy_compile(FILE_TEXT, file, AGENT, agent, NULL, &compiled));
  verger_text bytes = verger_policy_bytes(policy);
  must(verger_policy_from_bytes(bytes.data, bytes.len, &stored));
  verger_verdict verdict;
  must(verger_policy_check(stored, URL, url, &verdict));
  verger_policy_free(stored);
  verger_policy_free(compiled);
  verger_policy_free(policy);
  verger_robots_free(robots);
  if (verger_robots_parse(FILE_TEXT, file, "?", &robots) != VERGER_STATUS_UNKNOWN_DIALECT) exit(2);
#ifdef USE_AFTER_FREE
  printf("%d\n", bytes.data[0]); /* Borrowed from the policy. */
#endif
}

static void print_memory(long calls) {
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  while (status && fgets(line, sizeof line, status)) {
    long kilobytes;
    if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1) printf("after %ld calls: %ld KiB\n", calls, kilobytes);
  }
  if (status) fclose(status);
}

int main(int argc, char **argv) {
  long calls = argc > 1 ? atol(argv[1]) : 0;
  verger_robots *robots;
  must(verger_robots_parse(FILE_TEXT, sizeof FILE_TEXT - 1, NULL, &robots));
  for (long call = 1; call <= calls; call++) {
    verger_verdict verdict;
    must(verger_robots_check(robots, AGENT, sizeof AGENT - 1, URL, sizeof URL - 1, &verdict));
    if (verdict.allowed || verdict.line != 2) return 2;
    /* A call of every other function is about as long as a hundred checks. */
    if (call % 20 == 0 || call == 1) everything();
    if (call == calls / 100 || call == calls) print_memory(call);
  }
  verger_robots_free(robots);
  return 0;
}
