package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The way of replies from a channel, or from the queues of a shard, to those who wait for them: one
 * task for each shard where they live, and one request for each other node, and each burst. No one
 * learns whether a reply arrived, so there is no way back.
 */
public final class ReplySender implements EndOfBurstListener {
  private record Addressed(ReplyConsumer to, DirectReply reply) {}

  private final Shard from;
  private final ReplyConsumers consumers;
  private Map<Shard, List<Addressed>> open = new LinkedHashMap<>();

  /** By the number of the member. */
  private Map<Integer, List<DirectReply>> away = new LinkedHashMap<>();

  private boolean waiting;

  /**
   * Creates the sender of one channel.
   *
   * @param from the shard on whose loop the channel lives; all methods are called in its bursts
   * @param consumers where the names are looked up
   */
  public ReplySender(Shard from, ReplyConsumers consumers) {
    this.from = from;
    this.consumers = consumers;
  }

  /** Sends a reply to the consumer of this name; drops it if there is none. */
  public void send(String name, Message message) {
    send(name, message, Deadlines.NEVER);
  }

  /**
   * Does the same.
   *
   * @param deadlineMillis from when on it is too late and is dropped, in ms since the epoch; {@link
   *     Deadlines#NEVER} for never
   */
  public void send(String name, Message message, long deadlineMillis) {
    DirectReply reply = new DirectReply(name, message, deadlineMillis);
    ReplyConsumer to = consumers.find(name);
    if (to != null) {
      open.computeIfAbsent(to.home(), home -> new ArrayList<>()).add(new Addressed(to, reply));
    } else {
      int member = consumers.memberOf(name);
      if (member == ReplyConsumers.NO_MEMBER) {
        return;
      }
      away.computeIfAbsent(member, node -> new ArrayList<>()).add(reply);
    }
    if (!waiting) {
      waiting = true;
      from.atEndOfBurst(this);
    }
  }

  @Override
  public void endOfBurst() {
    waiting = false;
    if (!open.isEmpty()) {
      Map<Shard, List<Addressed>> batches = open;
      open = new LinkedHashMap<>();
      batches.forEach(
          (home, replies) -> {
            if (home == from) {
              deliver(replies);
            } else {
              home.execute(() -> deliver(replies));
            }
          });
    }
    if (!away.isEmpty()) {
      Map<Integer, List<DirectReply>> batches = away;
      away = new LinkedHashMap<>();
      batches.forEach(consumers::sendAway);
    }
  }

  private static void deliver(List<Addressed> replies) {
    replies.forEach(each -> deliver(each.to, each.reply));
  }

  /** Gives a reply to who waits for it, in a burst of its home, unless it is too late by now. */
  static void deliver(ReplyConsumer to, DirectReply reply) {
    if (to.home().now() < reply.deadlineMillis()) {
      to.reply(reply.message());
    }
  }
}
