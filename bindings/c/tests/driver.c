/* Answers questions from standard input, for the conformance suite: see programs.rs.
 *
 * A question is four texts (dialect, robots.txt, agent, URL), each a length in decimal, a newline,
 * and that number of bytes. The answer is a line: `1` or `0`, the line of the rule, the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verger.h"

typedef struct {
  char *data;
  size_t len;
} input;

static int read_text(input *text) {
  if (scanf("%zu", &text->len) != 1 || getchar() != '\n') return 0;
  text->data = malloc(text->len + 1);
  if (!text->data || fread(text->data, 1, text->len, stdin) != text->len) return 0;
  text->data[text->len] = '\0';
  return 1;
}

static void must(verger_status status) {
  if (status != VERGER_STATUS_OK) {
    fprintf(stderr, "%s\n", verger_status_message(status));
    exit(2);
  }
}

int main(void) {
  input dialect, robots_txt, agent, url;
  while (read_text(&dialect) && read_text(&robots_txt) && read_text(&agent) && read_text(&url)) {
    verger_robots *robots;
    must(verger_robots_parse(robots_txt.data, robots_txt.len, dialect.data, &robots));
    verger_verdict verdict;
    must(verger_robots_check(robots, agent.data, agent.len, url.data, url.len, &verdict));

    verger_policy *policy, *stored;
    must(verger_robots_policy(robots, agent.data, agent.len, &policy));
    verger_text bytes = verger_policy_bytes(policy);
    must(verger_policy_from_bytes(bytes.data, bytes.len, &stored));
    if (verger_policy_is_allowed(stored, url.data, url.len) != verdict.allowed) {
      fprintf(stderr, "a policy has another answer\n");
      return 2;
    }
    printf("%d %zu %s\n", verdict.allowed, verdict.line, verdict.reason);
    verger_policy_free(stored);
    verger_policy_free(policy);
    verger_robots_free(robots);
    free(dialect.data);
    free(robots_txt.data);
    free(agent.data);
    free(url.data);
  }
  return ferror(stdin) ? 2 : 0;
}
