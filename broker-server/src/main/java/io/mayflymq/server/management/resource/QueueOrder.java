package io.mayflymq.server.management.resource;

import com.github.benmanes.caffeine.cache.Cache;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.BoundedCaches;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.cluster.QueueRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The order of queues, for lists that are requested by page.
 *
 * <p>A management page that is open on a list of a hundred thousand queues requests one page of it
 * every few seconds. Only the queues of that page are asked for what they have. The order by name
 * is kept as long as no queue is declared or deleted. An order by another field needs that field of
 * all queues, which takes a few tenths of a second: such an order is used again for a time in
 * proportion to what it cost, so that requests take no more than a fiftieth of a core, however many
 * there are. The rows of a page are always of this moment, and sorted by what they show. An order
 * that costs little is never used twice.
 */
final class QueueOrder {
  private static final Comparator<Queue> BY_VHOST_AND_NAME =
      Comparator.<Queue, String>comparing(queue -> queue.vhost().name()).thenComparing(Queue::name);

  private static final int MOST_KEPT = 16;
  private static final long CHEAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int TIMES_ITS_COST = 50;

  private final LongSupplier nanos;
  private final Cache<Key, Ordered> kept = BoundedCaches.of(MOST_KEPT);

  /**
   * Creates it.
   *
   * @param nanos the system's nanosecond clock
   */
  QueueOrder(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Gives the values that queues are sorted by. */
  @FunctionalInterface
  interface Keys {
    /**
     * Returns a value of each queue.
     *
     * @param field its path
     * @return in the order of the queues; null for one that has none
     */
    List<Object> of(List<Queue> queues, String field);
  }

  /**
   * By what queues are sorted.
   *
   * @param field the path of a field; empty to sort by virtual host and name
   * @param reverse whether the largest is first
   */
  record By(String field, boolean reverse) {
    private boolean isName() {
      return field.isEmpty() || field.equals("name");
    }

    /** Sorts queues by what they have now. Those in the order of names are in order already. */
    List<QueueRow> sort(List<QueueRow> rows) {
      return isName() ? rows : Listing.sorted(rows, row -> row.key(field), reverse);
    }
  }

  private record Key(List<String> vhosts, By by) {}

  /**
   * An order.
   *
   * @param tables those that the queues were in
   * @param until until when it may be used, by the system's nanosecond clock, if it may be at all
   */
  private record Ordered(
      List<RoutingTable<Queue>> tables, List<Queue> queues, boolean lasting, long until) {
    boolean isOf(List<RoutingTable<Queue>> others) {
      for (int i = 0; i < tables.size(); i++) {
        if (tables.get(i) != others.get(i)) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Returns the queues of these virtual hosts in an order.
   *
   * @param keys asked if they are sorted by another field than the name
   */
  List<Queue> of(Collection<VirtualHost> vhosts, By by, Keys keys) {
    Key key = new Key(vhosts.stream().map(VirtualHost::name).toList(), by);
    List<RoutingTable<Queue>> tables = vhosts.stream().map(VirtualHost::routing).toList();
    Ordered before = kept.getIfPresent(key);
    long began = nanos.getAsLong();
    if (before != null && before.isOf(tables) && (before.lasting || began - before.until < 0)) {
      return before.queues;
    }
    List<Queue> queues =
        by.isName() ? byName(tables, by) : byField(of(vhosts, new By("", false), keys), by, keys);
    long cost = nanos.getAsLong() - began;
    if (cost > CHEAP_NANOS) {
      kept.put(key, new Ordered(tables, queues, by.isName(), began + cost + cost * TIMES_ITS_COST));
    }
    return queues;
  }

  private static List<Queue> byName(List<RoutingTable<Queue>> tables, By by) {
    List<Queue> queues = new ArrayList<>();
    tables.forEach(table -> queues.addAll(table.queues()));
    queues.sort(
        by.field.isEmpty()
            ? BY_VHOST_AND_NAME
            : Comparator.comparing(Queue::name).thenComparing(BY_VHOST_AND_NAME));
    if (by.reverse) {
      Collections.reverse(queues);
    }
    return queues;
  }

  private record Keyed(Queue queue, Object key) {}

  private static List<Queue> byField(List<Queue> queues, By by, Keys keys) {
    List<Object> values = keys.of(queues, by.field);
    List<Queue> byNumber = byNumber(queues, values, by.reverse);
    if (byNumber != null) {
      return byNumber;
    }
    List<Keyed> keyed = new ArrayList<>(queues.size());
    for (int i = 0; i < queues.size(); i++) {
      keyed.add(new Keyed(queues.get(i), values.get(i)));
    }
    return List.copyOf(Listing.lazy(Listing.sorted(keyed, Keyed::key, by.reverse), Keyed::queue));
  }

  /**
   * Sorts by whole numbers: each is packed with the place of its queue into one number, and these
   * are sorted, without an object for each.
   *
   * @return null if the values are no such numbers, or too far from each other to be packed
   */
  private static List<Queue> byNumber(List<Queue> queues, List<Object> values, boolean reverse) {
    long[] packed = new long[values.size()];
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    for (int i = 0; i < packed.length; i++) {
      if (!(values.get(i) instanceof Long value)) {
        return null;
      }
      packed[i] = value;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(packed.length);
    if (most - least < 0 || most - least > Long.MAX_VALUE >> bits) {
      return null;
    }
    for (int i = 0; i < packed.length; i++) {
      packed[i] = (reverse ? most - packed[i] : packed[i] - least) << bits | i;
    }
    Arrays.sort(packed);
    Queue[] sorted = new Queue[packed.length];
    int places = (1 << bits) - 1;
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] = queues.get((int) packed[i] & places);
    }
    return List.of(sorted);
  }
}
