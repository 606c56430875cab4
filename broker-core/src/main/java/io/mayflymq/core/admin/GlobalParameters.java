package io.mayflymq.core.admin;

import io.mayflymq.core.admin.AdministrationException.Reason;
import io.mayflymq.core.metadata.MetadataCommand;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;

/** Named values that operators keep in the broker, for themselves. Values are texts in JSON. */
public final class GlobalParameters {
  private final ChangeLog changes;
  private final Map<String, String> values = new ConcurrentSkipListMap<>();

  GlobalParameters(ChangeLog changes) {
    this.changes = changes;
  }

  /** All parameters, by name. */
  public Map<String, String> list() {
    return new TreeMap<>(values);
  }

  /** The value of a parameter, or null if there is none. */
  public String get(String name) {
    return values.get(name);
  }

  /**
   * Sets a parameter.
   *
   * @param json its value; that it is JSON has been checked
   * @return whether it is new, when that is safe
   * @throws AdministrationException INVALID_NAME
   */
  public CompletableFuture<Boolean> set(String name, String json) {
    Checks.name("global parameter", name);
    synchronized (changes) {
      boolean isNew = values.put(name, json) == null;
      return changes
          .append(new MetadataCommand.GlobalParameterSet(name, json))
          .thenApply(safe -> isNew);
    }
  }

  /**
   * Removes a parameter.
   *
   * @throws AdministrationException NO_SUCH_PARAMETER
   */
  public CompletableFuture<Void> clear(String name) {
    synchronized (changes) {
      if (values.remove(name) == null) {
        throw new AdministrationException(
            Reason.NO_SUCH_PARAMETER, name, "Parameter does not exist");
      }
      return changes.append(new MetadataCommand.GlobalParameterCleared(name));
    }
  }

  void recover(String name, String json) {
    values.put(name, json);
  }
}
