// A peer of ipc-bench in C: the answering end of a round trip, and the taking end of a stream. Here it hears its controller's
// words on stdin, one JSON object a line, and answers them on stdout.
#include "peer.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

enum { FIRST_STDIO_FD = 3, LINE_BYTES = 16384 };

Launch launch;
Counts counts;
static char socket_path[4096];

// The place of a value; the controller's objects are flat, and its names occur once.
static const char *value_of(const char *line, const char *name) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(line, key);
  return at == NULL ? "" : at + strlen(key);
}

static const char *text_of(const char *line, const char *name, char *text, size_t room) {
  const char *at = value_of(line, name);
  size_t bytes = 0;
  if (*at == '"')
    for (at += 1; *at != '"' && *at != 0 && bytes + 1 < room; at += 1) {
      if (*at == '\\' && at[1] != 0) at += 1;
      text[bytes++] = *at;
    }
  text[bytes] = 0;
  return text;
}

static double number_of(const char *line, const char *name) { return strtod(value_of(line, name), NULL); }

static bool is_true(const char *line, const char *name) { return strncmp(value_of(line, name), "true", 4) == 0; }

static void fail(const char *why) {
  printf("{\"control\":\"failed\",\"message\":\"%s\"}\n", why);
  fflush(stdout);
}

static void listen_as_told(const char *line) {
  char text[64];
  launch.codec = codec_named(text_of(line, "codec", text, sizeof text));
  if (launch.codec == NULL) return fail("it does not know the codec");
  launch.is_taking = strcmp(text_of(line, "scenario", text, sizeof text), "stream") == 0;
  launch.is_flushed_by_turn = strcmp(text_of(line, "flush", text, sizeof text), "tick") == 0;
  launch.has_no_delay = is_true(line, "noDelay");
  launch.most_message_bytes = (size_t)number_of(line, "maxMessageBytes");
  launch.workers = (int)number_of(line, "workers");
  text_of(line, "token", launch.token, sizeof launch.token);
  text_of(line, "payloads", launch.payloads, sizeof launch.payloads);
  text_of(line, "transport", text, sizeof text);
  const char *why = NULL;
  int port = 0;
  if (strcmp(text, "unix") == 0) why = listen_unix(text_of(line, "path", socket_path, sizeof socket_path));
  else if (strcmp(text, "tcp") == 0) {
    char host[64];
    why = listen_tcp(text_of(line, "host", host, sizeof host), &port);
  } else if (strcmp(text, "stdio") == 0) {
    for (int worker = 0; worker < launch.workers; worker += 1) {
      snprintf(text, sizeof text, "w%d", worker);
      adopt(FIRST_STDIO_FD + 2 * worker, FIRST_STDIO_FD + 2 * worker + 1, text);
    }
  } else why = "it does not know the transport";
  if (why != NULL) return fail(why);
  printf("{\"control\":\"listening\",\"port\":%d,\"nowMs\":%.4f}\n", port, now_ms());
}

static void tell(const char *control) {
  printf("{\"control\":\"%s\",\"operations\":%llu,\"undecodable\":%llu,\"rejectedConnections\":%llu", control,
         (unsigned long long)counts.operations, (unsigned long long)counts.undecodable,
         (unsigned long long)counts.rejectedConnections);
  if (launch.is_taking && strcmp(control, "report") == 0) print_streams();
  printf("}\n");
}

static void obey(const char *line) {
  char control[32];
  text_of(line, "control", control, sizeof control);
  if (strcmp(control, "listen") == 0) listen_as_told(line);
  else if (strcmp(control, "count") == 0 || strcmp(control, "report") == 0) tell(control);
  else if (strcmp(control, "measure") == 0)
    plan_window(number_of(line, "fromMs"), number_of(line, "toMs"), number_of(line, "binMs"));
  fflush(stdout);
}

static void hear_words(void) {
  static char line[LINE_BYTES];
  static size_t held;
  ssize_t count = read(0, line + held, sizeof line - 1 - held);
  if (count <= 0) return leave_loop();
  held += (size_t)count;
  line[held] = 0;
  char *from = line;
  for (char *end; (end = strchr(from, '\n')) != NULL; from = end + 1) {
    *end = 0;
    obey(from);
  }
  held -= (size_t)(from - line);
  memmove(line, from, held);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  open_loop();
  printf("{\"control\":\"hello\",\"protocol\":1,\"runtime\":\"c\",\"version\":\"%s\","
         "\"transports\":[\"unix\",\"tcp\",\"stdio\"],\"codecs\":[\"none\",\"string\",\"json\"],"
         "\"scenarios\":[\"round-trip\",\"stream\"],"
         "\"settings\":{\"flush\":[\"direct\",\"tick\"],\"noDelay\":[\"true\",\"false\",\"master\",\"worker\"]}}\n",
         COMPILER);
  fflush(stdout);
  run_loop(hear_words);
  if (socket_path[0] != 0) unlink(socket_path);
  return 0;
}
