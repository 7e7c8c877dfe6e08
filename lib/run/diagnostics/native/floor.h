/* What the parts of the floor share: the plan, the two ends of each conversation, and what workers count. */
#ifndef FLOOR_H
#define FLOOR_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { HEADER_BYTES = 4, CHUNK_BYTES = 65536, LINE_BYTES = 128 }; /* CHUNK_BYTES: of a read, as libuv has it */

typedef enum { PIPE, UNIX, TCP, MEMORY } Mechanism;
typedef struct {
  Mechanism mechanism;
  int coalesces, spins, workers, loops;
  size_t frame_bytes; /* with the header */
} Plan;

/* A ring of memory, from one process to another. Counters never turn back. */
typedef struct {
  _Alignas(LINE_BYTES) _Atomic uint64_t written;
  _Alignas(LINE_BYTES) _Atomic uint64_t taken;
  _Alignas(LINE_BYTES) _Atomic int wants_room; /* its writer sleeps until there is some */
  _Alignas(LINE_BYTES) char bytes[];
} Ring;

/* Of a process: by it others wake it from its sleep on memory. */
typedef struct { _Alignas(LINE_BYTES) _Atomic uint32_t rung; _Atomic int is_asleep; } Bell;

typedef struct { _Alignas(LINE_BYTES) _Atomic uint64_t operations; } Tally; /* answers that equal their questions */

/* One end of a conversation: descriptors, or rings with the bells of both processes. */
typedef struct { int in, out, is_socket; Ring *from, *to; Bell *own, *other; } End;
typedef struct { End master, worker; } Line;

void give_up(const char *what) __attribute__((noreturn));
void *shared_memory(size_t bytes);
void open_lines(const Plan *plan, Line *lines);

/* Both move what can be moved now, and return how much: 0 is nothing. But `pull` from a pipe or a socket sleeps until something comes,
 * unless the plan spins. */
size_t pull(const Plan *plan, End *end, char *to, size_t bytes);
size_t push(const Plan *plan, End *end, const char *from, size_t bytes);
/* What was pushed since the last call may be read: who sleeps on memory is woken. */
void tell(const Plan *plan, End *end);
/* Sleeps until one of the ends can go on: ready[n] says how. Whose `is_full` is set waits for room, and with `reads` for bytes too. */
enum { CAN_PULL = 1, CAN_PUSH = 2 };
void wait_for_any(const Plan *plan, End **ends, const int *is_full, int reads, int *ready, int count);

/* The same of memory. */
void open_memory(const Plan *plan, Line *lines);
size_t pull_ring(const Plan *plan, End *end, char *to, size_t bytes);
size_t push_ring(End *end, const char *from, size_t bytes);
void wait_on_memory(End **ends, const int *is_full, int reads, int *ready, int count);

void answer_all(const Plan *plan, Line *lines) __attribute__((noreturn));
void ask(const Plan *plan, End *end, Tally *tally) __attribute__((noreturn));
#endif
