package io.mayflymq.core.queue;

import java.util.List;

/**
 * A part of the scheduled messages of a queue.
 *
 * @param messages in the order in which they will be published
 * @param last the place after which there may be more; null if there are no more
 */
public record SchedulePage(List<ScheduledMessage> messages, SchedulePlace last) {
  /** Nothing is scheduled. */
  public static final SchedulePage NONE = new SchedulePage(List.of(), null);
}
