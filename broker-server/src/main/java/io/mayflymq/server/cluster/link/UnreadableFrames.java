package io.mayflymq.server.cluster.link;

import io.mayflymq.server.cluster.transport.Purpose;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs why connections are closed whose frames cannot be read: a line a minute for what is opened
 * again and again. Any thread may call.
 */
final class UnreadableFrames {
  private static final Logger LOGGER = LoggerFactory.getLogger(UnreadableFrames.class);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private record Connection(Purpose purpose, String node) {}

  private final Map<Connection, Long> logged = new ConcurrentHashMap<>();

  /**
   * Returns what is told of a connection.
   *
   * @param node the name of the other node
   * @param onClosed told why it was closed
   */
  LinkConnection.Events of(Purpose purpose, String node, Consumer<String> onClosed) {
    return new LinkConnection.Events() {
      @Override
      public void closed(String why) {
        onClosed.accept(why);
      }

      @Override
      public void unreadable(String why) {
        log(purpose, node, why);
      }
    };
  }

  private void log(Purpose purpose, String node, String why) {
    long now = System.nanoTime();
    Long last = logged.get(new Connection(purpose, node));
    if (last == null || now - last > QUIET_NANOS) {
      logged.put(new Connection(purpose, node), now);
      LOGGER.warn(
          "cluster: a connection for {} (number {}) with node {} is closed, as what was received"
              + " cannot be read: {}",
          purpose.kind(),
          purpose.number(),
          node,
          why);
    }
  }
}
