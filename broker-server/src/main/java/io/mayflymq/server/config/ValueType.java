package io.mayflymq.server.config;

import java.util.Optional;
import java.util.function.Function;

/**
 * What the value of a key may be.
 *
 * @param expected completes "expected ..." in an error and in the documentation
 * @param secret whether the value is never shown, in lists, errors and logs
 * @param parser the value of a text, or empty if the text is not of this type
 */
public record ValueType<T>(String expected, boolean secret, Function<String, Optional<T>> parser) {
  /** A type whose values may be seen. */
  public ValueType(String expected, Function<String, Optional<T>> parser) {
    this(expected, false, parser);
  }

  /** Returns the same values under a sharper description. */
  public ValueType<T> describedAs(String description) {
    return new ValueType<>(description, secret, parser);
  }
}
