package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The way of replies from a channel to those who wait for them: one task for each shard where they
 * live and each burst. No one learns whether a reply arrived, so there is no way back.
 */
public final class ReplySender implements EndOfBurstListener {
  private record Reply(ReplyConsumer to, Message message) {}

  private final Shard from;
  private final ReplyConsumers consumers;
  private Map<Shard, List<Reply>> open = new LinkedHashMap<>();

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
    ReplyConsumer to = consumers.find(name);
    if (to == null) {
      return;
    }
    if (open.isEmpty()) {
      from.atEndOfBurst(this);
    }
    open.computeIfAbsent(to.home(), home -> new ArrayList<>()).add(new Reply(to, message));
  }

  @Override
  public void endOfBurst() {
    Map<Shard, List<Reply>> batches = open;
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

  private static void deliver(List<Reply> replies) {
    for (Reply reply : replies) {
      reply.to.reply(reply.message);
    }
  }
}
