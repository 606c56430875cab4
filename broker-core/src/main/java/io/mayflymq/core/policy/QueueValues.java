package io.mayflymq.core.policy;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What the settings of a queue are read from, once: the merged values of the keys, what only its
 * arguments can set, and what counts for its whole virtual host. Immutable.
 *
 * @param type the type of queue
 * @param singleActiveConsumer whether only one consumer gets messages at a time
 * @param maxPriority the highest priority by its arguments, or {@link QueueSettings#NO_PRIORITIES}
 * @param keys the values of the keys that something sets, each valid
 * @param defaults what counts in the virtual host
 */
public record QueueValues(
    QueueType type,
    boolean singleActiveConsumer,
    int maxPriority,
    Map<PolicyKey, Object> keys,
    Defaults defaults) {

  /** A classic queue without any argument or policy. */
  public static final QueueValues NONE =
      new QueueValues(
          QueueType.CLASSIC, false, QueueSettings.NO_PRIORITIES, Map.of(), Defaults.NONE);

  /** Returns the same with another type of queue. */
  public QueueValues of(QueueType other) {
    return new QueueValues(other, singleActiveConsumer, maxPriority, keys, defaults);
  }

  /** Returns the same with another highest priority. */
  public QueueValues withMaxPriority(int other) {
    return new QueueValues(type, singleActiveConsumer, other, keys, defaults);
  }

  /** Returns the same where only one consumer gets messages at a time. */
  public QueueValues withSingleActiveConsumer() {
    return new QueueValues(type, true, maxPriority, keys, defaults);
  }

  /** Returns the same in another dialect. */
  public QueueValues in(Dialect dialect) {
    return new QueueValues(type, singleActiveConsumer, maxPriority, keys, defaults.in(dialect));
  }

  /**
   * Returns the same with another value of a key.
   *
   * @param value as in the definition of a policy; null to unset it
   * @throws PolicyException if it is not valid
   */
  public QueueValues with(PolicyKey key, Object value) {
    Map<PolicyKey, Object> changed = new EnumMap<>(PolicyKey.class);
    changed.putAll(keys);
    if (value == null) {
      changed.remove(key);
    } else {
      changed.put(key, key.check(value));
    }
    return new QueueValues(
        type, singleActiveConsumer, maxPriority, Collections.unmodifiableMap(changed), defaults);
  }

  /** Reads the settings. */
  public QueueSettings settings() {
    return QueueSettings.of(this);
  }

  Dialect dialect() {
    return defaults.dialect();
  }

  /** Returns the number of a key, its default, or {@link QueueSettings#NONE}. */
  long number(PolicyKey key) {
    Object value = value(key);
    return value == null ? QueueSettings.NONE : (long) value;
  }

  /** Returns the text of a key, its default, or null. */
  String text(PolicyKey key) {
    return (String) value(key);
  }

  /** Returns the words of a list, or null. */
  List<String> words(PolicyKey key) {
    String text = text(key);
    return text == null ? null : ValueValidator.split(text);
  }

  /** Whether a key has this value. */
  boolean is(PolicyKey key, Object expected) {
    return expected.equals(value(key));
  }

  /** Returns the constant for the word of a key, or null. */
  <E extends Enum<E>> E word(PolicyKey key, Class<E> constants) {
    String word = text(key);
    return word == null ? null : EnumNames.constant(constants, word).orElse(null);
  }

  private Object value(PolicyKey key) {
    Object value = keys.get(key);
    return value == null ? key.byDefault() : value;
  }
}
