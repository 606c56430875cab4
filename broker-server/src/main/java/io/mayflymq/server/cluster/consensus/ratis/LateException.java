package io.mayflymq.server.cluster.consensus.ratis;

/** A request has no answer in time. The message says what was missing last. */
final class LateException extends Exception {
  private static final long serialVersionUID = 1L;

  LateException(String reason) {
    super(reason, null, false, false);
  }
}
