package io.mayflymq.bench;

import io.mayflymq.protocol.types.BasicProperties;

/** The properties of a message in the benchmarks. */
public enum Filling {
  /** A delivery mode. */
  PERSISTENT,
  /** A delivery mode and an expiration. */
  EXPIRATION,
  /** Three headers and most other properties. */
  RICH;

  BasicProperties properties() {
    return switch (this) {
      case PERSISTENT -> Messages.PERSISTENT;
      case EXPIRATION -> Messages.PERSISTENT.toBuilder().expiration("60000").build();
      case RICH -> Messages.RICH;
    };
  }
}
