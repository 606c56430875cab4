package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.OptionalLong;

/**
 * What must hold for a request, and the errors if it does not, in RabbitMQ's words.
 *
 * @param vhost the name of the virtual host
 */
public record Preconditions(String vhost) {
  /** The prefix of names that only the broker gives. */
  public static final String RESERVED_PREFIX = "amq.";

  /** Returns the error for a queue that does not exist: 404. */
  public ChannelException noQueue(String queue) {
    return new ChannelException(
        ReplyCode.NOT_FOUND, "no queue '%s' in vhost '%s'".formatted(queue, vhost));
  }

  /**
   * Returns the error for a deleted queue that cannot be brought back: 404.
   *
   * @param id which of those of that name is meant; empty for the last one
   */
  public ChannelException noDeletedQueue(String queue, OptionalLong id) {
    return new ChannelException(
        ReplyCode.NOT_FOUND,
        "no deleted queue '%s'%s in vhost '%s' can be brought back"
            .formatted(
                queue, id.isPresent() ? " with id %d".formatted(id.getAsLong()) : "", vhost));
  }

  /**
   * Returns the error for a deleted queue that cannot be brought back, as one has its name: 406.
   */
  public ChannelException nameIsTaken(String queue, String name) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "deleted queue '%s' in vhost '%s' cannot be brought back as '%s': there is a queue of that name"
            .formatted(queue, vhost, name));
  }

  /** Returns the error for an exchange that does not exist: 404. */
  public ChannelException noExchange(String exchange) {
    return new ChannelException(
        ReplyCode.NOT_FOUND, "no exchange '%s' in vhost '%s'".formatted(exchange, vhost));
  }

  /**
   * Checks whether the virtual host may have one more queue.
   *
   * @throws ChannelException 406 if not
   */
  public void requireRoom(Limits limits, int queues, String queue) {
    if (!limits.allow(Limit.MAX_QUEUES, queues)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "cannot declare queue '%s': queue limit in vhost '%s' (%d) is reached"
              .formatted(queue, vhost, limits.get(Limit.MAX_QUEUES)));
    }
  }

  /**
   * Checks whether the virtual host may have one more exchange.
   *
   * @throws ChannelException 406 if not
   */
  public void requireRoomForExchange(Limits limits, int exchanges, String exchange) {
    if (!limits.allow(Limit.MAX_EXCHANGES, exchanges)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "cannot declare exchange '%s': exchange limit in vhost '%s' (%d) is reached"
              .formatted(exchange, vhost, limits.get(Limit.MAX_EXCHANGES)));
    }
  }

  /**
   * Checks whether the virtual host may have one more binding.
   *
   * @param what the request, for the error
   * @throws ChannelException 406 if not
   */
  public void requireRoomForBinding(Limits limits, int bindings, String what) {
    if (!limits.allow(Limit.MAX_BINDINGS, bindings)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "%s: binding limit in vhost '%s' (%d) is reached"
              .formatted(what, vhost, limits.get(Limit.MAX_BINDINGS)));
    }
  }

  /**
   * Checks whether the metadata of the virtual host may take so much memory.
   *
   * @param what the request, for the error
   * @param byDefault the limit where the virtual host has none of its own
   * @param bytes how much it would be
   * @throws ChannelException 406 if not
   */
  public void requireRoomFor(String what, Limits limits, long byDefault, long bytes) {
    Integer own = limits.get(Limit.MAX_METADATA_BYTES);
    long most = own == null ? byDefault : own < 0 ? Long.MAX_VALUE : own;
    if (bytes > most) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "%s: metadata limit in vhost '%s' (%d bytes) is reached".formatted(what, vhost, most));
    }
  }

  /**
   * Checks whether the metadata of all virtual hosts may take so much memory.
   *
   * @param what the request, for the error
   * @param most the limit, in bytes
   * @throws ChannelException 406 if not
   */
  public static void requireRoomInBroker(String what, long most, long bytes) {
    if (bytes > most) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "%s: metadata limit in cluster (%d bytes) is reached".formatted(what, most));
    }
  }

  /** Returns the error for a declaration while memory is low: 406. */
  public static ChannelException lowOnMemory(String what) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        what + ": low on memory; nothing is added until the memory alarm is cleared");
  }

  /**
   * Checks whether the broker may have one more queue.
   *
   * @param most how many there may be in all virtual hosts
   * @throws ChannelException 406 if not
   */
  public static void requireRoomInBroker(int most, int queues, String queue) {
    if (queues >= most) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "cannot declare queue '%s': queue limit in cluster (%d) is reached"
              .formatted(queue, most));
    }
  }

  /**
   * Checks whether the broker may have one more exchange.
   *
   * @param most how many there may be in all virtual hosts
   * @throws ChannelException 406 if not
   */
  public void requireRoomForExchangeInBroker(int most, int exchanges, String exchange) {
    if (exchanges >= most) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "cannot declare exchange '%s' in vhost '%s': exchange limit of %d is reached"
              .formatted(exchange, vhost, most));
    }
  }

  /** Returns the error for a queue that has an exclusive consumer: 403. */
  public static ChannelException inExclusiveUse(Object queue) {
    return new ChannelException(ReplyCode.ACCESS_REFUSED, queue + " in exclusive use");
  }

  /** Returns the error for a queue in a state that the request excludes: 406. */
  public static ChannelException precondition(Object queue, String why) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, queue + " " + why);
  }

  /** Returns the error for a method that streams do not support: 540. */
  public static ConnectionException streamsLack(String what, Object stream) {
    return new ConnectionException(
        ReplyCode.NOT_IMPLEMENTED, "%s not supported by stream queues %s".formatted(what, stream));
  }

  /** Returns the error for a queue that is exclusive to another connection: 405. */
  public ChannelException locked(String queue) {
    return new ChannelException(
        ReplyCode.RESOURCE_LOCKED,
        ("cannot obtain exclusive access to locked queue '%s' in vhost '%s'. It could be originally"
                + " declared on another connection or the exclusive property value does not match"
                + " that of the original declaration.")
            .formatted(queue, vhost));
  }

  /**
   * Checks that an exchange is not one of the broker's own.
   *
   * @throws ChannelException 403 if it is
   */
  public void requireDeletable(String exchange) {
    if (exchange.startsWith(RESERVED_PREFIX)) {
      throw new ChannelException(
          ReplyCode.ACCESS_REFUSED,
          "deletion of system exchange '%s' in vhost '%s' not allowed".formatted(exchange, vhost));
    }
  }

  /**
   * Checks that a client may give a name.
   *
   * @param kind what has the name, for the error
   * @throws ChannelException 403 if it has the reserved prefix
   */
  public static void requireUnreserved(String kind, String name) {
    if (name.startsWith(RESERVED_PREFIX)) {
      throw new ChannelException(
          ReplyCode.ACCESS_REFUSED,
          "%s name '%s' contains reserved prefix 'amq.*'".formatted(kind, name));
    }
  }
}
