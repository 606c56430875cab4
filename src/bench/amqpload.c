// amqpload: a lean AMQP 0-9-1 load generator, so that what is measured is the broker and not the client.
//
// Publishers blast pre-encoded basic.publish frames; consumers only walk frame headers. One thread per
// publisher or consumer, blocking sockets. Prints one line of key=value figures.
//
//   cc -O2 -pthread -o amqpload amqpload.c
//   amqpload --port 5672 --queue q --publishers 1 --consumers 1 --size 1000 --messages 1000000
//            [--confirm WINDOW] [--persistent] [--durable] [--ack EVERY] [--prefetch N]
//            [--expiration MS] [--queues N] [--arg-int NAME=V]... [--arg-str NAME=V]... [--exchange X --key K]
//            [--no-declare] [--rate MSGS_PER_S] [--live N] [--pid BROKER_PID] [--timeout S]
//            [--keys N] [--copies N] [--expire-at UNIX_MS] [--priorities N]
//            [--tenants N] [--since-start]
//   amqpload --port 5672 --declares N        declares N queues one by one, each awaited, and prints the rate
//   amqpload --loopback --size N --messages N  what TCP alone carries between two threads of this machine
//   amqpload --relay --rate N ...            the run without a broker: a thread passes on what it gets, from one publisher to one consumer
//
// Each body starts with the send time (8 bytes, CLOCK_MONOTONIC ns), so latency is end to end on one machine.
// With --rate the run is open-loop: each message has its time, from the rate alone, and is sent as soon as that has come,
// however slow the broker is; the body starts with that time instead of the actual one. So latency (and that of confirms)
// counts from when a message should have gone, of every message and not of samples. send_late_us_max tells how late the
// generator itself was at worst; gap_us_max the longest that a consumer waited between two deliveries, or for the first one
// from when that should have gone.
// With --live N the publishers wait while N messages or more have been sent and not received.
// With --queues N there are queue-0 .. queue-(N-1), spread round robin over the publishers, and over the consumers; a thread
// that has several rotates over them, one that has none shares.
// With --keys N the publishers rotate over the routing keys KEY.0 .. KEY.(N-1); the bindings are somebody else's work.
// With --copies N every message is expected N times: an exchange that fans out.
// With --expire-at the expiration of each message is what is left until then, so that all expire together.
// With --priorities N messages have the priorities 0 .. N-1, mixed.
// With --tenants N messages have a header "tenant" with the numbers 0 .. N-1, mixed.
// With --since-start what was there before the run is consumed, and counts for nothing.
// SIGTERM or SIGINT ends a run early, with its figures.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct { uint8_t *p; size_t len, cap; } buf;
static void need(buf *b, size_t n) { if (b->len + n > b->cap) { b->cap = (b->len + n) * 2; b->p = realloc(b->p, b->cap); } }
static void raw(buf *b, const void *s, size_t n) { need(b, n); memcpy(b->p + b->len, s, n); b->len += n; }
static void u8(buf *b, uint8_t v) { raw(b, &v, 1); }
static void u16(buf *b, uint16_t v) { v = htons(v); raw(b, &v, 2); }
static void u32(buf *b, uint32_t v) { v = htonl(v); raw(b, &v, 4); }
static void u64(buf *b, uint64_t v) { u32(b, v >> 32); u32(b, (uint32_t)v); }
static void sstr(buf *b, const char *s) { u8(b, strlen(s)); raw(b, s, strlen(s)); }
static void lstr(buf *b, const char *s, size_t n) { u32(b, n); raw(b, s, n); }
static size_t frame_begin(buf *b, int type, int ch) { u8(b, type); u16(b, ch); u32(b, 0); return b->len; }
static void frame_end(buf *b, size_t start) { uint32_t n = htonl(b->len - start); memcpy(b->p + start - 4, &n, 4); u8(b, 0xCE); }

static const char *host = "127.0.0.1", *queue = "load", *exchange = "", *key = NULL, *user = "guest", *pass = "guest", *vhost = "/";
static int port = 5672, npub = 1, ncon = 1, size = 100, window = 0, persistent = 0, durable = 0, ack_every = 0, prefetch = 0,
           queues = 1, declare = 1, pid = 0, timeout_s = 120, keys = 0, loopback = 0, relayed = 0;
static const char *expiration = NULL;
static int priorities = 0, tenants = 0, since_start = 0;
static uint64_t started;
static long total = 1000000, rate = 0, live = 0, declares = 0, copies = 1, expire_at = 0;
static const char *iargs[16], *sargs[16]; static int niargs, nsargs;
static atomic_long sent, received, confirmed, nacked;
static atomic_ulong first_receive, send_late, worst_gap;
static atomic_int stop;
enum { TIMED_OUT = 1, ASKED = 2 };
#define FRAME_MAX 131072
#define TICK_NS 20000 // an open-loop publisher writes no more often than this: what has become due meanwhile goes together

static uint64_t now_ns(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static void raise_to(atomic_ulong *most, uint64_t v) { unsigned long m = *most; while (v > m && !atomic_compare_exchange_weak(most, &m, v)) {} }
static void sleep_until(uint64_t t) { struct timespec ts = {t / 1000000000, t % 1000000000}; clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL); }
static void die(const char *f, ...) { va_list a; va_start(a, f); fprintf(stderr, "amqpload: "); vfprintf(stderr, f, a); fprintf(stderr, "\n"); exit(1); }

// --- connection ---
typedef struct { int fd; uint8_t *in; size_t start, end, cap; } conn;
static void send_all(conn *c, const uint8_t *p, size_t n) { while (n) { ssize_t w = send(c->fd, p, n, MSG_NOSIGNAL); if (w < 0) { if (errno == EINTR) continue; die("send: %s", strerror(errno)); } p += w; n -= w; } }
// Makes one whole frame available; returns its type or -1 on end of stream. Payload at *pl, *n bytes.
static int next_frame(conn *c, int *ch, uint8_t **pl, uint32_t *n) {
  for (;;) {
    size_t have = c->end - c->start;
    if (have >= 7) {
      uint8_t *f = c->in + c->start; uint32_t sz; memcpy(&sz, f + 3, 4); sz = ntohl(sz);
      if (have >= sz + 8ul) {
        if (f[sz + 7] != 0xCE) die("bad frame end");
        *ch = f[1] << 8 | f[2]; *pl = f + 7; *n = sz; c->start += sz + 8; return f[0];
      }
      if (sz + 8ul > c->cap - c->start) { memmove(c->in, f, have); c->start = 0; c->end = have; if (sz + 8ul > c->cap) { c->cap = sz + 8 + 65536; c->in = realloc(c->in, c->cap); } }
    } else if (c->start) { memmove(c->in, c->in + c->start, have); c->start = 0; c->end = have; }
    ssize_t r = recv(c->fd, c->in + c->end, c->cap - c->end, 0);
    if (r < 0 && errno == EINTR) continue;
    if (r < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return -2;
    if (r <= 0) return -1;
    c->end += r;
  }
}
static void expect(conn *c, int cls, int mth) {
  int ch; uint8_t *p; uint32_t n;
  for (;;) {
    int t = next_frame(c, &ch, &p, &n);
    if (t == 8 || t == -2 && !stop) continue; // -2: a slow broker has not answered within the timeout of one read
    if (t < 0) die("connection closed while waiting for %d.%d", cls, mth);
    int gc = p[0] << 8 | p[1], gm = p[2] << 8 | p[3];
    if (t == 1 && gc == cls && gm == mth) return;
    if (t == 1 && (gm == 50 && gc == 10 || gm == 40 && gc == 20)) die("closed by broker: %d %.*s", p[4] << 8 | p[5], p[6], p + 7);
  }
}
static void flush(conn *c, buf *b) { send_all(c, b->p, b->len); b->len = 0; }
static conn *dial(void) {
  conn *c = calloc(1, sizeof *c); c->cap = 1 << 20; c->in = malloc(c->cap); c->fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)}; inet_pton(AF_INET, host, &a.sin_addr);
  if (connect(c->fd, (void *)&a, sizeof a)) die("connect %s:%d: %s", host, port, strerror(errno));
  int one = 1; setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  buf b = {0}; raw(&b, "AMQP\0\0\x09\x01", 8); flush(c, &b); expect(c, 10, 10);
  size_t s = frame_begin(&b, 1, 0); u16(&b, 10); u16(&b, 11); u32(&b, 0); sstr(&b, "PLAIN");
  char r[256]; int rn = snprintf(r, sizeof r, "%c%s%c%s", 0, user, 0, pass); lstr(&b, r, rn); sstr(&b, "en_US"); frame_end(&b, s); flush(c, &b);
  expect(c, 10, 30);
  s = frame_begin(&b, 1, 0); u16(&b, 10); u16(&b, 31); u16(&b, 2047); u32(&b, FRAME_MAX); u16(&b, 0); frame_end(&b, s);
  s = frame_begin(&b, 1, 0); u16(&b, 10); u16(&b, 40); sstr(&b, vhost); u8(&b, 0); u8(&b, 0); frame_end(&b, s); flush(c, &b); expect(c, 10, 41);
  s = frame_begin(&b, 1, 1); u16(&b, 20); u16(&b, 10); u8(&b, 0); frame_end(&b, s); flush(c, &b); expect(c, 20, 11);
  free(b.p); return c;
}
static void declare_queue(conn *c, const char *q) {
  buf b = {0}, t = {0};
  for (int i = 0; i < niargs; i++) { char k[128]; const char *e = strchr(iargs[i], '='); snprintf(k, sizeof k, "%.*s", (int)(e - iargs[i]), iargs[i]); sstr(&t, k); u8(&t, 'l'); u64(&t, atoll(e + 1)); }
  for (int i = 0; i < nsargs; i++) { char k[128]; const char *e = strchr(sargs[i], '='); snprintf(k, sizeof k, "%.*s", (int)(e - sargs[i]), sargs[i]); sstr(&t, k); u8(&t, 'S'); lstr(&t, e + 1, strlen(e + 1)); }
  size_t s = frame_begin(&b, 1, 1); u16(&b, 50); u16(&b, 10); u16(&b, 0); sstr(&b, q); u8(&b, durable ? 2 : 0); lstr(&b, t.p ? (char *)t.p : "", t.len); frame_end(&b, s); flush(c, &b); expect(c, 50, 11);
  if (*exchange) { s = frame_begin(&b, 1, 1); u16(&b, 50); u16(&b, 20); u16(&b, 0); sstr(&b, q); sstr(&b, exchange); sstr(&b, key ? key : q); u8(&b, 0); u32(&b, 0); frame_end(&b, s); flush(c, &b); expect(c, 50, 21); }
  free(b.p); free(t.p);
}

// --- latency histogram: 64 sub-buckets per power of two ---
#define NB (64 * 64)
static atomic_long hist[NB], confirm_hist[NB];
static int bucket(uint64_t v) { if (v < 64) return v; int e = 63 - __builtin_clzll(v); return (e - 5) * 64 + (int)((v >> (e - 6)) & 63); }
static uint64_t unbucket(int i) { if (i < 64) return i; int e = i / 64 + 5; return (1ull << e) + ((uint64_t)(i % 64) << (e - 6)); }
static double pct(atomic_long *h, double p) { long n = 0, k = 0; for (int i = 0; i < NB; i++) n += h[i]; if (!n) return 0; for (int i = 0; i < NB; i++) { k += h[i]; if (k >= n * p) return unbucket(i) / 1000.0; } return 0; }
static void print_latency(const char *name, atomic_long *h) { printf(" %s_us_p50=%.0f %s_us_p99=%.0f %s_us_p999=%.0f %s_us_max=%.0f", name, pct(h, .5), name, pct(h, .99), name, pct(h, .999), name, pct(h, 1)); }

static void qname(char *out, int i) { if (queues > 1) sprintf(out, "%s-%d", queue, i % queues); else strcpy(out, queue); }
// How many queues one of n threads has: its j-th is number id + j * n.
static int own_queues(int id, int n) { return queues > n ? (queues - id + n - 1) / n : 1; }

typedef struct { conn *c; int id; long n; uint64_t t0; double every; atomic_long conf; } pub;
static void *confirm_reader(void *arg) {
  // Confirms may come out of order, and one of many may cover what had its own: each message counts once.
  pub *p = arg; int ch; uint8_t *pl; uint32_t n; uint8_t *seen = calloc(p->n + 1, 1); long floor = 0;
  while (p->conf < p->n) {
    int t = next_frame(p->c, &ch, &pl, &n);
    if (t < 0) break;
    if (t != 1 || (pl[0] << 8 | pl[1]) != 60) { if (t == 1 && (pl[0] << 8 | pl[1]) != 60) die("publisher closed: %d %.*s", pl[4] << 8 | pl[5], pl[6], pl + 7); continue; }
    int m = pl[2] << 8 | pl[3];
    if (m != 80 && m != 120) continue;
    uint64_t tag = 0; for (int i = 0; i < 8; i++) tag = tag << 8 | pl[4 + i];
    long first = tag, d = 0; if (pl[12] & 1) { first = floor + 1; floor = tag; }
    uint64_t now = rate ? now_ns() : 0;
    for (long i = first; i <= (long)tag; i++) if (!seen[i]) { seen[i] = 1; d++; if (rate) confirm_hist[bucket(now - p->t0 - (uint64_t)((i - 1) * p->every))]++; }
    p->conf += d; confirmed += d; if (m == 120) nacked += d;
  }
  free(seen); return NULL;
}
// Appends a message; tells where its body starts, and the digits of its expiration.
static _Thread_local unsigned encoded;
static void encode(buf *b, const char *rk, size_t *body, size_t *digits) {
  size_t s = frame_begin(b, 1, 1); u16(b, 60); u16(b, 40); u16(b, 0); sstr(b, exchange); sstr(b, rk); u8(b, 0); frame_end(b, s);
  s = frame_begin(b, 2, 1); u16(b, 60); u16(b, 0); u64(b, size); u16(b, 0x1000 | (tenants ? 0x2000 : 0) | (priorities ? 0x0800 : 0) | (expiration ? 0x0100 : 0)); if (tenants) { u32(b, 16); sstr(b, "tenant"); u8(b, 'l'); u64(b, (encoded++ * 2654435761u >> 8) % tenants); } u8(b, persistent ? 2 : 1); if (priorities) u8(b, (encoded++ * 2654435761u >> 8) % priorities); if (expiration) sstr(b, expiration); *digits = b->len - 6; frame_end(b, s);
  for (int left = size; left > 0; ) { int part = left < FRAME_MAX - 8 ? left : FRAME_MAX - 8; s = frame_begin(b, 3, 1); if (left == size) *body = b->len; need(b, part); memset(b->p + b->len, 'x', part); b->len += part; frame_end(b, s); left -= part; }
}
static void *publisher(void *arg) {
  pub *p = arg; char rk[300]; int own = own_queues(p->id, npub); long cycle = keys ? keys : own; size_t body, digits;
  buf all = {0}; encode(&all, queue, &body, &digits);
  long batch = 262144 / all.len; if (batch < 1) batch = 1; if (batch > p->n) batch = p->n; if (window && batch > window / 2) batch = window / 2 ? window / 2 : 1;
  if (live && batch > live / (2 * npub)) batch = live / (2 * npub) ? live / (2 * npub) : 1;
  long slots = (batch + cycle - 1) / cycle * cycle, slot = 0, done = 0; size_t *at = calloc(slots + 1, sizeof *at), *bodies = calloc(slots, sizeof *bodies), *expires = calloc(slots, sizeof *expires);
  all.len = 0;
  for (long i = 0; i < slots; i++) {
    if (keys) snprintf(rk, sizeof rk, "%s.%ld", key ? key : queue, i % keys); else if (*exchange && key) snprintf(rk, sizeof rk, "%s", key); else qname(rk, p->id + i % own * npub);
    at[i] = all.len; encode(&all, rk, &bodies[i], &expires[i]); at[i + 1] = all.len;
  }
  prctl(PR_SET_TIMERSLACK, 1); p->t0 = now_ns(); p->every = rate ? 1e9 * npub / rate : 0;
  pthread_t rd; if (window) pthread_create(&rd, NULL, confirm_reader, p);
  uint64_t last = 0;
  while (done < p->n && !stop) {
    long k = batch < p->n - done ? batch : p->n - done; if (k > slots - slot) k = slots - slot;
    if (rate) {
      uint64_t due = p->t0 + (uint64_t)(done * p->every), start = due > last + TICK_NS ? due : last + TICK_NS, n = now_ns();
      if (start > n) { sleep_until(start); n = now_ns(); }
      raise_to(&send_late, n - start); last = n; long ready = (long)((n - p->t0) / p->every) + 1 - done; if (ready < k) k = ready < 1 ? 1 : ready;
    }
    if (window) while (done + k - p->conf > window && !stop) { struct timespec ts = {0, 20000}; nanosleep(&ts, NULL); }
    if (live) while (sent + k - received > live && !stop) { struct timespec ts = {0, 20000}; nanosleep(&ts, NULL); }
    if (expire_at) { struct timespec w; clock_gettime(CLOCK_REALTIME, &w); long left = expire_at - w.tv_sec * 1000 - w.tv_nsec / 1000000; char text[32]; snprintf(text, sizeof text, "%06ld", left < 1 ? 1 : left > 999999 ? 999999 : left); for (long i = slot; i < slot + k; i++) memcpy(all.p + expires[i], text, 6); }
    if (size >= 8) { uint64_t t = now_ns(); for (long i = 0; i < k; i++) { if (rate) t = p->t0 + (uint64_t)((done + i) * p->every); memcpy(all.p + bodies[slot + i], &t, 8); } }
    send_all(p->c, all.p + at[slot], at[slot + k] - at[slot]); done += k; sent += k; slot += k; if (slot == slots) slot = 0;
  }
  if (window) pthread_join(rd, NULL);
  return NULL;
}
typedef struct { int id; long n; conn *c; } con;
static void *consumer(void *arg) {
  con *k = arg; conn *c = k->c; int ch; uint8_t *p; uint32_t n; uint64_t tag = 0, left = 0, last = 0; long since = 0, local = 0; int old = 0; buf b = {0};
  while (!stop && received < total * copies) {
    int t = next_frame(c, &ch, &p, &n);
    if (t == -2) continue;
    if (t < 0) { if (!stop) die("consumer connection closed"); break; }
    if (t == 1) {
      int cls = p[0] << 8 | p[1], m = p[2] << 8 | p[3];
      if (cls == 60 && m == 60) { uint8_t *d = p + 4; d += 1 + d[0]; tag = 0; for (int i = 0; i < 8; i++) tag = tag << 8 | d[i]; }
      else if ((cls == 10 && m == 50) || (cls == 20 && m == 40)) die("consumer closed: %d %.*s", p[4] << 8 | p[5], p[6], p + 7);
      continue;
    }
    if (t == 2) { left = 0; for (int i = 0; i < 8; i++) left = left << 8 | p[4 + i]; if (left) continue; }
    else if (t == 3) { if (left == (uint64_t)size && size >= 8) { uint64_t ts; memcpy(&ts, p, 8); old = since_start && ts < started; if (!old) { if (rate || (local & 15) == 0) { uint64_t t = now_ns(); hist[bucket(t - ts)]++; if (rate) { raise_to(&worst_gap, t - (last ? last : ts)); last = t; } } } } left -= n; if (left) continue; }
    else continue;
    if (!local++ && !first_receive) first_receive = now_ns();
    if (!old) received++;
    if (ack_every && ++since >= ack_every) { since = 0; size_t s = frame_begin(&b, 1, 1); u16(&b, 60); u16(&b, 80); u64(&b, tag); u8(&b, 1); frame_end(&b, s); flush(c, &b); }
  }
  if (ack_every && since) { size_t s = frame_begin(&b, 1, 1); u16(&b, 60); u16(&b, 80); u64(&b, tag); u8(&b, 1); frame_end(&b, s); flush(c, &b); }
  return NULL;
}
static double cpu_s(void) { if (!pid) return 0; char f[64]; sprintf(f, "/proc/%d/stat", pid); FILE *h = fopen(f, "r"); if (!h) return 0; char l[2048]; if (!fgets(l, sizeof l, h)) l[0] = 0; fclose(h); char *p = strrchr(l, ')'); unsigned long u = 0, s = 0; if (p) sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &u, &s); return (u + s) / (double)sysconf(_SC_CLK_TCK); }
static long rss_mb(void) { if (!pid) return 0; char f[64]; sprintf(f, "/proc/%d/status", pid); FILE *h = fopen(f, "r"); if (!h) return 0; char l[256]; long kb = 0; while (fgets(l, sizeof l, h)) if (sscanf(l, "VmRSS: %ld", &kb) == 1) break; fclose(h); return kb / 1024; }

// Two ends of a TCP connection within this process.
static int pair(int *in) {
  int l = socket(AF_INET, SOCK_STREAM, 0), out = socket(AF_INET, SOCK_STREAM, 0), one = 1; struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}; socklen_t n = sizeof a;
  if (bind(l, (void *)&a, n) || listen(l, 1) || getsockname(l, (void *)&a, &n) || connect(out, (void *)&a, n)) die("loopback: %s", strerror(errno));
  *in = accept(l, NULL, NULL); close(l); setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one); return out;
}
// What TCP alone carries: one thread sends, one receives.
static void *drain(void *arg) { int fd = *(int *)arg; char *b = malloc(1 << 20); while (recv(fd, b, 1 << 20, 0) > 0) {} return NULL; }
static void run_loopback(void) {
  int in; conn c = {.fd = pair(&in)}; pthread_t th; pthread_create(&th, NULL, drain, &in);
  uint8_t *b = calloc(1, size); uint64_t t0 = now_ns();
  for (long i = 0; i < total; i++) send_all(&c, b, size);
  close(c.fd); pthread_join(th, NULL); double el = (now_ns() - t0) / 1e9;
  printf("messages=%ld seconds=%.3f bytes_per_s=%.0f\n", total, el, total * (double)size / el);
}
// The least that a broker could do: what comes from one end of it leaves at the other. It tells what the machine adds by itself.
typedef struct { int in; conn out; } relay;
static void *pass_on(void *arg) { relay *r = arg; uint8_t *b = malloc(1 << 18); ssize_t n; while ((n = recv(r->in, b, 1 << 18, 0)) > 0) send_all(&r->out, b, n); return NULL; }
static conn *connect_relay(conn **consumer) {
  relay *r = calloc(1, sizeof *r); conn *from = calloc(1, sizeof *from), *to = calloc(1, sizeof *to); from->fd = pair(&r->in); r->out.fd = pair(&to->fd); to->cap = 1 << 18; to->in = malloc(to->cap);
  struct timeval tv = {1, 0}; setsockopt(to->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
  pthread_t th; pthread_create(&th, NULL, pass_on, r); *consumer = to; return from;
}
static void ask(int signal) { (void)signal; stop = ASKED; }

int main(int argc, char **argv) {
  static struct option o[] = {{"host",1,0,1},{"port",1,0,2},{"queue",1,0,3},{"publishers",1,0,4},{"consumers",1,0,5},{"size",1,0,6},{"messages",1,0,7},{"confirm",1,0,8},{"persistent",0,0,9},{"durable",0,0,10},{"ack",1,0,11},{"prefetch",1,0,12},{"expiration",1,0,13},{"queues",1,0,14},{"arg-int",1,0,15},{"arg-str",1,0,16},{"exchange",1,0,17},{"key",1,0,18},{"no-declare",0,0,19},{"rate",1,0,20},{"pid",1,0,21},{"timeout",1,0,22},{"user",1,0,23},{"password",1,0,24},{"vhost",1,0,25},{"declares",1,0,26},{"live",1,0,27},{"keys",1,0,28},{"copies",1,0,29},{"expire-at",1,0,30},{"loopback",0,0,31},{"relay",0,0,32},{"priorities",1,0,33},{"tenants",1,0,34},{"since-start",0,0,35},{0}};
  int ch; while ((ch = getopt_long(argc, argv, "", o, NULL)) != -1) switch (ch) {
    case 1: host = optarg; break; case 2: port = atoi(optarg); break; case 3: queue = optarg; break; case 4: npub = atoi(optarg); break; case 5: ncon = atoi(optarg); break;
    case 6: size = atoi(optarg); break; case 7: total = atol(optarg); break; case 8: window = atoi(optarg); break; case 9: persistent = 1; break; case 10: durable = 1; break;
    case 11: ack_every = atoi(optarg); break; case 12: prefetch = atoi(optarg); break; case 13: expiration = optarg; break; case 14: queues = atoi(optarg); break;
    case 15: iargs[niargs++] = optarg; break; case 16: sargs[nsargs++] = optarg; break; case 17: exchange = optarg; break; case 18: key = optarg; break; case 19: declare = 0; break;
    case 20: rate = atol(optarg); break; case 21: pid = atoi(optarg); break; case 22: timeout_s = atoi(optarg); break; case 23: user = optarg; break; case 24: pass = optarg; break; case 25: vhost = optarg; break; case 26: declares = atol(optarg); break; case 27: live = atol(optarg); break;
    case 28: keys = atoi(optarg); break; case 29: copies = atol(optarg); break; case 30: expire_at = atol(optarg); expiration = "000000"; break; case 31: loopback = 1; break; case 32: relayed = 1; declare = 0; npub = ncon = 1; window = 0; break;
    case 33: priorities = atoi(optarg); break;
    case 34: tenants = atoi(optarg); break;
    case 35: since_start = 1; break;
    default: return 2; }
  started = now_ns();
  if (loopback) { run_loopback(); return 0; }
  struct rlimit files; getrlimit(RLIMIT_NOFILE, &files); files.rlim_cur = files.rlim_max; setrlimit(RLIMIT_NOFILE, &files);
  signal(SIGTERM, ask); signal(SIGINT, ask);
  char q[300];
  if (declares) {
    conn *c = dial(); uint64_t t0 = now_ns(); double c0 = cpu_s();
    for (long i = 0; i < declares; i++) { snprintf(q, sizeof q, "%s-%ld", queue, i); declare_queue(c, q); }
    double el = (now_ns() - t0) / 1e9;
    printf("declares=%ld seconds=%.3f declares_per_s=%.0f", declares, el, declares / el);
    if (pid) printf(" broker_cpu_us_per_declare=%.2f", (cpu_s() - c0) * 1e6 / declares);
    printf("\n"); exit(0);
  }
  if (declare) { conn *c = dial(); for (int i = 0; i < queues; i++) { qname(q, i); declare_queue(c, q); } close(c->fd); }
  pthread_t th[npub + ncon]; pub ps[npub + 1]; con cs[ncon + 1];
  if (relayed) { ps[0] = (pub){.n = total}; cs[0] = (con){0}; ps[0].c = connect_relay(&cs[0].c); }
  for (int i = 0; i < ncon && !relayed; i++) {
    conn *c = dial(); buf b = {0}; size_t s; int own = own_queues(i, ncon);
    struct timeval tv = {1, 0}; setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
    if (prefetch) { s = frame_begin(&b, 1, 1); u16(&b, 60); u16(&b, 10); u32(&b, 0); u16(&b, prefetch); u8(&b, 0); frame_end(&b, s); flush(c, &b); expect(c, 60, 11); }
    for (int j = 0; j < own; j++) { qname(q, i + j * ncon); s = frame_begin(&b, 1, 1); u16(&b, 60); u16(&b, 20); u16(&b, 0); sstr(&b, q); sstr(&b, ""); u8(&b, ack_every ? 0 : 2); u32(&b, 0); frame_end(&b, s); }
    flush(c, &b); if (own == 1 || npub) for (int j = 0; j < own; j++) expect(c, 60, 21); // a backlog of several queues comes in between
    free(b.p); cs[i] = (con){.id = i, .c = c};
  }
  for (int i = 0; i < npub && !relayed; i++) { conn *c = dial(); if (window) { buf b = {0}; size_t s = frame_begin(&b, 1, 1); u16(&b, 85); u16(&b, 10); u8(&b, 0); frame_end(&b, s); flush(c, &b); expect(c, 85, 11); free(b.p); } ps[i] = (pub){.c = c, .id = i, .n = total / npub}; }
  if (npub) total = total / npub * npub;
  uint64_t t0 = now_ns(), tsent = 0, trecv = 0, tconf = 0; double c0 = cpu_s();
  for (int i = 0; i < ncon; i++) pthread_create(&th[npub + i], NULL, consumer, &cs[i]);
  for (int i = 0; i < npub; i++) pthread_create(&th[i], NULL, publisher, &ps[i]);
  for (;;) {
    struct timespec ts = {0, 2000000}; nanosleep(&ts, NULL); uint64_t t = now_ns();
    if (!tsent && (!npub || sent >= total)) tsent = t;
    if (!tconf && (!npub || !window || confirmed >= total)) tconf = t;
    if (!trecv && (!ncon || received >= total * copies)) trecv = t;
    if ((tsent && tconf && trecv) || stop) break;
    if (t - t0 > timeout_s * 1000000000ull) { stop = TIMED_OUT; fprintf(stderr, "amqpload: timed out after %d s\n", timeout_s); break; }
  }
  // A publish-only run without confirms ends when the broker has taken all bytes: ask it something and wait.
  if (npub && !window && !relayed && !stop) for (int i = 0; i < npub; i++) { pthread_join(th[i], NULL); buf b = {0}; size_t s = frame_begin(&b, 1, 1); u16(&b, 20); u16(&b, 40); u16(&b, 200); sstr(&b, ""); u16(&b, 0); u16(&b, 0); frame_end(&b, s); flush(ps[i].c, &b); expect(ps[i].c, 20, 41); free(b.p); }
  uint64_t t1 = now_ns(); double c1 = cpu_s(); double el = (t1 - t0) / 1e9; long msgs = ncon ? received : sent;
  printf("messages=%ld seconds=%.3f sent_per_s=%.0f", msgs, el, sent / el);
  if (ncon) { printf(" received=%ld received_per_s=%.0f first_receive_s=%.3f", (long)received, received / el, first_receive ? (first_receive - t0) / 1e9 : 0); print_latency("latency", hist); }
  if (window) printf(" confirmed_per_s=%.0f nacked=%ld", confirmed / el, (long)nacked);
  if (rate) { if (window) print_latency("confirm", confirm_hist); printf(" send_late_us_max=%.0f gap_us_max=%.0f", send_late / 1e3, worst_gap / 1e3); }
  if (pid) printf(" broker_cpu_s=%.2f broker_cpu_us_per_msg=%.2f broker_rss_mb=%ld", c1 - c0, (c1 - c0) * 1e6 / (msgs ? msgs : 1), rss_mb());
  printf("\n"); exit(stop == TIMED_OUT ? 1 : 0);
}
