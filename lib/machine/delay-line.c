/* Emulates a network between two new network namespaces. Each end has a TUN device. A packet that leaves one end arrives at the other
 * after the delay, and after the time that its bytes take at the rate. TCP stays end to end. The network is invisible outside of the
 * namespaces, and ends with its processes.
 *   delay-line line COUNTERS DELAY_NS BITS_PER_SECOND    makes both ends, prints "ready MTU", carries packets until it is ended
 *   delay-line enter NAMESPACE ... -- COMMAND ...        runs a command in namespaces, given as files of /proc
 *   delay-line ping ADDRESS                              prints the median round-trip time in ns */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MTU = 1500, SLOTS = 16384, QUEUE = 1000 }; /* QUEUE: full packets that may wait, as in queues of Linux */
enum { FIRST_END = 10, STEP_NS = 5000, STEPS = 400 }; /* FIRST_END: descriptor of the first namespace, for setns() of other processes */
enum { PINGS = 11, PINGS_TAKE_NS = 300000000, PING_SECONDS = 2 };

typedef struct { int64_t due; uint16_t bytes; char data[MTU]; } Packet;
typedef struct { int from, to; int64_t free_at; uint32_t head, tail; Packet *slots; } Way;
/* Other processes read the counters while packets are carried. late[n] counts packets that were n to n + 1 steps of STEP_NS late; the last
 * element counts all later ones. */
static volatile struct { uint64_t carried, dropped, late_ns, late[STEPS + 1]; } *counters;

static void give_up(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void put(const char *path, const char *format, unsigned id) {
  int file = open(path, O_WRONLY);
  if (file < 0 || dprintf(file, format, id) < 0) give_up(path);
  close(file);
}

/* A user who is not root becomes root in a new user namespace, which may have network namespaces. */
static void become_root(void) {
  unsigned user = geteuid(), group = getegid();
  if (user == 0) return;
  if (unshare(CLONE_NEWUSER) < 0) give_up("a user namespace");
  put("/proc/self/setgroups", "deny", 0);
  put("/proc/self/uid_map", "0 %u 1", user);
  put("/proc/self/gid_map", "0 %u 1", group);
}

static void set(int control, unsigned long what, const char *device, const char *address, int flags) {
  struct ifreq request = {.ifr_flags = flags};
  strncpy(request.ifr_name, device, IFNAMSIZ - 1);
  if (address != NULL) {
    struct sockaddr_in *socket_address = (struct sockaddr_in *)&request.ifr_addr;
    socket_address->sin_family = AF_INET;
    inet_pton(AF_INET, address, &socket_address->sin_addr);
  }
  if (ioctl(control, what, &request) < 0) give_up(device);
}

/* A network namespace for this process, with one device beside the loopback; returns the descriptor of the device. */
static int new_end(const char *address) {
  if (unshare(CLONE_NEWNET) < 0) give_up("a network namespace");
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0) give_up("/dev/net/tun");
  struct ifreq request = {.ifr_name = "line", .ifr_flags = IFF_TUN | IFF_NO_PI};
  if (ioctl(tun, TUNSETIFF, &request) < 0) give_up("a TUN device");
  int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  set(control, SIOCSIFADDR, "line", address, 0);
  set(control, SIOCSIFNETMASK, "line", "255.255.255.252", 0);
  set(control, SIOCSIFFLAGS, "line", NULL, IFF_UP | IFF_RUNNING | IFF_MULTICAST);
  set(control, SIOCSIFFLAGS, "lo", NULL, IFF_UP | IFF_RUNNING);
  close(control);
  return tun;
}

static void take_in(Way *way, int64_t delay_ns, double ns_per_byte) {
  for (;;) {
    Packet *packet = &way->slots[way->tail % SLOTS];
    ssize_t bytes = read(way->from, packet->data, MTU);
    if (bytes <= 0) return;
    int64_t now = now_ns(), starts = way->free_at > now ? way->free_at : now;
    if (way->tail - way->head == SLOTS - 1 || starts - now > QUEUE * MTU * ns_per_byte) {
      counters->dropped++;
      continue;
    }
    way->free_at = starts + (int64_t)(bytes * ns_per_byte);
    packet->due = way->free_at + delay_ns;
    packet->bytes = bytes;
    way->tail++;
  }
}

/* Writes the packets that are due. Returns the time in ns at which the next packet is due, or INT64_MAX if none waits. */
static int64_t let_out(Way *way) {
  while (way->head != way->tail) {
    Packet *packet = &way->slots[way->head % SLOTS];
    int64_t late = now_ns() - packet->due;
    if (late < 0) return packet->due;
    if (write(way->to, packet->data, packet->bytes) == packet->bytes) counters->carried++;
    else counters->dropped++;
    counters->late_ns += late;
    counters->late[late / STEP_NS < STEPS ? late / STEP_NS : STEPS]++;
    way->head++;
  }
  return INT64_MAX;
}

_Noreturn static void carry(Way *ways, int64_t delay_ns, double ns_per_byte) {
  struct pollfd polled[] = {{ways[0].from, POLLIN, 0}, {ways[1].from, POLLIN, 0}};
  for (;;) {
    int64_t first = let_out(&ways[0]), second = let_out(&ways[1]);
    int64_t next = first < second ? first : second, wait = next - now_ns();
    struct timespec timeout = {wait / 1000000000, wait % 1000000000};
    if (wait > 0 && ppoll(polled, 2, next == INT64_MAX ? NULL : &timeout, NULL) < 0 && errno != EINTR) give_up("ppoll");
    for (int way = 0; way < 2; way++) take_in(&ways[way], delay_ns, ns_per_byte);
  }
}

static int by_size(const void *one, const void *other) {
  int64_t left = *(const int64_t *)one, right = *(const int64_t *)other;
  return (left > right) - (left < right);
}

/* The kernel at the other end responds, so the round trip contains no program. */
static int ping(const char *address) {
  struct sockaddr_in socket_address = {.sin_family = AF_INET};
  struct timeval patience = {PING_SECONDS, 0};
  char reply[MTU];
  int64_t took[PINGS], began = now_ns();
  int count = 0, raw = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
  inet_pton(AF_INET, address, &socket_address.sin_addr);
  if (raw < 0 || connect(raw, (struct sockaddr *)&socket_address, sizeof socket_address) < 0) give_up("a socket for ping");
  setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  for (; count < PINGS && now_ns() - began < PINGS_TAKE_NS; count++) {
    struct icmphdr asked = {.type = ICMP_ECHO, .un.echo = {htons(getpid() & 0xffff), htons(count)}}, *answer;
    uint32_t sum = (asked.type & 0xff) + asked.un.echo.id + asked.un.echo.sequence;
    asked.checksum = ~((sum & 0xffff) + (sum >> 16));
    int64_t sent = now_ns();
    if (send(raw, &asked, sizeof asked, 0) < 0) give_up("ping");
    do {
      if (recv(raw, reply, sizeof reply, 0) < 0) give_up("no answer to a ping");
      answer = (struct icmphdr *)(reply + 4 * ((struct iphdr *)reply)->ihl);
    } while (answer->type != ICMP_ECHOREPLY || answer->un.echo.sequence != asked.un.echo.sequence);
    took[count] = now_ns() - sent;
  }
  qsort(took, count, sizeof *took, by_size);
  printf("%lld\n", (long long)took[count / 2]);
  return 0;
}

_Noreturn static void run_line(char **words) {
  int64_t delay_ns = atoll(words[1]);
  double bits_per_second = atof(words[2]);
  int file = open(words[0], O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof *counters) < 0) give_up(words[0]);
  counters = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counters == MAP_FAILED) give_up(words[0]);
  prctl(PR_SET_TIMERSLACK, 1);
  /* Real-time priority, as interrupts of a network card have. If it is not allowed, packets may be late, which is counted. */
  sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
  become_root();
  int first = new_end("10.255.0.1");
  int space = open("/proc/self/ns/net", O_RDONLY);
  if (space < 0 || dup2(space, FIRST_END) < 0) give_up("/proc/self/ns/net");
  int second = new_end("10.255.0.2");
  Way ways[] = {{first, second, 0, 0, 0, calloc(SLOTS, sizeof(Packet))}, {second, first, 0, 0, 0, calloc(SLOTS, sizeof(Packet))}};
  if (ways[0].slots == NULL || ways[1].slots == NULL) give_up("memory");
  printf("ready %d\n", MTU);
  fflush(stdout);
  carry(ways, delay_ns, bits_per_second > 0 ? 8e9 / bits_per_second : 0);
}

int main(int count, char **words) {
  if (count == 5 && strcmp(words[1], "line") == 0) run_line(words + 2);
  if (count == 3 && strcmp(words[1], "ping") == 0) return ping(words[2]);
  int word = 2;
  for (; word < count && strcmp(words[word], "--") != 0; word++) {
    int space = open(words[word], O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, 0) < 0) give_up(words[word]);
  }
  if (word + 1 >= count) return 2;
  execvp(words[word + 1], words + word + 1);
  give_up(words[word + 1]);
}
