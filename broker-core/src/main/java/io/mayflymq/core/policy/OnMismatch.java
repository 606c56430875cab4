package io.mayflymq.core.policy;

import io.mayflymq.core.naming.NearestName;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What happens when a queue is declared again with other properties or arguments: the policy key
 * {@code on-mismatch}. Its value is a word for all of them, or a table with a word for some, and
 * perhaps one under {@link #OTHERS} for all others.
 *
 * <p>What makes a queue what it is, such as its type, cannot be adopted: a policy that names such
 * an argument with {@code adopt} is refused, and {@code adopt} for all refuses it.
 */
public final class OnMismatch {
  /** What becomes of a declaration that differs. Its name in a policy is the same in lower case. */
  public enum Verdict {
    /** It is refused, as in RabbitMQ. */
    REFUSE,
    /** It succeeds, and the queue stays what it is. */
    KEEP,
    /** It succeeds, and changes the queue. */
    ADOPT
  }

  /** Stands for all arguments that a table does not name. */
  public static final String OTHERS = "*";

  /** Whether a queue outlives a restart. */
  public static final String DURABLE = "durable";

  /** Whether a queue is deleted with its last consumer. */
  public static final String AUTO_DELETE = "auto_delete";

  /** Whether a queue belongs to a connection. */
  public static final String EXCLUSIVE = "exclusive";

  private static final PolicySubject ANY_QUEUE = PolicySubject.queue(QueueType.CLASSIC, "");

  /** Where there is no policy: all is refused. */
  public static final OnMismatch REFUSING = new OnMismatch(Map.of());

  private final Map<String, Verdict> verdicts;

  private OnMismatch(Map<String, Verdict> verdicts) {
    this.verdicts = verdicts;
  }

  /**
   * Returns what a value of the key says.
   *
   * @param value what {@link #check} has returned; null for what counts without the key
   */
  static OnMismatch of(Object value) {
    if (value == null) {
      return REFUSING;
    }
    Map<String, Verdict> verdicts = new TreeMap<>();
    if (value instanceof Map<?, ?> table) {
      table.forEach((name, word) -> verdicts.put((String) name, verdict(word).orElseThrow()));
    } else {
      verdicts.put(OTHERS, verdict(value).orElseThrow());
    }
    return new OnMismatch(verdicts);
  }

  /**
   * Validates a value of the key.
   *
   * @return a word, or an immutable map of names to words
   * @throws PolicyException if it is neither, names an argument that no queue has, or says that
   *     what cannot be adopted is
   */
  static Object check(Object value) {
    if (!(value instanceof Map<?, ?> table)) {
      requireWord(value);
      return value;
    }
    if (table.isEmpty()) {
      throw invalid(value, "expected at least one argument with refuse, keep or adopt");
    }
    Map<String, String> checked = new TreeMap<>();
    table.forEach(
        (key, word) -> {
          String name = canonical(String.valueOf(key));
          requireKnown(name);
          requireWord(word);
          if (verdict(word).orElseThrow() == Verdict.ADOPT
              && !name.equals(OTHERS)
              && !isAdoptable(name)) {
            throw new PolicyException(
                "%s of a queue cannot be adopted".formatted(ErlangTerm.of(name)),
                List.of("'%s' makes a queue what it is: expected refuse or keep".formatted(name)));
          }
          checked.put(name, (String) word);
        });
    return Collections.unmodifiableMap(checked);
  }

  private static void requireWord(Object word) {
    if (verdict(word).isEmpty()) {
      throw invalid(
          word,
          "expected refuse, keep or adopt, or a table of these by argument"
              + NearestName.hint(String.valueOf(word), EnumNames.all(Verdict.class)));
    }
  }

  private static void requireKnown(String name) {
    Set<String> known = names();
    if (!known.contains(name)) {
      throw new PolicyException(
          "%s is not an argument that declarations of queues are compared by"
              .formatted(ErlangTerm.of(name)),
          List.of(
              "expected the name of an argument such as x-message-ttl, durable, auto_delete,"
                  + " exclusive, or * for all others"
                  + NearestName.hint(name, List.copyOf(known))));
    }
  }

  private static PolicyException invalid(Object value, String expected) {
    return new PolicyException(
        ErlangTerm.of(value) + " is not a valid on-mismatch value", List.of(expected));
  }

  private static Optional<Verdict> verdict(Object word) {
    return word instanceof String text ? EnumNames.constant(Verdict.class, text) : Optional.empty();
  }

  /** An argument may have a former name; a policy knows it by the present one. */
  private static String canonical(String argument) {
    return PolicyKey.ofArgument(ANY_QUEUE, argument).map(PolicyKey::argument).orElse(argument);
  }

  /** Returns all that a table may name. */
  private static Set<String> names() {
    Set<String> names = new TreeSet<>(List.of(OTHERS, DURABLE, AUTO_DELETE, EXCLUSIVE));
    for (QueueType type : QueueType.values()) {
      names.addAll(type.arguments());
      names.addAll(QueueArguments.extensions(type));
      names.addAll(Dialect.DEFAULT.comparedArguments(type));
    }
    return names;
  }

  /** Returns whether a queue that exists can take another value of this argument. */
  private static boolean isAdoptable(String argument) {
    return PolicyKey.ofArgument(ANY_QUEUE, argument).isPresent();
  }

  /** Returns what happens if this argument or property differs. */
  public Verdict on(String argument) {
    Verdict named = verdicts.get(canonical(argument));
    Verdict verdict = named == null ? verdicts.getOrDefault(OTHERS, Verdict.REFUSE) : named;
    return verdict == Verdict.ADOPT && !isAdoptable(argument) ? Verdict.REFUSE : verdict;
  }

  /**
   * Returns whether an argument counts that only this broker supports, and that is not compared
   * without a policy: one that is named, or that is kept or adopted.
   */
  boolean compares(String argument) {
    return verdicts.containsKey(canonical(argument)) || on(argument) != Verdict.REFUSE;
  }

  /** Returns whether it refuses all that differs, as without it. */
  public boolean refusesAll() {
    return verdicts.isEmpty();
  }
}
