package io.mayflymq.server.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * The body of an answer, made piece by piece as the client takes it. Called by a worker, by one at
 * a time and not always by the same.
 */
@FunctionalInterface
public interface BodySource {
  /**
   * Appends the next piece, which should be some kilobytes and must not be without end.
   *
   * @return whether there is more
   * @throws IOException or any unchecked exception if it cannot be made; the answer is broken off
   *     then, or replaced by an error if none of it has been sent
   */
  boolean appendTo(ByteArrayOutputStream out) throws IOException;

  /** About how many bytes of memory are kept until all of it has been made. */
  default long held() {
    return 0;
  }

  /** No more of it is wanted. Called once, by any thread, maybe while a piece is being made. */
  default void close() {}
}
