package io.mayflymq.server.config.type;

import java.util.Optional;
import java.util.function.Function;

/**
 * What the value of a key may be.
 *
 * @param expected completes "expected ..." in an error and in the documentation
 * @param parser the value of a text, or empty if the text is not of this type
 */
public record ValueType<T>(String expected, Function<String, Optional<T>> parser) {
  /** Returns the same values under a sharper description. */
  public ValueType<T> describedAs(String description) {
    return new ValueType<>(description, parser);
  }
}
