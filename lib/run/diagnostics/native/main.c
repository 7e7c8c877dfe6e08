/* The native baseline: programs that do nothing but transfer the same bytes over the same mechanism. A watcher process starts the
 * master and the workers, and measures the time. All processes end when the watcher or its parent ends.
 *   floor MECHANISM direct|tick sleep|spin PAYLOAD WORKERS LOOPS WARM_UP_MS MEASURE_MS CPU_OF_MASTER CPU_OF_EACH_WORKER,...
 * A CPU is a number, or "free". The watcher prints one line of JSON and exits, at the latest when its stdin is closed. */
#define _GNU_SOURCE
#include "floor.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { START_DEADLINE_MS = 10000, SPARE_SECONDS = 20, GREATEST_SKEW_NS = 50000, TRIES = 100, MOST_WORKERS = 4096 };
typedef struct { uint64_t operations; int64_t ns, master_cpu_ns, workers_cpu_ns; } Reading;

static pid_t watcher, processes[MOST_WORKERS + 1]; /* the master is first */
static int started;

/* No process outlives the watcher. */
static void end_all(int code) {
  for (int index = 0; index < started; index++) kill(processes[index], SIGKILL);
  while (wait(NULL) > 0 || errno == EINTR) {}
  _exit(code);
}

void give_up(const char *what) {
  fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
  if (getpid() == watcher) end_all(1);
  _exit(1);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Returns -1 if the system does not report the CPU time. */
static int64_t cpu_ns(pid_t process) {
#ifdef __linux__
  clockid_t clock;
  struct timespec spent;
  if (clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &spent) == 0)
    return spent.tv_sec * 1000000000LL + spent.tv_nsec;
#else
  (void)process;
#endif
  return -1;
}

static void pin_to(const char *cpu) {
  if (strcmp(cpu, "free") == 0) return;
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(atoi(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) < 0) give_up("a CPU to be pinned to");
#endif
}

static void die_with_parent(pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (parent != 0 && getppid() != parent) _exit(1);
}

static void say_of_the_dead(void) {
  int status;
  pid_t dead = waitpid(-1, &status, WNOHANG);
  if (dead <= 0) return;
  int index = 0;
  while (index < started && processes[index] != dead) index++;
  char who[32] = "the master";
  if (index > 0) snprintf(who, sizeof who, "worker %d", index - 1);
  if (WIFSIGNALED(status)) fprintf(stderr, "floor: %s was killed by signal %d\n", who, WTERMSIG(status));
  else fprintf(stderr, "floor: %s ended with exit code %d\n", who, WEXITSTATUS(status));
  end_all(1);
}

static void heard(int signal) { (void)signal; }

/* Sleeps for `ms`, and ends all processes if one of them dies or if stdin is closed. */
static void watch_for(int64_t ms) {
  sigset_t none;
  sigemptyset(&none);
  for (int64_t until = now_ns() + ms * 1000000;;) {
    int64_t left = until - now_ns();
    if (left < 0) left = 0;
    struct timespec patience = {left / 1000000000, left % 1000000000};
    fd_set files;
    FD_ZERO(&files);
    FD_SET(STDIN_FILENO, &files);
    int some = pselect(STDIN_FILENO + 1, &files, NULL, NULL, &patience, &none);
    say_of_the_dead();
    char byte;
    if (some > 0 && read(STDIN_FILENO, &byte, 1) == 0) end_all(1);
    if (some == 0) return;
  }
}

static Reading read_all(const Plan *plan, Tally *tallies) {
  Reading reading = {0};
  int64_t began;
  /* The readings must be simultaneous, so they are repeated if taking them was interrupted. */
  for (int tries = 0; tries < TRIES; tries++) {
    reading = (Reading){0};
    began = now_ns();
    for (int index = 0; index < plan->workers; index++) {
      reading.operations += atomic_load(&tallies[index].operations);
      reading.workers_cpu_ns += cpu_ns(processes[1 + index]);
    }
    reading.master_cpu_ns = cpu_ns(processes[0]);
    reading.ns = now_ns();
    if (reading.ns - began < GREATEST_SKEW_NS) break;
  }
  return reading;
}

static void start(const Plan *plan, Line *lines, Tally *tallies, char **cpus, unsigned deadline_seconds) {
  for (int index = 0; index <= plan->workers; index++) {
    pid_t process = fork();
    if (process < 0) give_up("fork");
    if (process > 0) {
      processes[started++] = process;
      continue;
    }
    die_with_parent(watcher);
    sigset_t all;
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    alarm(deadline_seconds); /* for systems that do not notify a process of its parent's death */
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    pin_to(cpus[index]);
    if (index == 0) answer_all(plan, lines);
    ask(plan, &lines[index - 1].worker, &tallies[index - 1]);
  }
}

static long number(const char *text, long least, long most) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end == '\0' && value >= least && value <= most) return value;
  errno = EINVAL;
  give_up(text);
}

static Mechanism mechanism_of(const char *name) {
  static const char *names[] = {"pipe", "unix", "tcp", "memory"};
  for (int index = 0; index < 4; index++)
    if (strcmp(name, names[index]) == 0) return (Mechanism)index;
  errno = EINVAL;
  give_up(name);
}

int main(int count, char **words) {
  watcher = getpid();
  errno = EINVAL;
  if (count != 11) give_up("ten words are needed");
  die_with_parent(0);
  Plan plan = {
    .mechanism = mechanism_of(words[1]), .coalesces = strcmp(words[2], "tick") == 0, .spins = strcmp(words[3], "spin") == 0,
    .frame_bytes = HEADER_BYTES + number(words[4], 1, 0x7fffffff), .workers = number(words[5], 1, MOST_WORKERS),
    .loops = number(words[6], 1, 1000000),
  };
  long warm_up_ms = number(words[7], 0, 60000), measure_ms = number(words[8], 1, 60000);
  char *cpus[MOST_WORKERS + 1] = {words[9]}, *rest = words[10];
  for (int index = 1; index <= plan.workers; index++) {
    cpus[index] = strsep(&rest, ",");
    if (cpus[index] == NULL) give_up("a CPU for each worker is needed");
  }
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL); /* delivered in pselect() only, so that no exit is missed */
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = heard}, NULL);
  signal(SIGPIPE, SIG_IGN);
  Line *lines = calloc(plan.workers, sizeof *lines);
  Tally *tallies = shared_memory(plan.workers * sizeof *tallies);
  if (lines == NULL) give_up("memory");
  open_lines(&plan, lines);
  start(&plan, lines, tallies, cpus, (START_DEADLINE_MS + warm_up_ms + measure_ms) / 1000 + SPARE_SECONDS);

  int64_t late = now_ns() + START_DEADLINE_MS * 1000000LL;
  for (int index = 0; index < plan.workers; index++)
    while (atomic_load(&tallies[index].operations) == 0) {
      watch_for(1);
      errno = ETIMEDOUT;
      if (now_ns() > late) give_up("a first answer");
    }
  watch_for(warm_up_ms);
  Reading from = read_all(&plan, tallies);
  watch_for(measure_ms);
  Reading to = read_all(&plan, tallies);
  printf("{\"operations\":%llu,\"windowNs\":%lld", (unsigned long long)(to.operations - from.operations), (long long)(to.ns - from.ns));
  if (from.master_cpu_ns >= 0)
    printf(",\"masterCpuNs\":%lld,\"workersCpuNs\":%lld", (long long)(to.master_cpu_ns - from.master_cpu_ns),
           (long long)(to.workers_cpu_ns - from.workers_cpu_ns));
  printf("}\n");
  fflush(stdout);
  end_all(0);
}
