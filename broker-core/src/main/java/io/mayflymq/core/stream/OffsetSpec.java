package io.mayflymq.core.stream;

import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.policy.MaxAge;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Optional;

/**
 * Where in a stream a consumer begins, from the argument {@value StreamOffset#HEADER}.
 *
 * <p>Source: RabbitMQ, "Streams", section "Consuming".
 */
public sealed interface OffsetSpec {
  /** With the oldest message. */
  record First() implements OffsetSpec {}

  /** With the last batch that was written. */
  record Last() implements OffsetSpec {}

  /** With the next message that arrives; the default. */
  record Next() implements OffsetSpec {}

  /** With the message of this offset, or the oldest one if that has been deleted. */
  record At(long offset) implements OffsetSpec {}

  /** With the first message that arrived at or after this time, in ms since the epoch. */
  record Since(long timeMillis) implements OffsetSpec {}

  /** With the first message that is no older than this, in ms. */
  record Ago(long millis) implements OffsetSpec {}

  /** Parses the arguments of {@code basic.consume}; empty if the value is not valid. */
  static Optional<OffsetSpec> of(FieldTable arguments) {
    FieldValue value = arguments.get(StreamOffset.HEADER);
    if (value == null) {
      return Optional.of(new Next());
    }
    if (value.isInteger()) {
      return Optional.of(new At(value.longValue()));
    }
    if (value instanceof FieldValue.Timestamp time) {
      return Optional.of(new Since(millis(time)));
    }
    return value instanceof FieldValue.LongString text ? of(text.string()) : Optional.empty();
  }

  /** What has no place in a number of ms comes behind everything. */
  private static long millis(FieldValue.Timestamp time) {
    boolean fits = Long.compareUnsigned(time.seconds(), Long.MAX_VALUE / 1000) <= 0;
    return fits ? time.seconds() * 1000 : Long.MAX_VALUE;
  }

  private static Optional<OffsetSpec> of(String text) {
    return switch (text) {
      case "first" -> Optional.of(new First());
      case "last" -> Optional.of(new Last());
      case "next" -> Optional.of(new Next());
      default ->
          MaxAge.millis(text).isPresent()
              ? Optional.of(new Ago(MaxAge.millis(text).getAsLong()))
              : Optional.empty();
    };
  }

  /** Returns the offset that it stands for now. */
  default long in(StreamStore log, long nowMillis) {
    if (this instanceof First) {
      return log.firstOffset();
    } else if (this instanceof Last) {
      return log.lastBatchOffset();
    } else if (this instanceof At at) {
      return at.offset;
    } else if (this instanceof Since since) {
      return log.offsetAt(since.timeMillis);
    } else if (this instanceof Ago ago) {
      return log.offsetAt(nowMillis - ago.millis);
    }
    return log.nextOffset();
  }
}
