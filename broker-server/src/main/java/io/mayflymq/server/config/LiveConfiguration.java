package io.mayflymq.server.config;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The configuration of a running broker: what it started with, and what was changed since. Changes
 * last until the process ends. Any thread may call.
 */
public final class LiveConfiguration {
  /** Keys that the broker looks at again and again, or is told of. */
  private static final Set<Key<?>> CHANGEABLE =
      Set.of(
          Keys.HEARTBEAT,
          Keys.FRAME_MAX,
          Keys.INITIAL_FRAME_MAX,
          Keys.CHANNEL_MAX,
          Keys.MAX_MESSAGE_SIZE,
          Keys.HANDSHAKE_TIMEOUT,
          Keys.CONSUMER_TIMEOUT,
          Keys.NO_LOOPBACK_USERS,
          Keys.LOOPBACK_USERS,
          Keys.MEMORY_WATERMARK_RELATIVE,
          Keys.MEMORY_WATERMARK_ABSOLUTE,
          Keys.DISK_FREE_ABSOLUTE,
          Keys.DISK_FREE_RELATIVE);

  private record Moment(Configuration configuration, ServerSettings settings) {
    static Moment of(Configuration configuration) {
      return new Moment(configuration, ServerSettings.of(configuration));
    }
  }

  private final List<Consumer<ServerSettings>> listeners = new CopyOnWriteArrayList<>();
  private volatile Moment now;

  public LiveConfiguration(Configuration configuration) {
    now = Moment.of(configuration);
  }

  /** The settings of the moment: one volatile read. */
  public ServerSettings settings() {
    return now.settings;
  }

  /** What the operator should know though it stops nothing, a line each. */
  public List<String> warnings() {
    return now.configuration.warnings();
  }

  /** Every key that has a value, in the order of the documentation, with what holds for it. */
  public List<EffectiveSetting> effective() {
    return now.configuration.effective();
  }

  /**
   * Has somebody told of every change, until the handle is closed: on the thread that makes it,
   * with the settings that hold from then on.
   */
  public Runnable onChange(Consumer<ServerSettings> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /**
   * Changes a key.
   *
   * @throws ConfigException if there is no such key, the value is none of its type, or the broker
   *     looks at the key at its start only
   */
  public synchronized void set(String key, String value) throws ConfigException {
    Configuration changed = now.configuration.with(key, value);
    if (CHANGEABLE.stream().noneMatch(changeable -> changeable.matches(key))) {
      throw new ConfigException(
          "key '%s' is looked at when the broker starts; while it runs, these can be changed: %s"
              .formatted(
                  key,
                  CHANGEABLE.stream().map(Key::name).sorted().collect(Collectors.joining(", "))));
    }
    now = Moment.of(changed);
    listeners.forEach(listener -> listener.accept(now.settings));
  }
}
