package io.mayflymq.core.vhost;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.PolicyImpact;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * What a change of policies would do now.
 *
 * @param queues the queues whose settings would change, by name
 * @param exchanges the exchanges whose alternate exchange would change, by name
 */
public record PolicyDryRun(List<QueueChange> queues, List<ExchangeChange> exchanges) {
  /**
   * A queue whose settings would change.
   *
   * @param name its name
   * @param before its present settings
   * @param after its settings with the change
   * @param keys the same by the keys of policies
   * @param policyImpact what would happen to it and to its messages
   * @param nowMillis when this was found out, in ms since the epoch
   */
  public record QueueChange(
      String name,
      QueueSettings before,
      QueueSettings after,
      Keys keys,
      PolicyImpact policyImpact,
      long nowMillis) {
    /** How many messages would leave now. */
    public long dying() {
      return policyImpact.expiring() + policyImpact.overflowing();
    }

    /** How many of them would go to a dead letter exchange. */
    public long deadLettered() {
      return (after.deadLetters().areWantedOn(DeathReason.EXPIRED) ? policyImpact.expiring() : 0)
          + (after.deadLetters().areWantedOn(DeathReason.MAXLEN) ? policyImpact.overflowing() : 0);
    }

    /** Whether it has no lease and would get one. */
    public boolean startsToExpire() {
      return before.lease().expiresMillis() == QueueSettings.NONE
          && after.lease().expiresMillis() != QueueSettings.NONE;
    }

    /** Whether it would be deleted now, as it has been unused for too long. */
    public boolean expiresNow() {
      return policyImpact.leaseEndMillis() <= nowMillis;
    }

    /** For JSON. */
    public Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("name", name);
      map.put("before", keys.before);
      map.put("after", keys.after);
      map.put("expiring", policyImpact.expiring());
      map.put("overflowing", policyImpact.overflowing());
      map.put("dead_lettered", deadLettered());
      map.put("dropped", dying() - deadLettered());
      map.put("starts_to_expire", startsToExpire());
      map.put("expires_now", expiresNow());
      map.put(
          "expires_in",
          policyImpact.leaseEndMillis() == Deadlines.NEVER
              ? null
              : Math.max(0, policyImpact.leaseEndMillis() - nowMillis));
      return map;
    }
  }

  /** What counts for a queue, by the names of keys, before and after the change. */
  public record Keys(Map<String, Object> before, Map<String, Object> after) {}

  /**
   * An exchange whose alternate exchange would change.
   *
   * @param name its name
   * @param before the alternate exchange that it has, or null
   * @param after the one that it would have, or null
   */
  public record ExchangeChange(String name, String before, String after) {
    /** For JSON. */
    public Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("name", name);
      map.put("before", before);
      map.put("after", after);
      return map;
    }
  }

  /** How many messages would expire now, in all queues. */
  public long expiring() {
    return queues.stream().mapToLong(queue -> queue.policyImpact().expiring()).sum();
  }

  /** How many messages would be dropped from the head now, in all queues. */
  public long overflowing() {
    return queues.stream().mapToLong(queue -> queue.policyImpact().overflowing()).sum();
  }

  /** How many of both would go to a dead letter exchange. */
  public long deadLettered() {
    return queues.stream().mapToLong(QueueChange::deadLettered).sum();
  }

  /** For JSON: the sums, and each object. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("expiring", expiring());
    map.put("overflowing", overflowing());
    map.put("dead_lettered", deadLettered());
    map.put("dropped", expiring() + overflowing() - deadLettered());
    map.put("starting_to_expire", queues.stream().filter(QueueChange::startsToExpire).count());
    map.put("expiring_queues", queues.stream().filter(QueueChange::expiresNow).count());
    map.put("queues", queues.stream().map(QueueChange::toMap).toList());
    map.put("exchanges", exchanges.stream().map(ExchangeChange::toMap).toList());
    return map;
  }

  /** Gathers what the shards find out. */
  static final class Builder {
    private final List<ExchangeChange> exchanges;
    private final Function<QueueDefinition, Keys> keys;
    private final ConcurrentLinkedQueue<QueueChange> queues = new ConcurrentLinkedQueue<>();

    Builder(List<ExchangeChange> exchanges, Function<QueueDefinition, Keys> keys) {
      this.exchanges = exchanges;
      this.keys = keys;
    }

    /** Notes what other settings would do to a queue now. Within a burst of its shard. */
    void add(Queue queue, QueueSettings changed) {
      PolicyImpact impact = queue.onShard().policyImpact(changed);
      if (impact != null) {
        queues.add(
            new QueueChange(
                queue.name(),
                queue.settings(),
                changed,
                keys.apply(queue.definition()),
                impact,
                queue.partition().now()));
      }
    }

    PolicyDryRun build() {
      return new PolicyDryRun(
          queues.stream().sorted(Comparator.comparing(QueueChange::name)).toList(),
          exchanges.stream().sorted(Comparator.comparing(ExchangeChange::name)).toList());
    }
  }
}
