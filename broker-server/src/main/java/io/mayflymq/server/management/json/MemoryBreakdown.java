package io.mayflymq.server.management.json;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.memory.DirectMemory;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What takes the memory of the process, under RabbitMQ's names. What has no counterpart here is 0.
 *
 * <p>The parts of the heap are known by estimate, so what is left of it is {@code other_proc}. The
 * total of RabbitMQ's runtime is the memory that Java uses: heap, classes, compiled code, and
 * buffers outside of the heap.
 */
public final class MemoryBreakdown {
  /** Names of 4.3.6 that mean something of Erlang only. */
  private static final List<String> NOT_HERE =
      List.of(
          "connection_readers",
          "connection_writers",
          "connection_channels",
          "stream_queue_procs",
          "stream_queue_replica_reader_procs",
          "stream_queue_coordinator_procs",
          "quorum_queue_procs",
          "quorum_queue_dlx_procs",
          "plugins",
          "metadata_store",
          "metrics",
          "mgmt_db",
          "quorum_ets",
          "mnesia",
          "metadata_store_ets",
          "other_ets",
          "msg_index",
          "atom",
          "other_system");

  private MemoryBreakdown() {}

  /**
   * Returns it, in bytes.
   *
   * @param connections what is held for connections
   * @param queues about what messages take, in the heap and outside of it
   */
  public static Map<String, Object> of(long connections, long queues) {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    MemoryUsage heap = memory.getHeapMemoryUsage();
    MemoryUsage code = memory.getNonHeapMemoryUsage();
    long buffers = DirectMemory.usedBytes() + mapped();
    long used = heap.getUsed() + code.getUsed() + buffers;
    long allocated = heap.getCommitted() + code.getCommitted() + buffers;
    long resident = Node.memoryUsed();
    long inHeap = Math.max(0, queues - DirectMemory.blockBytes());
    Map<String, Object> object =
        Json.object("connection_other", connections, "queue_procs", inHeap);
    NOT_HERE.forEach(name -> object.put(name, 0));
    object.put("other_proc", Math.max(0, heap.getUsed() - connections - inHeap));
    object.put("binary", buffers);
    object.put("code", code.getUsed());
    // Pages that Java has never touched are allocated, and take no memory.
    object.put("allocated_unused", Math.max(0, Math.min(allocated, resident) - used));
    object.put("reserved_unallocated", Math.max(0, resident - allocated));
    object.put("strategy", "rss");
    object.put("total", Json.object("erlang", used, "rss", resident, "allocated", allocated));
    object.put("heap_used", heap.getUsed());
    object.put("heap_committed", heap.getCommitted());
    return object;
  }

  /** Returns each part as a percentage of all that is resident, rounded up as in RabbitMQ. */
  public static Map<String, Object> relative(Map<String, Object> absolute) {
    Map<?, ?> total = (Map<?, ?>) absolute.get("total");
    long all = Math.max(1, (long) total.get("rss"));
    Map<String, Object> object = new LinkedHashMap<>();
    absolute.forEach(
        (name, bytes) -> {
          if (bytes instanceof Number number) {
            object.put(name, (int) Math.ceil(100.0 * number.longValue() / all));
          }
        });
    object.put("total", 100);
    return object;
  }

  private static long mapped() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> !pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
