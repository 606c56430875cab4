package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Finds the scheduled messages that are due next after a given one, in slices, with other work of
 * the shard in between. They are not stored in that order, so all due times are looked at first,
 * and then the contents of the messages to return.
 */
public final class ScheduleSearch {
  private static final int MOST_ENTRIES = 16_384;
  private static final int MOST_CONTENTS = 64;
  private static final long MOST_BYTES = 1 << 20;

  private final ScheduledMessages scheduled;
  private final SchedulePlace after;
  private final int limit;

  /** The earliest places found so far, the latest of them on top. */
  private final PriorityQueue<SchedulePlace> first = new PriorityQueue<>(Comparator.reverseOrder());

  private long last = -1;

  /** Null until all due times have been looked at. */
  private List<SchedulePlace> chosen;

  private int described;
  private final List<ScheduledMessage> messages = new ArrayList<>();

  ScheduleSearch(ScheduledMessages scheduled, SchedulePlace after, int limit) {
    this.scheduled = scheduled;
    this.after = after;
    this.limit = limit;
  }

  /** Does one slice. @return whether there is more to do */
  public boolean step() {
    if (chosen == null) {
      choose();
      return true;
    }
    describe();
    return described < chosen.size();
  }

  private void choose() {
    MessageIndex<Message> index = scheduled.index();
    for (int i = 0; i < MOST_ENTRIES; i++) {
      long sequence = index.nextReady(last);
      if (sequence < 0) {
        chosen = first.stream().sorted().toList();
        return;
      }
      last = sequence;
      consider(new SchedulePlace(index.deadline(sequence), sequence));
    }
  }

  private void consider(SchedulePlace place) {
    if (place.compareTo(after) <= 0) {
      return;
    }
    if (first.size() == limit) {
      if (place.compareTo(first.peek()) > 0) {
        return;
      }
      first.poll();
    }
    first.add(place);
  }

  private void describe() {
    MessageIndex<Message> index = scheduled.index();
    long bytes = 0;
    for (int i = 0; i < MOST_CONTENTS && bytes < MOST_BYTES && described < chosen.size(); i++) {
      SchedulePlace place = chosen.get(described++);
      if (!index.contains(place.sequence())) {
        continue;
      }
      int bodyLength = index.bodySize(place.sequence());
      bytes += bodyLength;
      Message message = scheduled.read(place.sequence());
      if (message != null) {
        messages.add(
            new ScheduledMessage(
                place.sequence(),
                place.dueMillis(),
                index.enqueuedAt(place.sequence()),
                bodyLength,
                message.properties().messageId(),
                message.exchange().value(),
                message.routingKey().value()));
      }
    }
  }

  /** Returns what was found; messages that left during the search are missing. */
  public SchedulePage page() {
    return new SchedulePage(messages, chosen.size() == limit ? chosen.get(limit - 1) : null);
  }
}
