package io.mayflymq.server.cluster.consensus;

/**
 * No majority of the members has confirmed a request in time. It may be carried out nevertheless,
 * also later, unless no member was asked. The message says how many of how many members are
 * reachable.
 */
final class NoMajorityException extends ConsensusException {
  private static final long serialVersionUID = 1L;

  private final boolean mayHappen;

  /**
   * Describes the failure.
   *
   * @param message in one line
   * @param mayHappen whether the request may be carried out nevertheless
   */
  public NoMajorityException(String message, boolean mayHappen) {
    super(message);
    this.mayHappen = mayHappen;
  }

  @Override
  public boolean mayHappen() {
    return mayHappen;
  }
}
