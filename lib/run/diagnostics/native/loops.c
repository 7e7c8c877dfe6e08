/* The closed loop: workers send requests, and compare each response with its request; the master echoes requests. */
#include "floor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  End *end;
  char *bytes;
  size_t have, whole, sent, capacity; /* whole: bytes of complete frames; sent: how many of these are sent */
} Echo;

static size_t capacity_of(const Plan *plan) {
  return plan->frame_bytes > CHUNK_BYTES ? plan->frame_bytes : CHUNK_BYTES;
}

static void *room_for(size_t bytes) {
  char *room = malloc(bytes);
  if (room == NULL) give_up("memory");
  return room;
}

static void write_header(const Plan *plan, char *frame) {
  uint32_t body = plan->frame_bytes - HEADER_BYTES;
  for (int index = 0; index < HEADER_BYTES; index++) frame[index] = body >> (24 - 8 * index);
}

/* Finds the frames by their headers, as every framing does. */
static void read_frames(const Plan *plan, Echo *echo, const char *header) {
  for (; echo->have - echo->whole >= plan->frame_bytes; echo->whole += plan->frame_bytes) {
    if (memcmp(echo->bytes + echo->whole, header, HEADER_BYTES) == 0) continue;
    errno = EPROTO;
    give_up("a question begins with a wrong header");
  }
}

static void echo_some(const Plan *plan, Echo *echo, const char *header) {
  if (echo->sent == echo->whole) {
    size_t rest = echo->have - echo->whole;
    if (rest > 0 && echo->whole > 0) memmove(echo->bytes, echo->bytes + echo->whole, rest);
    echo->have = rest;
    echo->whole = echo->sent = 0;
    echo->have += pull(plan, echo->end, echo->bytes + rest, echo->capacity - rest);
    read_frames(plan, echo, header);
  }
  while (echo->sent < echo->whole) {
    size_t until = plan->coalesces ? echo->whole : (echo->sent / plan->frame_bytes + 1) * plan->frame_bytes;
    size_t moved = push(plan, echo->end, echo->bytes + echo->sent, until - echo->sent);
    tell(plan, echo->end);
    if (moved == 0) return;
    echo->sent += moved;
  }
}

void answer_all(const Plan *plan, Line *lines) {
  int count = plan->workers;
  Echo *echoes = room_for(count * sizeof *echoes);
  End **ends = room_for(count * sizeof *ends);
  int *is_full = room_for(count * sizeof *is_full), *ready = room_for(count * sizeof *ready);
  char header[HEADER_BYTES];
  write_header(plan, header);
  for (int index = 0; index < count; index++) {
    size_t capacity = capacity_of(plan);
    echoes[index] = (Echo){.end = &lines[index].master, .bytes = room_for(capacity), .capacity = capacity};
    ends[index] = &lines[index].master;
    is_full[index] = 0;
  }
  for (;;) {
    /* While a response to a worker cannot be sent, no further requests are read from that worker. */
    wait_for_any(plan, ends, is_full, 0, ready, count);
    for (int index = 0; index < count; index++) {
      if (!ready[index]) continue;
      echo_some(plan, &echoes[index], header);
      is_full[index] = echoes[index].sent < echoes[index].whole;
    }
  }
}

typedef struct {
  const Plan *plan;
  End *end;
  char *question, *out, *in;
  size_t out_at, out_end, have, capacity, number_bytes;
  uint64_t asked, answered;
} Asker;

/* Each request begins with its number, or with as many bytes of the number as fit, so that an old response does not match a new request. */
static void number_question(Asker *asker, uint64_t number) {
  memcpy(asker->question + HEADER_BYTES, &number, asker->number_bytes);
}

static void send_due(Asker *asker) {
  const Plan *plan = asker->plan;
  for (;;) {
    if (asker->out_at == asker->out_end) {
      size_t due = asker->answered + plan->loops - asker->asked, fits = asker->capacity / plan->frame_bytes;
      size_t frames = !plan->coalesces && due > 1 ? 1 : due < fits ? due : fits;
      if (frames == 0) return;
      asker->out_at = asker->out_end = 0;
      for (; frames > 0; frames--) {
        number_question(asker, asker->asked++);
        memcpy(asker->out + asker->out_end, asker->question, plan->frame_bytes);
        asker->out_end += plan->frame_bytes;
      }
    }
    size_t moved = push(plan, asker->end, asker->out + asker->out_at, asker->out_end - asker->out_at);
    tell(plan, asker->end);
    if (moved == 0) return;
    asker->out_at += moved;
  }
}

static void take_answers(Asker *asker, Tally *tally) {
  const Plan *plan = asker->plan;
  size_t at = 0;
  asker->have += pull(plan, asker->end, asker->in + asker->have, asker->capacity - asker->have);
  for (; asker->have - at >= plan->frame_bytes; at += plan->frame_bytes) {
    number_question(asker, asker->answered);
    if (memcmp(asker->in + at, asker->question, plan->frame_bytes) != 0) {
      errno = EPROTO;
      give_up("an answer is not its question");
    }
    asker->answered++;
    if (!plan->coalesces) send_due(asker);
  }
  if (at == 0) return;
  asker->have -= at;
  if (asker->have > 0) memmove(asker->in, asker->in + at, asker->have);
  atomic_store_explicit(&tally->operations, asker->answered, memory_order_relaxed);
  send_due(asker);
}

void ask(const Plan *plan, End *end, Tally *tally) {
  size_t capacity = capacity_of(plan), payload = plan->frame_bytes - HEADER_BYTES;
  Asker asker = {.plan = plan, .end = end, .capacity = capacity, .in = room_for(capacity), .out = room_for(capacity)};
  asker.question = room_for(plan->frame_bytes);
  asker.number_bytes = payload < sizeof(uint64_t) ? payload : sizeof(uint64_t);
  write_header(plan, asker.question);
  for (size_t index = 0; index < payload; index++) asker.question[HEADER_BYTES + index] = 'a' + index % 26;
  send_due(&asker);
  for (;;) {
    int is_full = asker.out_at < asker.out_end, ready = CAN_PULL;
    /* If there is nothing left to send, the read itself blocks. */
    if (is_full || plan->mechanism == MEMORY) wait_for_any(plan, &asker.end, &is_full, 1, &ready, 1);
    if (ready & CAN_PUSH) send_due(&asker);
    if (ready & CAN_PULL) take_answers(&asker, tally);
  }
}
