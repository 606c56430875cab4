package io.mayflymq.core.store.segment;

/** A record whose bytes are not those that were written. */
public final class DamagedRecordException extends RuntimeException {
  public DamagedRecordException(String message) {
    super(message);
  }
}
