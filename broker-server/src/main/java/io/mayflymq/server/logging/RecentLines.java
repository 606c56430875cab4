package io.mayflymq.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.Layout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Keeps the last lines of the log in memory, for {@code log_tail}: a broker that logs to standard
 * output only has no file to read them from. Any thread may call.
 */
final class RecentLines extends AppenderBase<ILoggingEvent> {
  private static final int MOST_LINES = 1_000;
  private static final int MOST_CHARACTERS = 512 * 1024;

  private final Layout<ILoggingEvent> layout;
  private final Deque<String> lines = new ArrayDeque<>();
  private int characters;

  /** How many lines there were so far. */
  private long count;

  RecentLines(Layout<ILoggingEvent> layout) {
    this.layout = layout;
  }

  @Override
  protected void append(ILoggingEvent event) {
    keep(layout.doLayout(event).stripTrailing());
  }

  private synchronized void keep(String line) {
    lines.addLast(line);
    characters += line.length();
    count++;
    while (lines.size() > MOST_LINES || (characters > MOST_CHARACTERS && lines.size() > 1)) {
      characters -= lines.removeFirst().length();
    }
  }

  /** Returns the last lines, the oldest first. */
  synchronized LogTail last(int most) {
    return after(Math.max(0, count - most));
  }

  /** Returns the lines after the first so many, as far as they are kept. */
  synchronized LogTail after(long earlier) {
    int wanted = (int) Math.min(lines.size(), Math.max(0, count - earlier));
    List<String> found = new ArrayList<>(lines).subList(lines.size() - wanted, lines.size());
    return new LogTail(List.copyOf(found), count);
  }
}
