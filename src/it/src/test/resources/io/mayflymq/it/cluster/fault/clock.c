/*
 * The clock of a node: what the system says, and an offset. The offset in milliseconds is in a file of
 * eight bytes, named by MAYFLY_IT_CLOCK, which may change at any time. Only the time of day is changed:
 * clocks that measure durations are those of the system.
 *
 *     cc -shared -fPIC -O2 -o clock.so clock.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NANOS_PER_SECOND 1000000000LL

static int (*system_clock_gettime)(clockid_t, struct timespec *);
static const volatile int64_t no_offset;
static const volatile int64_t *offset_millis = &no_offset;

__attribute__((constructor)) static void begin(void) {
  system_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("MAYFLY_IT_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return;
  }
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) {
    offset_millis = mapped;
  }
}

int clock_gettime(clockid_t clock, struct timespec *result) {
  if (system_clock_gettime == NULL) {
    begin(); /* Another library's constructor came first. */
  }
  int code = system_clock_gettime(clock, result);
  if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t nanos = result->tv_nsec + *offset_millis % 1000 * 1000000;
    int64_t carried = nanos < 0 ? -1 : nanos / NANOS_PER_SECOND;
    result->tv_sec += *offset_millis / 1000 + carried;
    result->tv_nsec = nanos - carried * NANOS_PER_SECOND;
  }
  return code;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int code = clock_gettime(CLOCK_REALTIME, &now);
  if (code == 0) {
    result->tv_sec = now.tv_sec;
    result->tv_usec = now.tv_nsec / 1000;
  }
  return code;
}

time_t time(time_t *result) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) {
    return (time_t)-1;
  }
  if (result != NULL) {
    *result = now.tv_sec;
  }
  return now.tv_sec;
}
