// What the parts of the peer share. The protocol that it speaks stands in docs/peers.md.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int32_t id;
  const char *payload; // UTF-8; valid until the next message is decoded
  size_t bytes;
} Message;

typedef struct {
  const char *name;
  bool is_text; // a header may say that the body is ASCII
  bool (*decode)(const char *wire, size_t bytes, Message *message); // false: it is none
  size_t (*most_bytes)(const Message *message);
  size_t (*encode)(const Message *message, char *wire); // bytes written
} Codec;

typedef struct {
  bool is_taking; // 'stream': messages are taken; else each is answered
  bool is_flushed_by_turn;
  bool has_no_delay;
  const Codec *codec;
  size_t most_message_bytes;
  char token[128];
  char payloads[4096]; // folder with what each worker sends
  int workers;
} Launch;

typedef struct {
  uint64_t operations;
  uint64_t undecodable;
  uint64_t rejectedConnections;
} Counts;

typedef struct Stream Stream;

extern Launch launch;
extern Counts counts;

const Codec *codec_named(const char *name);
bool is_ascii(const char *text, size_t bytes);

void open_loop(void);
const char *listen_unix(const char *path); // null, or why not
const char *listen_tcp(const char *host, int *port);
void adopt(int in, int out, const char *worker);
void run_loop(void (*on_words)(void)); // until leave_loop; on_words: stdin can be read
void leave_loop(void);

Stream *stream_of(const char *connection); // null: its payloads cannot be read
void take(Stream *stream, const Message *message);
void clock_is_old(void); // it was waited for what comes now
void plan_window(double from_ms, double to_ms, double bin_ms);
void print_streams(void);
double now_ms(void);
void *grown(void *memory, size_t bytes);
