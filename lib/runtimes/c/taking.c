// The end of a stream that takes what comes: the next number each time, with the payload that its sender has in turn. It
// counts by the clock, and notes when it saw one message of so many.
#define _GNU_SOURCE
#include "peer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_ID = 1000000000, IDS = 1000000000, TIMED_EVERY = 64, CLOCK_EVERY = 8, MOST_SIGHTINGS = 40000 };

typedef struct {
  const char *text;
  size_t bytes;
} Payload;

typedef struct {
  uint64_t count;
  double ms;
} Sighting;

struct Stream {
  char connection[32];
  char *file;
  Payload *payloads;
  size_t payload_count, next_payload;
  uint64_t next, wrong, out_of_order;
  Sighting *sightings;
  size_t sighting_count;
  Stream *after;
};

static Stream *streams;
static struct {
  double from_ms, to_ms, bin_ms;
  bool is_planned, is_open;
  uint64_t at_open;
  uint64_t *bins;
  size_t bin_count;
} window;
static double seen_ms;
static bool is_old = true;

double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

// Frames of what a worker sends, in its order: four bytes of length, big-endian, and the text.
static bool read_payloads(Stream *stream) {
  char path[4200];
  int worker = (int)strcspn(stream->connection, "c"); // 'w0' of 'w0c1'
  snprintf(path, sizeof path, "%s/%.*s", launch.payloads, worker, stream->connection);
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  fseek(file, 0, SEEK_END);
  size_t bytes = (size_t)ftell(file);
  rewind(file);
  stream->file = grown(NULL, bytes);
  bool is_read = fread(stream->file, 1, bytes, file) == bytes;
  fclose(file);
  for (size_t at = 0; is_read && at + 4 <= bytes;) {
    const unsigned char *of = (const unsigned char *)stream->file + at;
    size_t length = (size_t)of[0] << 24 | (size_t)of[1] << 16 | (size_t)of[2] << 8 | of[3];
    stream->payloads = grown(stream->payloads, (stream->payload_count + 1) * sizeof(Payload));
    stream->payloads[stream->payload_count++] = (Payload){stream->file + at + 4, length};
    at += 4 + length;
  }
  return is_read && stream->payload_count > 0;
}

Stream *stream_of(const char *connection) {
  Stream *stream = grown(NULL, sizeof *stream);
  memset(stream, 0, sizeof *stream);
  snprintf(stream->connection, sizeof stream->connection, "%s", connection);
  if (!read_payloads(stream)) return NULL;
  stream->sightings = grown(NULL, MOST_SIGHTINGS * sizeof(Sighting));
  stream->after = streams;
  return streams = stream;
}

void plan_window(double from_ms, double to_ms, double bin_ms) {
  window.from_ms = from_ms;
  window.to_ms = to_ms;
  window.bin_ms = bin_ms;
  window.bin_count = (size_t)fmax(1, ceil((to_ms - from_ms) / bin_ms - 1e-6));
  window.bins = grown(NULL, window.bin_count * sizeof *window.bins);
  memset(window.bins, 0, window.bin_count * sizeof *window.bins);
  window.is_planned = true;
}

void clock_is_old(void) { is_old = true; }

static void look_at_clock(void) {
  is_old = false;
  seen_ms = now_ms();
  if (!window.is_planned || window.is_open || seen_ms < window.from_ms) return;
  window.is_open = true;
  window.at_open = counts.operations;
  for (Stream *stream = streams; stream != NULL; stream = stream->after) stream->sighting_count = 0;
}

void take(Stream *stream, const Message *message) {
  if (is_old || counts.operations % CLOCK_EVERY == 0) look_at_clock();
  const Payload *payload = &stream->payloads[stream->next_payload];
  if (message->id != (int32_t)(FIRST_ID + stream->next % IDS)) stream->out_of_order += 1;
  else if (message->bytes != payload->bytes || memcmp(message->payload, payload->text, payload->bytes) != 0)
    stream->wrong += 1;
  if (stream->next % TIMED_EVERY == 0 && stream->sighting_count < MOST_SIGHTINGS)
    stream->sightings[stream->sighting_count++] = (Sighting){stream->next, now_ms()};
  stream->next += 1;
  stream->next_payload = stream->next_payload + 1 == stream->payload_count ? 0 : stream->next_payload + 1;
  counts.operations += 1;
  if (!window.is_open || seen_ms >= window.to_ms) return;
  size_t bin = (size_t)((seen_ms - window.from_ms) / window.bin_ms);
  window.bins[bin < window.bin_count ? bin : window.bin_count - 1] += 1;
}

void print_streams(void) {
  look_at_clock(); // the window opens as well where nothing came
  printf(",\"atOpen\":%llu,\"bins\":[", (unsigned long long)window.at_open);
  for (size_t bin = 0; bin < window.bin_count; bin += 1)
    printf("%s%llu", bin > 0 ? "," : "", (unsigned long long)window.bins[bin]);
  printf("],\"streams\":{");
  for (Stream *stream = streams; stream != NULL; stream = stream->after) {
    printf("%s\"%s\":{\"taken\":%llu,\"wrong\":%llu,\"outOfOrder\":%llu,\"sightings\":[", stream == streams ? "" : ",",
           stream->connection, (unsigned long long)stream->next, (unsigned long long)stream->wrong,
           (unsigned long long)stream->out_of_order);
    for (size_t at = 0; at < stream->sighting_count; at += 1) {
      const Sighting *sighting = &stream->sightings[at];
      printf("%s[%llu,%.4f]", at > 0 ? "," : "", (unsigned long long)sighting->count, sighting->ms);
    }
    printf("]}");
  }
  printf("}");
}

void *grown(void *memory, size_t bytes) {
  void *more = realloc(memory, bytes > 0 ? bytes : 1);
  if (more == NULL) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return more;
}
