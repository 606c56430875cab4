package io.mayflymq.server.metrics;

import io.mayflymq.server.management.json.Node;
import io.mayflymq.server.metrics.family.MetricFamily;
import io.mayflymq.server.metrics.family.Value;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.stream.Stream;

/** What the memory of the process is used for, as far as RabbitMQ's names have a meaning here. */
final class MemoryFamilies {
  private MemoryFamilies() {}

  /** Returns the families. */
  static Stream<MetricFamily> families() {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    long code = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getUsed();
    long buffers =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    long others = Node.memoryUsed() - heap.getCommitted() - code - buffers;
    return Stream.of(
        bytes("code_module", "Classes and compiled code.", code),
        bytes("binary_heap", "Buffers outside of the heap.", buffers),
        bytes(
            "runtime_allocated_unused",
            "Heap that is allocated and not used.",
            heap.getCommitted() - heap.getUsed()),
        bytes(
            "other_system",
            "Memory of the process beside the heap, code and buffers, such as stacks of threads.",
            Math.max(0, others)));
  }

  private static MetricFamily bytes(String name, String help, long value) {
    return Value.gauge("rabbitmq_memory_" + name + "_bytes", help, (double) value);
  }
}
