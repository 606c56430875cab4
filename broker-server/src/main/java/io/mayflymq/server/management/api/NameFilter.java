package io.mayflymq.server.management.api;

import io.mayflymq.core.security.NamePattern;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * What the names of a list must have: a part, or what a regular expression finds. Both ignore case.
 * Look-around and back-references are supported, as in RabbitMQ.
 *
 * <p>A name takes some milliseconds at most ({@link NamePattern}), and all names together {@link
 * #MOST}. Used by one thread.
 */
final class NameFilter {
  /** The time for all names of a list; an ordinary pattern takes less for a million of them. */
  static final Duration MOST = Duration.ofSeconds(5);

  private final Predicate<String> wanted;
  private final LongSupplier nanoTime;

  private NameFilter(Predicate<String> wanted, LongSupplier nanoTime) {
    this.wanted = wanted;
    this.nanoTime = nanoTime;
  }

  /** Finds names with a part. */
  static NameFilter containing(String part) {
    String wanted = part.toLowerCase(Locale.ROOT);
    return new NameFilter(name -> name.toLowerCase(Locale.ROOT).contains(wanted), System::nanoTime);
  }

  /**
   * Finds names with a regular expression.
   *
   * @throws ApiException 400 if it is none, or costs too much
   */
  static NameFilter matching(String pattern) {
    return matching(pattern, System::nanoTime);
  }

  static NameFilter matching(String pattern, LongSupplier nanoTime) {
    try {
      return new NameFilter(NamePattern.ignoringCase(pattern), nanoTime);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("name: " + e.getMessage());
    }
  }

  /**
   * Returns the items with such a name.
   *
   * @throws ApiException 400 if that takes too long
   */
  <T> List<T> of(List<T> all, Function<T, String> name) {
    return of(all, name, thing -> List.of());
  }

  /**
   * Returns the items with such a name, or such a further name.
   *
   * @throws ApiException 400 if that takes too long
   */
  <T> List<T> of(List<T> all, Function<T, String> name, Function<T, List<String>> further) {
    long start = nanoTime.getAsLong();
    return all.stream()
        .filter(
            thing -> {
              if (nanoTime.getAsLong() - start > MOST.toNanos()) {
                throw ApiException.badRequest(
                    "name: regular expression takes too long: more than %d s for %d names"
                        .formatted(MOST.toSeconds(), all.size()));
              }
              return wanted.test(name.apply(thing))
                  || further.apply(thing).stream().anyMatch(wanted);
            })
        .toList();
  }
}
