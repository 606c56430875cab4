package io.mayflymq.server.cluster.consensus;

/**
 * No majority of the members has confirmed a request in time. It may be carried out nevertheless,
 * also later. The message says how many of how many members are reachable.
 */
public final class NoMajorityException extends ConsensusException {
  private static final long serialVersionUID = 1L;

  /** Describes the failure in one line. */
  public NoMajorityException(String message) {
    super(message);
  }
}
