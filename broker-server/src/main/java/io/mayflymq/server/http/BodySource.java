package io.mayflymq.server.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * The body of an answer, produced piece by piece as the client reads it. Called by workers, one at
 * a time, but not always the same one.
 */
@FunctionalInterface
public interface BodySource {
  /** The rest of a body was given up to make room for others; that is no fault. */
  class GivenUpException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message a sentence for the client, if nothing was sent yet
     */
    public GivenUpException(String message) {
      super(message);
    }
  }

  /**
   * Appends the next piece, which should be some kilobytes and must be finite.
   *
   * @return whether there is more
   * @throws IOException or any unchecked exception if it cannot be made; the answer is broken off
   *     then, or replaced by an error if none of it has been sent
   */
  boolean appendTo(ByteArrayOutputStream out) throws IOException;

  /** Returns about how many bytes of memory are kept until all of it has been made. */
  default long held() {
    return 0;
  }

  /**
   * Called once when no more is needed, by any thread, possibly while a piece is being produced.
   */
  default void close() {}
}
