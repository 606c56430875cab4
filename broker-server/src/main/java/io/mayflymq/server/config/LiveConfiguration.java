package io.mayflymq.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The configuration of a running broker: the values at the start, and the changes since. Changes
 * last until the process ends. Any thread may call.
 */
public final class LiveConfiguration {
  /** Reads the sources of the configuration. */
  @FunctionalInterface
  public interface Source {
    /**
     * Reads all of it.
     *
     * @throws ConfigException for a file that cannot be read, an unknown key or a bad value
     */
    Configuration read() throws ConfigException;
  }

  /**
   * The result of reading the configuration again.
   *
   * @param changed the keys that have other values now
   * @param waiting the keys that were given other values and keep those that they had, as the
   *     broker looks at them when it starts
   */
  public record Reloaded(List<String> changed, List<String> waiting) {}

  private final List<Consumer<ServerSettings>> listeners = new CopyOnWriteArrayList<>();
  private final Source source;
  private volatile Configuration now;

  /** A configuration that is never read again. */
  public LiveConfiguration(Configuration configuration) {
    this.source = () -> configuration;
    this.now = configuration;
  }

  /**
   * Reads the configuration, and can do so again.
   *
   * @throws ConfigException if it is not valid
   */
  public static LiveConfiguration read(Source source) throws ConfigException {
    return new LiveConfiguration(source, source.read());
  }

  private LiveConfiguration(Source source, Configuration configuration) {
    this.source = source;
    this.now = configuration;
  }

  /** Returns the current settings: one volatile read. */
  public ServerSettings settings() {
    return now.settings();
  }

  /** Returns warnings for the operator, a line each. */
  public List<String> warnings() {
    return now.warnings();
  }

  /** Returns the files that were read, absolute, the one that counts most last. */
  public List<Path> files() {
    return now.files();
  }

  /**
   * Returns every key that has a value, in the order of the documentation, with what holds for it.
   */
  public List<EffectiveSetting> effective() {
    return now.effective();
  }

  /**
   * Adds a listener for changes, until the handle is run: it is called on the thread that makes the
   * change, with the new settings.
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
    Configuration changed = now.with(key, value);
    if (Keys.CHANGEABLE.stream().noneMatch(changeable -> changeable.matches(key))) {
      throw new ConfigException(
          "key '%s' is looked at when the broker starts; while it runs, these can be changed: %s"
              .formatted(
                  key,
                  Keys.CHANGEABLE.stream()
                      .map(Key::name)
                      .sorted()
                      .collect(Collectors.joining(", "))));
    }
    become(changed);
  }

  /**
   * Reads the configuration again. What can be changed while the broker runs holds at once, but
   * where {@link #set} has said otherwise; the rest stays as it is. Listeners are told in any case.
   *
   * @throws ConfigException if it is not valid; then nothing has changed
   */
  public synchronized Reloaded reload() throws ConfigException {
    Configuration before = now;
    Configuration read = source.read();
    Configuration after = before.with(Keys.CHANGEABLE, read);
    become(after);
    return new Reloaded(before.differences(after), after.differences(before.overriding(read)));
  }

  private void become(Configuration changed) {
    now = changed;
    listeners.forEach(listener -> listener.accept(now.settings()));
  }
}
