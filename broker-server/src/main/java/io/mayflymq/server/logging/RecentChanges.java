package io.mayflymq.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.slf4j.Marker;

/**
 * Keeps the last lines of the audit category in memory, without those of level debug. Any thread
 * may call.
 */
final class RecentChanges extends AppenderBase<ILoggingEvent> {
  private static final int MOST = 100;

  private final Deque<Change> changes = new ArrayDeque<>();

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLevel().isGreaterOrEqual(Level.INFO)) {
      List<Marker> markers = event.getMarkerList();
      keep(
          new Change(
              event.getTimeStamp(),
              TextLayout.cut(event.getFormattedMessage()),
              markers != null && markers.contains(Logging.FOR_ADMINISTRATORS)));
    }
  }

  private synchronized void keep(Change change) {
    changes.addLast(change);
    if (changes.size() > MOST) {
      changes.removeFirst();
    }
  }

  /** Returns them, the latest first. */
  synchronized List<Change> latest() {
    List<Change> latest = new ArrayList<>(changes);
    Collections.reverse(latest);
    return latest;
  }
}
