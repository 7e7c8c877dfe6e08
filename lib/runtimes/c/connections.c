// One thread that waits for all connections at once (epoll): it greets who connects, cuts the stream into frames, and
// answers or takes each message.
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { HEADER_BYTES = 4, SHARED_BYTES = 65536, GREETING_BYTES = 1024, GREETING_MS = 2000, EVENTS = 64, LOOK_MS = 100 };
static const uint32_t ASCII_BIT = 0x80000000u;

typedef struct Connection {
  int in, out;
  bool is_greeted, is_closed, waits_for_room;
  double connected_ms;
  char header[HEADER_BYTES];
  char *partial; // a frame with its header, of which the rest has not come yet
  size_t partial_room, partial_bytes, frame_bytes;
  char *unsent; // what the system has not taken yet
  size_t unsent_room, unsent_bytes;
  Stream *stream;
  struct Connection *before, *after;
} Connection;

static int epoll = -1, listener = -1, ungreeted;
static bool is_over;
static Connection *connections, *closed;
static char shared[HEADER_BYTES + SHARED_BYTES]; // room for the beginning of a header in front
static char *answers; // of one turn, or of one message
static size_t answers_room, answer_bytes;
static char WORDS_MARK, LISTENER_MARK;

static void watch(int fd, uint32_t events, void *whose, int how) {
  struct epoll_event event = {.events = events, .data.ptr = whose};
  epoll_ctl(epoll, how, fd, &event);
}

void open_loop(void) {
  epoll = epoll_create1(EPOLL_CLOEXEC);
  watch(0, EPOLLIN, &WORDS_MARK, EPOLL_CTL_ADD);
}

void leave_loop(void) { is_over = true; }

static const char *listen_at(int fd, const struct sockaddr *address, socklen_t bytes) {
  if (fd < 0 || bind(fd, address, bytes) != 0 || listen(fd, 511) != 0) return strerror(errno);
  listener = fd;
  watch(fd, EPOLLIN, &LISTENER_MARK, EPOLL_CTL_ADD);
  return NULL;
}

const char *listen_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return "the path is too long";
  memcpy(address.sun_path, path, strlen(path));
  return listen_at(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), (struct sockaddr *)&address, sizeof address);
}

const char *listen_tcp(const char *host, int *port) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) return "the host is no IPv4 address";
  const char *why = listen_at(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), (struct sockaddr *)&address, sizeof address);
  socklen_t bytes = sizeof address;
  if (why == NULL) getsockname(listener, (struct sockaddr *)&address, &bytes);
  *port = ntohs(address.sin_port);
  return why;
}

static Connection *add(int in, int out) {
  Connection *connection = grown(NULL, sizeof *connection);
  *connection = (Connection){.in = in, .out = out, .connected_ms = now_ms(), .after = connections};
  if (connections != NULL) connections->before = connection;
  fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
  fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
  watch(in, EPOLLIN, connection, EPOLL_CTL_ADD);
  return connections = connection;
}

// It is freed when the events of this turn have been seen: there may be another one of it among them.
static void hang_up(Connection *connection) {
  if (connection->is_closed) return;
  connection->is_closed = true;
  if (!connection->is_greeted) {
    counts.rejectedConnections += 1;
    ungreeted -= 1;
  }
  close(connection->in);
  if (connection->out != connection->in) close(connection->out);
  if (connection->before != NULL) connection->before->after = connection->after;
  else connections = connection->after;
  if (connection->after != NULL) connection->after->before = connection->before;
  connection->after = closed;
  closed = connection;
}

static bool begin(Connection *connection, const char *id) {
  connection->is_greeted = true;
  if (!launch.is_taking) return true;
  connection->stream = stream_of(id);
  return connection->stream != NULL;
}

void adopt(int in, int out, const char *worker) {
  Connection *connection = add(in, out);
  if (!begin(connection, worker)) hang_up(connection);
}

static void wait_for_room(Connection *connection, bool waits) {
  if (connection->waits_for_room == waits) return;
  connection->waits_for_room = waits;
  if (connection->out == connection->in) watch(connection->in, EPOLLIN | (waits ? EPOLLOUT : 0), connection, EPOLL_CTL_MOD);
  else watch(connection->out, EPOLLOUT, connection, waits ? EPOLL_CTL_ADD : EPOLL_CTL_DEL);
}

// How much the system took; all of it where the other end has gone, which its end of the stream will tell.
static size_t written(int fd, const char *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    ssize_t more = write(fd, bytes + done, count - done);
    if (more >= 0) done += (size_t)more;
    else if (errno == EAGAIN) return done;
    else if (errno != EINTR) return count;
  }
  return done;
}

static void send_all(Connection *connection, const char *bytes, size_t count) {
  size_t done = connection->unsent_bytes > 0 ? 0 : written(connection->out, bytes, count);
  if (done == count) return;
  size_t needed = connection->unsent_bytes + count - done;
  if (needed > connection->unsent_room)
    connection->unsent = grown(connection->unsent, connection->unsent_room = 2 * needed);
  memcpy(connection->unsent + connection->unsent_bytes, bytes + done, count - done);
  connection->unsent_bytes = needed;
  wait_for_room(connection, true);
}

static void send_unsent(Connection *connection) {
  size_t done = written(connection->out, connection->unsent, connection->unsent_bytes);
  connection->unsent_bytes -= done;
  memmove(connection->unsent, connection->unsent + done, connection->unsent_bytes);
  wait_for_room(connection, connection->unsent_bytes > 0);
}

static void write_header(char *frame, uint32_t header) {
  for (int at = 0; at < HEADER_BYTES; at += 1) frame[at] = (char)(header >> (24 - 8 * at));
}

static void flush(Connection *connection) {
  if (answer_bytes > 0) send_all(connection, answers, answer_bytes);
  answer_bytes = 0;
}

static void answer(Connection *connection, const Message *message) {
  const Codec *codec = launch.codec;
  size_t needed = answer_bytes + HEADER_BYTES + codec->most_bytes(message);
  if (needed > answers_room) answers = grown(answers, answers_room = needed);
  char *frame = answers + answer_bytes;
  size_t bytes = codec->encode(message, frame + HEADER_BYTES);
  bool says_ascii = codec->is_text && is_ascii(frame + HEADER_BYTES, bytes);
  write_header(frame, (uint32_t)bytes | (says_ascii ? ASCII_BIT : 0));
  answer_bytes += HEADER_BYTES + bytes;
  if (!launch.is_flushed_by_turn) flush(connection);
}

// The first words: the token and who it is.
static bool greet(Connection *connection, const char *text, size_t bytes) {
  size_t token_bytes = strlen(launch.token);
  if (bytes < token_bytes + 2 || bytes > token_bytes + 32 || text[token_bytes] != ' ') return false;
  unsigned char difference = 0; // in a time that does not tell how much of it is right
  for (size_t at = 0; at < token_bytes; at += 1) difference |= (unsigned char)(text[at] ^ launch.token[at]);
  char id[32] = {0};
  memcpy(id, text + token_bytes + 1, bytes - token_bytes - 1);
  if (difference != 0 || strpbrk(id, " /") != NULL || !begin(connection, id)) return false;
  ungreeted -= 1;
  char welcome[HEADER_BYTES + 7];
  write_header(welcome, 7 | ASCII_BIT);
  memcpy(welcome + HEADER_BYTES, "welcome", 7);
  send_all(connection, welcome, sizeof welcome);
  return true;
}

static void hear(Connection *connection, const char *body, size_t bytes) {
  if (!connection->is_greeted) {
    if (!greet(connection, body, bytes)) hang_up(connection);
    return;
  }
  Message message;
  if (!launch.codec->decode(body, bytes, &message)) counts.undecodable += 1;
  else if (launch.is_taking) take(connection->stream, &message);
  else {
    answer(connection, &message);
    counts.operations += 1;
  }
}

// Bytes of the frame that begins here, with its header; 0: it breaks the rules.
static size_t frame_bytes(const Connection *connection, const char *at) {
  const unsigned char *of = (const unsigned char *)at;
  uint32_t header = (uint32_t)of[0] << 24 | (uint32_t)of[1] << 16 | (uint32_t)of[2] << 8 | of[3];
  bool may_say_ascii = !connection->is_greeted || launch.codec->is_text;
  size_t most = connection->is_greeted ? launch.most_message_bytes : GREETING_BYTES;
  size_t body = header & ~ASCII_BIT;
  return body == 0 || body > most || (header & ASCII_BIT && !may_say_ascii) ? 0 : HEADER_BYTES + body;
}

static void cut(Connection *connection, const char *chunk, size_t bytes) {
  size_t at = 0;
  while (!connection->is_closed && bytes - at >= HEADER_BYTES) {
    size_t frame = frame_bytes(connection, chunk + at);
    if (frame == 0) return hang_up(connection);
    if (bytes - at < frame) {
      if (connection->partial_room < frame) connection->partial = grown(connection->partial, connection->partial_room = frame);
      memcpy(connection->partial, chunk + at, bytes - at);
      connection->partial_bytes = bytes - at;
      connection->frame_bytes = frame;
      return;
    }
    hear(connection, chunk + at + HEADER_BYTES, frame - HEADER_BYTES);
    at += frame;
  }
  if (connection->is_closed) return;
  connection->partial_bytes = bytes - at;
  connection->frame_bytes = 0;
  memcpy(connection->header, chunk + at, bytes - at);
}

static void read_more(Connection *connection) {
  size_t held = connection->partial_bytes, missing = connection->frame_bytes - held;
  ssize_t count;
  if (connection->frame_bytes == 0) {
    memcpy(shared, connection->header, held);
    count = read(connection->in, shared + held, SHARED_BYTES);
  } else {
    struct iovec parts[] = {{connection->partial + held, missing}, {shared, SHARED_BYTES}};
    count = readv(connection->in, parts, 2);
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return hang_up(connection);
  clock_is_old();
  if (connection->frame_bytes == 0) cut(connection, shared, held + (size_t)count);
  else if ((size_t)count < missing) connection->partial_bytes += (size_t)count;
  else {
    hear(connection, connection->partial + HEADER_BYTES, connection->frame_bytes - HEADER_BYTES);
    cut(connection, shared, (size_t)count - missing);
  }
  if (!connection->is_closed) flush(connection);
  answer_bytes = 0;
}

static void welcome_all(void) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0; ungreeted += 1) {
    int yes = launch.has_no_delay;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); // a unix socket has none, which is no fault
    add(fd, fd);
  }
}

static void turn_away_the_silent(void) {
  for (Connection *connection = connections, *after; connection != NULL; connection = after) {
    after = connection->after;
    if (!connection->is_greeted && now_ms() - connection->connected_ms > GREETING_MS) hang_up(connection);
  }
}

static void free_closed(void) {
  for (Connection *connection = closed, *after; connection != NULL; connection = after) {
    after = connection->after;
    free(connection->partial);
    free(connection->unsent);
    free(connection);
  }
  closed = NULL;
}

void run_loop(void (*on_words)(void)) {
  struct epoll_event events[EVENTS];
  while (!is_over) {
    int count = epoll_wait(epoll, events, EVENTS, ungreeted > 0 ? LOOK_MS : -1);
    for (int at = 0; at < count && !is_over; at += 1) {
      Connection *connection = events[at].data.ptr;
      if ((void *)connection == &WORDS_MARK) on_words();
      else if ((void *)connection == &LISTENER_MARK) welcome_all();
      else {
        if (events[at].events & EPOLLOUT && !connection->is_closed) send_unsent(connection);
        if (events[at].events & ~(uint32_t)EPOLLOUT && !connection->is_closed) read_more(connection);
      }
    }
    if (ungreeted > 0) turn_away_the_silent();
    free_closed();
  }
}
