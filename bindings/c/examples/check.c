/* Checks URLs against a robots.txt: check FILE AGENT URL... Exit code 0: all allowed, 1: some
 * disallowed, 2: error.
 *
 *     cc check.c -o check $(pkg-config --cflags --libs verger)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verger.h"

static char *read_file(const char *path, size_t *len) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  size_t room = 4096;
  char *data = malloc(room);
  *len = 0;
  while (data) {
    size_t count = fread(data + *len, 1, room - *len, file);
    if (count == 0) break;
    *len += count;
    if (*len == room) {
      char *more = realloc(data, room *= 2);
      if (!more) free(data);
      data = more;
    }
  }
  if (data && ferror(file)) {
    free(data);
    data = NULL;
  }
  fclose(file);
  return data;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: check FILE AGENT URL...\n");
    return 2;
  }
  size_t len;
  char *text = read_file(argv[1], &len);
  if (!text) {
    perror(argv[1]);
    return 2;
  }
  verger_robots *robots;
  verger_status status = verger_robots_parse(text, len, NULL, &robots);
  free(text); /* The library has a copy. */
  if (status != VERGER_STATUS_OK) {
    fprintf(stderr, "%s\n", verger_status_message(status));
    return 2;
  }
  const char *agent = argv[2];
  int code = 0;
  for (int i = 3; i < argc; i++) {
    const char *url = argv[i];
    verger_verdict verdict;
    status = verger_robots_check(robots, agent, strlen(agent), url, strlen(url), &verdict);
    if (status != VERGER_STATUS_OK) {
      fprintf(stderr, "%s\n", verger_status_message(status));
      code = 2;
      break;
    }
    printf("%s %s (%s", verdict.allowed ? "allow" : "disallow", url, verdict.reason);
    if (verdict.line > 0) printf(", line %zu", verdict.line);
    printf(")\n");
    if (!verdict.allowed) code = 1;
  }
  verger_robots_free(robots);
  return code;
}
