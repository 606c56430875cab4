package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.Shard;

/** A channel that waits for direct replies, without a queue of its own. */
public interface ReplyConsumer {
  /** The shard on whose loop it lives. Any thread may ask. */
  Shard home();

  /** Takes a reply, or drops it if it waits no longer. In a burst of its home. */
  void reply(Message message);
}
