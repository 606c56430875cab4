package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.LengthSettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.MessageDeadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.QueueMessages;
import io.mayflymq.core.tracing.QueueTracer;

/**
 * What the parts of a {@link ClassicQueueMachine} share. Settings are changed here only: the parts
 * read them when they need them. Parts that are used for each message have references of their own
 * to the objects here that never change, which makes a message cheaper by a few percent. Belongs to
 * the queue's shard.
 */
final class QueueState {
  final QueueMessages messages;
  final MessageIndex<Message> index;
  final MessageDeadlines deadlines;
  final QueueEffects effects;
  final QueueTimer timer;

  /** Null if messages are not traced. */
  final QueueTracer tracer;

  final Counters counters;
  private QueueSettings settings;

  // Parts of the settings that are needed for each message.
  private LengthSettings length;
  private boolean limited;
  private boolean countsReturns;

  QueueState(QueueMessages messages, QueueEffects effects, QueueSettings settings) {
    this.messages = messages;
    this.index = messages.index();
    this.counters = messages.counters();
    this.deadlines = messages.deadlines();
    this.effects = effects;
    this.timer = new QueueTimer(effects);
    this.tracer = effects.tracer();
    use(settings);
  }

  /** Applies new settings. Order of expiry and of delivery follow them at once. */
  void change(QueueSettings changed) {
    use(changed);
    messages.change(changed);
  }

  private void use(QueueSettings changed) {
    settings = changed;
    length = changed.length();
    limited = length.isLimited();
    countsReturns = changed.countsReturns();
  }

  /** Returns the effective settings. */
  QueueSettings settings() {
    return settings;
  }

  /** Returns the length limits. */
  LengthSettings length() {
    return length;
  }

  /** Whether the queue has a length limit. */
  boolean isLimited() {
    return limited;
  }

  /** Whether the queue counts how often each message is returned. */
  boolean countsReturns() {
    return countsReturns;
  }
}
