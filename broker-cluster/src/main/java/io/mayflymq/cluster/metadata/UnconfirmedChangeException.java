package io.mayflymq.cluster.metadata;

import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;

/**
 * The nodes of the cluster have not agreed upon a change in time, as those that can be reached are
 * no majority: 541. The text tells whether it may have been made nevertheless, or may be later.
 */
public final class UnconfirmedChangeException extends ConnectionException {
  private static final long serialVersionUID = 1L;

  private UnconfirmedChangeException(String text) {
    super(ReplyCode.INTERNAL_ERROR, text);
  }

  /**
   * Returns the error for a change that was not made, and will not be.
   *
   * @param why in one line
   */
  public static UnconfirmedChangeException notMade(String why) {
    return new UnconfirmedChangeException("the change was not made: " + why);
  }

  /**
   * Returns the error for a change that may have been made, or may be later.
   *
   * @param why in one line
   */
  static UnconfirmedChangeException unknown(String why) {
    return new UnconfirmedChangeException("it is not known whether the change is made: " + why);
  }
}
