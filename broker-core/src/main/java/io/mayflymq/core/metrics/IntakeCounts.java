package io.mayflymq.core.metrics;

import io.mayflymq.protocol.types.ShortString;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How many messages a queue has accepted by the exchange that they came through: the first hundred
 * exchanges, which most queues never see.
 *
 * <p>One thread writes: the event loop of the queue. A message costs a comparison with the exchange
 * of the message before, and an addition. Any thread may read.
 */
final class IntakeCounts {
  private static final int MOST_EXCHANGES = 100;
  private static final Cell[] NONE = {};

  private static final class Cell {
    static final VarHandle COUNT;

    static {
      try {
        COUNT = MethodHandles.lookup().findVarHandle(Cell.class, "count", long.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    final ShortString exchange;
    private long count;

    Cell(ShortString exchange) {
      this.exchange = exchange;
    }

    void increment() {
      COUNT.setOpaque(this, count + 1);
    }

    long read() {
      return (long) COUNT.getOpaque(this);
    }
  }

  /** Replaced when one is added. */
  private volatile Cell[] cells = NONE;

  /** That of the message before; null if its exchange is not counted, or there was none. */
  private Cell last;

  /** A message was accepted. On the owner's thread. */
  void add(ShortString exchange) {
    Cell cell = last;
    if (cell == null || !cell.exchange.equals(exchange)) {
      cell = cell(exchange);
      last = cell;
    }
    if (cell != null) {
      cell.increment();
    }
  }

  private Cell cell(ShortString exchange) {
    Cell[] known = cells;
    for (Cell each : known) {
      if (each.exchange.equals(exchange)) {
        return each;
      }
    }
    if (known.length == MOST_EXCHANGES) {
      return null;
    }
    Cell[] more = Arrays.copyOf(known, known.length + 1);
    Cell added = new Cell(exchange);
    more[known.length] = added;
    cells = more;
    return added;
  }

  /** Returns the counts by the names of exchanges. Any thread may call. */
  public Map<String, Long> byExchange() {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (Cell cell : cells) {
      counts.put(cell.exchange.value(), cell.read());
    }
    return counts;
  }
}
