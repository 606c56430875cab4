package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Moves all messages of queues between an adopted broker and this one, by shovels. */
final class AdoptionMoves {
  private static final String SHOVEL = "shovel";

  /** RabbitMQ counts the messages of its queues every five seconds. */
  private static final long COUNTED_ANEW_MILLIS = 6_000;

  /** So many queues are moved at the same time. */
  private static final int AT_ONCE = 16;

  private final Invocation invocation;

  AdoptionMoves(Invocation invocation) {
    this.invocation = invocation;
  }

  /** Makes the value of a queue's shovel, without what all have. */
  interface ShovelOf {
    Map<String, Object> queue(QueueName queue);
  }

  /** Counts the messages of queues. */
  interface Counted {
    Map<QueueName, Long> queues();
  }

  /**
   * Moves all messages of queues: of each queue once, whatever was counted; then of those in which
   * messages are still seen, until there are none.
   */
  void drain(Counted counted, ShovelOf shovels) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(invocation.timeoutSeconds());
    List<QueueName> queues = List.copyOf(counted.queues().keySet());
    while (!queues.isEmpty()) {
      for (int from = 0; from < queues.size(); from += AT_ONCE) {
        move(queues.subList(from, Math.min(queues.size(), from + AT_ONCE)), shovels);
      }
      LookingAgain.pause(COUNTED_ANEW_MILLIS);
      queues =
          counted.queues().entrySet().stream()
              .filter(each -> each.getValue() > 0)
              .map(Map.Entry::getKey)
              .toList();
      if (!queues.isEmpty() && System.nanoTime() - end > 0) {
        throw ControlException.error(
            Sysexits.UNAVAILABLE,
            "after %d s there are still messages in %s"
                .formatted(invocation.timeoutSeconds(), queues.get(0)));
      }
    }
  }

  private void move(List<QueueName> queues, ShovelOf shovels) {
    for (QueueName queue : queues) {
      Map<String, Object> value = shovels.queue(queue);
      value.put("src-predeclared", true);
      value.put("dest-predeclared", true);
      value.put("ack-mode", "on-confirm");
      value.put("src-delete-after", "queue-length");
      invocation.api().put(shovel(queue), Json.object("value", value));
    }
    List<Map<String, Object>> running = new ArrayList<>();
    boolean all =
        LookingAgain.until(
            invocation,
            () -> {
              running.clear();
              invocation.api().list("shovels").stream()
                  .filter(
                      each -> String.valueOf(each.get("name")).startsWith(AdoptedBroker.NAME + " "))
                  .forEach(running::add);
              return running.isEmpty()
                  || running.stream().anyMatch(each -> each.get("reason") != null);
            });
    if (!running.isEmpty()) {
      for (QueueName queue : queues) {
        try {
          invocation.api().delete(shovel(queue));
        } catch (ApiError e) {
          if (!e.isNotFound()) {
            throw e;
          }
        }
      }
      Map<String, Object> first =
          running.stream()
              .filter(each -> each.get("reason") != null)
              .findFirst()
              .orElse(running.get(0));
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "the messages of '%s' in virtual host '%s' were not moved%s; nothing is lost, and it can be tried again"
              .formatted(
                  String.valueOf(first.get("name")).substring(AdoptedBroker.NAME.length() + 1),
                  first.get("vhost"),
                  all
                      ? ": " + first.get("reason")
                      : " in %d s".formatted(invocation.timeoutSeconds())));
    }
  }

  private static String shovel(QueueName queue) {
    return Api.path("parameters", SHOVEL, queue.vhost(), AdoptedBroker.NAME + " " + queue.name());
  }
}
