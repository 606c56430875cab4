package io.mayflymq.core.admin;

import io.mayflymq.core.admin.AdministrationException.Reason;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.protocol.types.Utf8;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Validates names, tags, patterns and limits. Each method throws if the value is not valid. */
public final class Checks {
  private static final int LONGEST_PATTERN = 64 * 1024;
  private static final int MOST_USER_TAGS = 32;

  private Checks() {}

  /** Validates a name of 1 to 255 bytes. */
  public static String name(String kind, String name) {
    if (name.isEmpty()) {
      throw new AdministrationException(
          Reason.INVALID_NAME, name, "the name of a " + kind + " must not be empty");
    }
    if (Utf8.encode(name).length > ShortString.MAX_BYTES) {
      throw new AdministrationException(
          Reason.INVALID_NAME,
          name,
          "the name of a %s must not be longer than %d bytes: '%s'"
              .formatted(kind, ShortString.MAX_BYTES, name));
    }
    return name;
  }

  /** Validates a routing key of up to 255 bytes. */
  public static String routingKey(String key) {
    if (Utf8.encode(key).length > ShortString.MAX_BYTES) {
      throw new AdministrationException(
          Reason.INVALID_NAME,
          key,
          "a routing key must not be longer than %d bytes: '%s'"
              .formatted(ShortString.MAX_BYTES, key));
    }
    return key;
  }

  /** Validates tags, each a name without a comma, since lists of tags are written with commas. */
  public static List<String> tags(List<String> tags) {
    for (String tag : tags) {
      if (tag.isBlank()
          || tag.indexOf(',') >= 0
          || Utf8.encode(tag).length > ShortString.MAX_BYTES) {
        throw new AdministrationException(
            Reason.INVALID_TAG,
            tag,
            "invalid tag '%s': expected 1 to %d bytes without a comma"
                .formatted(tag, ShortString.MAX_BYTES));
      }
    }
    return tags.stream().distinct().toList();
  }

  /** Validates the tags of a user, of which there may be 32 as in RabbitMQ 4. */
  static List<String> userTags(List<String> tags) {
    if (tags.size() > MOST_USER_TAGS) {
      throw new AdministrationException(
          Reason.INVALID_TAG,
          String.join(",", tags),
          "A user can have at most %d tags (received %d)".formatted(MOST_USER_TAGS, tags.size()));
    }
    return tags(tags);
  }

  /** Validates the limits of a user or a virtual host. */
  public static Limits limits(Limits limits, Set<Limit> known, String where) {
    for (Limit limit : limits.asMap().keySet()) {
      if (!known.contains(limit)) {
        throw new AdministrationException(
            Reason.INVALID_LIMIT,
            limit.key(),
            "Unrecognised terms [{<<\"%s\">>,%d}] in %s"
                .formatted(limit.key(), limits.get(limit), where));
      }
      if (limit.isRate() && limits.get(limit) == 0) {
        throw new AdministrationException(
            Reason.INVALID_LIMIT,
            limit.key(),
            "%s should be 1 or more, or negative for no limit, actually was 0"
                .formatted(limit.key()));
      }
    }
    return limits;
  }

  /** Validates three patterns for names. */
  public static Permissions permissions(String configure, String write, String read) {
    List.of(configure, write, read).forEach(Checks::patternLength);
    return pattern(() -> Permissions.of(configure, write, read));
  }

  /** Validates two patterns for routing keys. */
  public static TopicPermissions topicPermissions(String write, String read) {
    List.of(write, read).forEach(Checks::patternLength);
    return pattern(() -> TopicPermissions.of(write, read));
  }

  private static void patternLength(String pattern) {
    if (pattern.length() > LONGEST_PATTERN) {
      throw new AdministrationException(
          Reason.INVALID_PATTERN,
          pattern,
          "a regular expression of %d characters is too long: expected at most %d"
              .formatted(pattern.length(), LONGEST_PATTERN));
    }
  }

  private static <T> T pattern(Supplier<T> patterns) {
    try {
      return patterns.get();
    } catch (IllegalArgumentException e) {
      throw new AdministrationException(Reason.INVALID_PATTERN, e.getMessage(), e.getMessage());
    }
  }

  /** Validates the dialect of a virtual host. */
  public static Dialect dialect(String series) {
    return Dialect.ofSeries(series)
        .orElseThrow(
            () ->
                new AdministrationException(
                    Reason.INVALID_DIALECT,
                    series,
                    "Unsupported compatibility '%s': expected %s"
                        .formatted(
                            series,
                            Arrays.stream(Dialect.values())
                                .map(Dialect::series)
                                .collect(Collectors.joining(" or ")))));
  }

  /** Validates the default queue type of a virtual host. @return its short name; empty for none */
  public static String queueType(String type) {
    return type.isEmpty()
        ? type
        : QueueType.ofEitherName(type)
            .map(QueueType::wireName)
            .orElseThrow(
                () ->
                    new AdministrationException(
                        Reason.INVALID_QUEUE_TYPE,
                        type,
                        "Unsupported default queue type '%s': expected classic, quorum or stream"
                            .formatted(type)));
  }
}
