package io.mayflymq.server.alarm;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alarms that are raised. As long as there is one that {@link Alarm#blocksPublishers},
 * connections that publish are blocked.
 *
 * <p>Alarms are not counted: however often an alarm was raised, the first {@code clear} clears it.
 * Every change is one line in the log. Any thread may call any method.
 */
public final class Alarms {
  private static final Logger LOGGER = LoggerFactory.getLogger(Alarms.class);

  /** The reason goes to clients as a short string. */
  private static final int LONGEST_REASON_BYTES = 255;

  /**
   * A listener for changes: each alarm, the first one that blocks publishers, and the end of the
   * last such one. Called in order, by the thread that caused the change and under a lock: it must
   * not block, and may call {@link #isRaised} and {@link #reason} only.
   */
  public interface Listener {
    /** Called when an alarm was raised that was not raised before. */
    default void raised(Alarm alarm) {}

    /** Called when a raised alarm was cleared. */
    default void cleared(Alarm alarm) {}

    /** Called when the first alarm that blocks publishers was raised. */
    default void firstRaised() {}

    /** Called when the last alarm that blocks publishers was cleared. */
    default void lastCleared() {}
  }

  private final EnumSet<Alarm.Resource> resources = EnumSet.noneOf(Alarm.Resource.class);
  private final EnumSet<Alarm.Resource> byHand = EnumSet.noneOf(Alarm.Resource.class);
  private final Set<Alarm.OfNode> ofNodes = new LinkedHashSet<>();
  private final Set<Alarm.Fault> faults = new LinkedHashSet<>();
  private final Set<Alarm.Failure> failures = new LinkedHashSet<>();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  private volatile boolean memoryScarce;

  /** The reason for clients, or null if no alarm is raised. */
  private volatile String reason;

  /** Adds a listener for later changes. */
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  /** Returns whether any alarm is raised that blocks publishers: one volatile read. */
  public boolean isRaised() {
    return reason != null;
  }

  /** Returns whether memory is scarce, on this node or on another one: one volatile read. */
  public boolean isMemoryScarce() {
    return memoryScarce;
  }

  /**
   * Returns the reason in connection.blocked, such as "low on memory" or "low on disk & memory";
   * null if none is blocked. At most 255 bytes of UTF-8.
   */
  public String reason() {
    return reason;
  }

  /**
   * Returns the alarms that are raised: resources first, then those of other nodes, faults and
   * failures, the oldest first.
   */
  public synchronized List<Alarm> raised() {
    return Stream.of(
            resources.stream(),
            byHand.stream().map(Alarm.ByHand::new),
            ofNodes.stream(),
            faults.stream(),
            failures.stream())
        .<Alarm>flatMap(alarms -> alarms)
        .toList();
  }

  /**
   * Raises an alarm.
   *
   * @param detail what was found, for the log
   * @return false if it was raised already; then nothing changes
   */
  public synchronized boolean raise(Alarm alarm, String detail) {
    if (!add(alarm)) {
      return false;
    }
    String outcome =
        alarm.blocksPublishers()
            ? "publishers are blocked until it is cleared"
            : "what needs it is refused";
    LOGGER.warn("{} set: {}; {}", alarm.title(), detail, outcome);
    boolean first = reason == null;
    reason = describe();
    listeners.forEach(listener -> listener.raised(alarm));
    if (first && reason != null) {
      listeners.forEach(Listener::firstRaised);
    }
    return true;
  }

  /**
   * Clears an alarm.
   *
   * @param detail what was found, for the log
   * @return false if it was not raised; then nothing changes
   */
  public synchronized boolean clear(Alarm alarm, String detail) {
    if (!remove(alarm)) {
      return false;
    }
    boolean blocked = reason != null;
    reason = describe();
    String outcome = reason == null ? "publishers go on" : "publishers stay blocked: " + reason;
    LOGGER.warn("{} cleared: {}; {}", alarm.title(), detail, outcome);
    listeners.forEach(listener -> listener.cleared(alarm));
    if (blocked && reason == null) {
      listeners.forEach(Listener::lastCleared);
    }
    return true;
  }

  /** Returns the resources that are scarce on this node, or were declared to be so. */
  public synchronized Set<Alarm.Resource> scarceHere() {
    EnumSet<Alarm.Resource> scarce = EnumSet.copyOf(resources);
    scarce.addAll(byHand);
    return scarce;
  }

  /** Returns the names of the other nodes that have alarms. */
  public synchronized Set<String> alarmedNodes() {
    return ofNodes.stream().map(Alarm.OfNode::node).collect(Collectors.toSet());
  }

  /**
   * Sets which alarms another node has.
   *
   * @param node its name
   * @param scarce the resources that are scarce there
   * @param detail how that is known, for the log
   */
  public synchronized void setOfNode(String node, Set<Alarm.Resource> scarce, String detail) {
    for (Alarm.Resource resource : Alarm.Resource.values()) {
      Alarm.OfNode alarm = new Alarm.OfNode(node, resource);
      if (scarce.contains(resource)) {
        raise(alarm, detail);
      } else {
        clear(alarm, detail);
      }
    }
  }

  /** Returns what has failed, in a few words each; the oldest first. */
  public synchronized List<String> failures() {
    return failures.stream().map(Alarm.Failure::description).toList();
  }

  private boolean add(Alarm alarm) {
    if (alarm instanceof Alarm.Fault fault) {
      return faults.add(fault);
    }
    if (alarm instanceof Alarm.Failure failure) {
      return failures.add(failure);
    }
    if (alarm instanceof Alarm.OfNode other) {
      return ofNodes.add(other);
    }
    return alarm instanceof Alarm.ByHand hand
        ? byHand.add(hand.resource())
        : resources.add((Alarm.Resource) alarm);
  }

  private boolean remove(Alarm alarm) {
    if (alarm instanceof Alarm.Fault fault) {
      return faults.remove(fault);
    }
    if (alarm instanceof Alarm.Failure failure) {
      return failures.remove(failure);
    }
    if (alarm instanceof Alarm.OfNode other) {
      return ofNodes.remove(other);
    }
    return alarm instanceof Alarm.ByHand hand
        ? byHand.remove(hand.resource())
        : resources.remove((Alarm.Resource) alarm);
  }

  /**
   * Sets whether memory is scarce, and returns RabbitMQ's text for resources, "low on disk &
   * memory", then the faults as they are.
   */
  private String describe() {
    EnumSet<Alarm.Resource> low = EnumSet.copyOf(resources);
    low.addAll(byHand);
    ofNodes.forEach(alarm -> low.add(alarm.resource()));
    memoryScarce = low.contains(Alarm.Resource.MEMORY);
    if (low.isEmpty() && faults.isEmpty()) {
      return null;
    }
    Stream<String> scarce =
        low.isEmpty()
            ? Stream.empty()
            : Stream.of(
                low.stream()
                    .map(Alarm.Resource::word)
                    .collect(Collectors.joining(" & ", "low on ", "")));
    String text =
        Stream.concat(scarce, faults.stream().map(Alarm.Fault::description))
            .collect(Collectors.joining("; "));
    while (text.getBytes(StandardCharsets.UTF_8).length > LONGEST_REASON_BYTES) {
      text = text.substring(0, text.offsetByCodePoints(text.length(), -1));
    }
    return text;
  }
}
