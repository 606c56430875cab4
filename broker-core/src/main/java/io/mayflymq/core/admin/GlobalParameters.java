package io.mayflymq.core.admin;

import io.mayflymq.core.admin.AdministrationException.Reason;
import io.mayflymq.core.metadata.MetadataCommand;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Named values that operators store in the broker, for their own use. Values are texts in JSON. */
public final class GlobalParameters {
  private final ChangeLog changes;

  GlobalParameters(ChangeLog changes) {
    this.changes = changes;
  }

  /** All parameters, by name. */
  public Map<String, String> list() {
    return new TreeMap<>(changes.current().globalParameters().toJavaMap());
  }

  /** The value of a parameter, or null if there is none. */
  public String get(String name) {
    return changes.current().parameter(name);
  }

  /**
   * Sets a parameter.
   *
   * @param json its value, which the caller has checked to be JSON
   * @return completed when it is safe, with whether the parameter is new
   * @throws AdministrationException INVALID_NAME
   */
  public CompletableFuture<Boolean> set(String name, String json) {
    Checks.name("global parameter", name);
    return changes.ask(
        () -> {
          boolean isNew = changes.proposed().parameter(name) == null;
          return changes
              .request(new MetadataCommand.GlobalParameterSet(name, json))
              .thenApply(inForce -> isNew);
        });
  }

  /**
   * Removes a parameter.
   *
   * @throws AdministrationException NO_SUCH_PARAMETER
   */
  public CompletableFuture<Void> clear(String name) {
    return changes.ask(
        () -> {
          if (changes.proposed().parameter(name) == null) {
            throw new AdministrationException(
                Reason.NO_SUCH_PARAMETER, name, "Parameter does not exist");
          }
          return changes.request(new MetadataCommand.GlobalParameterCleared(name));
        });
  }
}
