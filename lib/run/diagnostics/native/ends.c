/* Transfers bytes between processes by pipes and sockets, and waits until more can be transferred. memory.c does so by shared memory. */
#define _GNU_SOURCE
#include "floor.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void never_block(int file) {
  if (fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK) < 0) give_up("fcntl");
}

static void send_at_once(int socket) {
  int yes = 1;
  if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) < 0) give_up("TCP_NODELAY");
}

/* Accepts only the socket that this function connects, since another process may connect to the port first. */
static void tcp_pair(int *ends) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}, own, peer;
  socklen_t bytes = sizeof address, own_bytes = sizeof own, peer_bytes;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  ends[1] = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, bytes) < 0 || listen(listener, 8) < 0 ||
      getsockname(listener, (struct sockaddr *)&address, &bytes) < 0 ||
      connect(ends[1], (struct sockaddr *)&address, bytes) < 0 ||
      getsockname(ends[1], (struct sockaddr *)&own, &own_bytes) < 0)
    give_up("a TCP connection");
  for (;;) {
    peer_bytes = sizeof peer;
    ends[0] = accept(listener, (struct sockaddr *)&peer, &peer_bytes);
    if (ends[0] < 0) give_up("a TCP connection");
    if (peer.sin_port == own.sin_port && peer.sin_addr.s_addr == own.sin_addr.s_addr) break;
    close(ends[0]);
  }
  close(listener);
  send_at_once(ends[0]);
  send_at_once(ends[1]);
}

static void open_pipes(const Plan *plan, Line *line) {
  int to_master[2], to_worker[2];
  if (pipe(to_master) < 0 || pipe(to_worker) < 0) give_up("a pipe");
  line->master = (End){.in = to_master[0], .out = to_worker[1]};
  line->worker = (End){.in = to_worker[0], .out = to_master[1]};
  never_block(line->master.out);
  never_block(line->worker.out);
  if (!plan->spins) return;
  never_block(line->master.in);
  never_block(line->worker.in);
}

void open_lines(const Plan *plan, Line *lines) {
  if (plan->mechanism == MEMORY) {
    open_memory(plan, lines);
    return;
  }
  for (Line *line = lines; line < lines + plan->workers; line++) {
    int ends[2];
    if (plan->mechanism == PIPE) {
      open_pipes(plan, line);
      continue;
    }
    if (plan->mechanism == TCP) tcp_pair(ends);
    else if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) give_up("a unix socket");
    line->master = (End){.in = ends[0], .out = ends[0], .is_socket = 1};
    line->worker = (End){.in = ends[1], .out = ends[1], .is_socket = 1};
  }
}

static size_t moved(ssize_t bytes, const char *what) {
  if (bytes > 0) return bytes;
  if (bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
  if (bytes == 0) errno = EPIPE; /* the other end is closed */
  give_up(what);
}

size_t pull(const Plan *plan, End *end, char *to, size_t bytes) {
  if (plan->mechanism == MEMORY) return pull_ring(plan, end, to, bytes);
  if (!end->is_socket) return moved(read(end->in, to, bytes), "read");
  return moved(recv(end->in, to, bytes, plan->spins ? MSG_DONTWAIT : 0), "recv");
}

size_t push(const Plan *plan, End *end, const char *from, size_t bytes) {
  if (plan->mechanism == MEMORY) return push_ring(end, from, bytes);
  if (!end->is_socket) return moved(write(end->out, from, bytes), "write");
  return moved(send(end->out, from, bytes, MSG_DONTWAIT), "send");
}

void wait_for_any(const Plan *plan, End **ends, const int *is_full, int reads, int *ready, int count) {
  static struct pollfd *files;
  if (plan->spins) {
    for (int index = 0; index < count; index++) ready[index] = CAN_PULL | CAN_PUSH;
#if defined(__x86_64__) || defined(__i386__)
    if (plan->mechanism == MEMORY) __builtin_ia32_pause();
#endif
    return;
  }
  if (plan->mechanism == MEMORY) {
    wait_on_memory(ends, is_full, reads, ready, count);
    return;
  }
  if (files == NULL && (files = calloc(2 * count, sizeof *files)) == NULL) give_up("memory");
  for (int index = 0; index < count; index++) {
    files[2 * index] = (struct pollfd){.fd = is_full[index] && !reads ? -1 : ends[index]->in, .events = POLLIN};
    files[2 * index + 1] = (struct pollfd){.fd = is_full[index] ? ends[index]->out : -1, .events = POLLOUT};
  }
  while (poll(files, 2 * count, -1) < 0)
    if (errno != EINTR) give_up("poll");
  for (int index = 0; index < count; index++) ready[index] = (files[2 * index].revents ? CAN_PULL : 0) | (files[2 * index + 1].revents ? CAN_PUSH : 0);
}
