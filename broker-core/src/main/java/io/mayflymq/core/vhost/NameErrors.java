package io.mayflymq.core.vhost;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;

/** What is wrong with the name of a queue or exchange, in RabbitMQ's words. */
record NameErrors(String vhost) {
  static final String RESERVED_PREFIX = "amq.";

  ChannelException noQueue(String queue) {
    return new ChannelException(
        ReplyCode.NOT_FOUND, "no queue '%s' in vhost '%s'".formatted(queue, vhost));
  }

  ChannelException locked(String queue) {
    return new ChannelException(
        ReplyCode.RESOURCE_LOCKED,
        ("cannot obtain exclusive access to locked queue '%s' in vhost '%s'. It could be originally"
                + " declared on another connection or the exclusive property value does not match"
                + " that of the original declaration.")
            .formatted(queue, vhost));
  }

  static void requireUnreserved(String kind, String name) {
    if (name.startsWith(RESERVED_PREFIX)) {
      throw new ChannelException(
          ReplyCode.ACCESS_REFUSED,
          "%s name '%s' contains reserved prefix 'amq.*'".formatted(kind, name));
    }
  }
}
