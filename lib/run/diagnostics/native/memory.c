/* Transfers bytes between processes by ring buffers in shared memory, with a futex word to wake a process that sleeps. */
#define _GNU_SOURCE
#include "floor.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { RING_BYTES = 1 << 20 }; /* as in the transport */

void *shared_memory(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) give_up("shared memory");
  return memory;
}

void open_memory(const Plan *plan, Line *lines) {
  size_t ring_bytes = sizeof(Ring) + RING_BYTES;
  Bell *bells = shared_memory((plan->workers + 1) * sizeof(Bell));
  for (int index = 0; index < plan->workers; index++) {
    char *rings = shared_memory(2 * ring_bytes);
    Ring *to_master = (Ring *)rings, *to_worker = (Ring *)(rings + ring_bytes);
    Bell *master = &bells[0], *worker = &bells[index + 1];
    lines[index].master = (End){.from = to_master, .to = to_worker, .own = master, .other = worker};
    lines[index].worker = (End){.from = to_worker, .to = to_master, .own = worker, .other = master};
  }
}

#ifdef __linux__
static void wake(Bell *bell) {
  if (!atomic_exchange(&bell->is_asleep, 0)) return;
  atomic_fetch_add(&bell->rung, 1);
  syscall(SYS_futex, &bell->rung, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void sleep_on(Bell *bell, uint32_t seen) {
  syscall(SYS_futex, &bell->rung, FUTEX_WAIT, seen, NULL, NULL, 0);
}
#else
static void wake(Bell *bell) { (void)bell; }
static void sleep_on(Bell *bell, uint32_t seen) {
  (void)bell, (void)seen;
  errno = ENOSYS;
  give_up("sleeping on memory needs the futex of Linux");
}
#endif

/* Limits a copy to the end of the ring; the caller copies the rest in a second step. */
static size_t copy_part(uint64_t at, size_t bytes) {
  size_t until_end = RING_BYTES - at % RING_BYTES;
  return bytes < until_end ? bytes : until_end;
}

size_t pull_ring(const Plan *plan, End *end, char *to, size_t bytes) {
  Ring *ring = end->from;
  uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
  uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
  size_t all = written - taken < bytes ? written - taken : bytes;
  for (size_t done = 0; done < all;) {
    size_t part = copy_part(taken + done, all - done);
    memcpy(to + done, ring->bytes + (taken + done) % RING_BYTES, part);
    done += part;
  }
  if (all == 0) return 0;
  if (plan->spins) atomic_store_explicit(&ring->taken, taken + all, memory_order_release);
  else {
    atomic_store(&ring->taken, taken + all);
    if (atomic_load(&ring->wants_room)) wake(end->other);
  }
  return all;
}

size_t push_ring(End *end, const char *from, size_t bytes) {
  Ring *ring = end->to;
  uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
  size_t room = RING_BYTES - (written - atomic_load_explicit(&ring->taken, memory_order_acquire));
  size_t all = room < bytes ? room : bytes;
  for (size_t done = 0; done < all;) {
    size_t part = copy_part(written + done, all - done);
    memcpy(ring->bytes + (written + done) % RING_BYTES, from + done, part);
    done += part;
  }
  atomic_store_explicit(&ring->written, written + all, memory_order_release);
  return all;
}

void tell(const Plan *plan, End *end) {
  if (plan->mechanism != MEMORY || plan->spins) return;
  atomic_thread_fence(memory_order_seq_cst); /* orders the write before the check for sleepers */
  if (atomic_load_explicit(&end->other->is_asleep, memory_order_relaxed)) wake(end->other);
}

static int can_go_on(End *end, int is_full, int reads) {
  int has_room = is_full && atomic_load(&end->to->written) - atomic_load(&end->to->taken) < RING_BYTES;
  int has_bytes = (reads || !is_full) && atomic_load(&end->from->written) != atomic_load(&end->from->taken);
  return (has_room ? CAN_PUSH : 0) | (has_bytes ? CAN_PULL : 0);
}

static int look(End **ends, const int *is_full, int reads, int *ready, int count) {
  int some = 0;
  for (int index = 0; index < count; index++) some |= ready[index] = can_go_on(ends[index], is_full[index], reads);
  return some;
}

void wait_on_memory(End **ends, const int *is_full, int reads, int *ready, int count) {
  Bell *own = ends[0]->own;
  while (!look(ends, is_full, reads, ready, count)) {
    uint32_t seen = atomic_load(&own->rung);
    for (int index = 0; index < count; index++) atomic_store(&ends[index]->to->wants_room, is_full[index]);
    /* The flag is set before the last check, so that no write in between is missed. */
    atomic_store(&own->is_asleep, 1);
    if (!look(ends, is_full, reads, ready, count)) sleep_on(own, seen);
    atomic_store(&own->is_asleep, 0);
    for (int index = 0; index < count; index++) atomic_store(&ends[index]->to->wants_room, 0);
  }
}
