/* Declarations of the native baseline: the plan, the two ends of each connection, and the counters of workers. */
#ifndef FLOOR_H
#define FLOOR_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { HEADER_BYTES = 4, CHUNK_BYTES = 65536, LINE_BYTES = 128 }; /* CHUNK_BYTES: the size of a read in libuv */

typedef enum { PIPE, UNIX, TCP, MEMORY } Mechanism;
typedef struct {
  Mechanism mechanism;
  int coalesces, spins, workers, loops;
  size_t frame_bytes; /* including the header */
} Plan;

/* A ring buffer in shared memory, for one direction. The counters only increase. */
typedef struct {
  _Alignas(LINE_BYTES) _Atomic uint64_t written;
  _Alignas(LINE_BYTES) _Atomic uint64_t taken;
  _Alignas(LINE_BYTES) _Atomic int wants_room; /* set while its writer sleeps */
  _Alignas(LINE_BYTES) char bytes[];
} Ring;

/* The doorbell of a process, by which others wake it while it waits for shared memory. */
typedef struct { _Alignas(LINE_BYTES) _Atomic uint32_t rung; _Atomic int is_asleep; } Bell;

typedef struct { _Alignas(LINE_BYTES) _Atomic uint64_t operations; } Tally; /* responses that equal their requests */

/* One end of a connection: descriptors, or rings with the doorbells of both processes. */
typedef struct { int in, out, is_socket; Ring *from, *to; Bell *own, *other; } End;
typedef struct { End master, worker; } Line;

void give_up(const char *what) __attribute__((noreturn));
void *shared_memory(size_t bytes);
void open_lines(const Plan *plan, Line *lines);

/* Both transfer as many bytes as possible, and return their number. They do not wait, except that `pull` from a pipe or a socket blocks
 * until bytes arrive, unless the plan spins. */
size_t pull(const Plan *plan, End *end, char *to, size_t bytes);
size_t push(const Plan *plan, End *end, const char *from, size_t bytes);
/* Wakes the reader of shared memory, if it sleeps, after one or more pushes. */
void tell(const Plan *plan, End *end);
/* Sleeps until an end is ready, and sets ready[n]. An end with `is_full` waits for room, and also for bytes if `reads` is set. */
enum { CAN_PULL = 1, CAN_PUSH = 2 };
void wait_for_any(const Plan *plan, End **ends, const int *is_full, int reads, int *ready, int count);

/* The same for shared memory. */
void open_memory(const Plan *plan, Line *lines);
size_t pull_ring(const Plan *plan, End *end, char *to, size_t bytes);
size_t push_ring(End *end, const char *from, size_t bytes);
void wait_on_memory(End **ends, const int *is_full, int reads, int *ready, int count);

void answer_all(const Plan *plan, Line *lines) __attribute__((noreturn));
void ask(const Plan *plan, End *end, Tally *tally) __attribute__((noreturn));
#endif
