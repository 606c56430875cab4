package io.mayflymq.core.policy;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Converts constants to the words for them in arguments, policies and the configuration, as in
 * {@code queue-only}, and back.
 */
public final class EnumNames {
  private EnumNames() {}

  /** Returns the word for a constant. */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the words for all constants of a type. */
  public static List<String> all(Class<? extends Enum<?>> type) {
    return Arrays.stream(type.getEnumConstants()).map(EnumNames::of).toList();
  }

  /** Returns the constant that a word stands for. */
  public static <E extends Enum<E>> Optional<E> constant(Class<E> type, String word) {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> of(constant).equals(word))
        .findFirst();
  }

  /** Returns the constants that words stand for; other words are ignored. */
  public static <E extends Enum<E>> Set<E> constants(Class<E> type, Iterable<String> words) {
    Set<E> constants = EnumSet.noneOf(type);
    words.forEach(word -> constant(type, word).ifPresent(constants::add));
    return constants;
  }
}
