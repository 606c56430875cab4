package io.mayflymq.server.boot;

import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.RecoverableSpace;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes space on a disk that runs full: messages that have left their queues and could be brought
 * back are let go, so that publishers need not wait for what has left.
 */
final class UndoRelief implements LongConsumer {
  private static final Logger LOGGER = LoggerFactory.getLogger(UndoRelief.class);

  private final Broker broker;
  private final AtomicBoolean underWay = new AtomicBoolean();

  UndoRelief(Broker broker) {
    this.broker = broker;
  }

  @Override
  public void accept(long bytes) {
    if (underWay.compareAndSet(false, true)) {
      RecoverableSpace.free(broker, bytes)
          .whenComplete(
              (freed, failure) -> {
                underWay.set(false);
                if (failure == null && freed > 0) {
                  LOGGER.warn(
                      "the disk runs low: {} bytes of messages are let go that could be brought"
                          + " back, those first that have left first",
                      freed);
                }
              });
    }
  }
}
