package io.mayflymq.core.admin;

import io.mayflymq.core.admin.AdministrationException.Reason;
import io.mayflymq.core.metadata.MetadataCommand;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Parameters of components, such as shovels. Those of components that this broker does not have
 * come from definitions, and are kept so that an export contains them again. Limits and operator
 * policies are not among them. Thread-safe.
 */
public final class Parameters {
  private final ChangeLog changes;

  /** Null if values are kept as they are. */
  private volatile ParameterCipher cipher;

  Parameters(ChangeLog changes) {
    this.changes = changes;
  }

  /** Adds a component; those that have no parameters need not be added. */
  public void add(ParameterComponent component) {
    changes.components().add(component);
  }

  /** From now on, the values of components that have passwords are kept encrypted. */
  public void encryptBy(ParameterCipher used) {
    cipher = used;
  }

  /**
   * Encrypts what is kept in clear, as it was set before there was a passphrase.
   *
   * @return how many parameters that were, completed when all are encrypted
   */
  public CompletableFuture<Integer> encryptKept() {
    List<Parameter> clear =
        cipher == null
            ? List.of()
            : list().stream()
                .filter(parameter -> hasSecrets(parameter.component()) && !isEncrypted(parameter))
                .toList();
    return CompletableFuture.allOf(clear.stream().map(this::set).toArray(CompletableFuture[]::new))
        .thenApply(done -> clear.size());
  }

  private boolean hasSecrets(String component) {
    return component(component).isPresent();
  }

  private boolean isEncrypted(Parameter parameter) {
    return changes
        .current()
        .parameters()
        .get(parameter.key())
        .exists(kept -> ParameterCipher.isEncrypted(kept.json()));
  }

  /** Returns those whose values are encrypted by another passphrase than there is. */
  public List<Parameter> unreadable() {
    return list().stream()
        .filter(parameter -> ParameterCipher.isEncrypted(parameter.json()))
        .toList();
  }

  private Parameter readable(Parameter kept) {
    ParameterCipher used = cipher;
    return used == null
            || !ParameterCipher.isEncrypted(kept.json())
            || !hasSecrets(kept.component())
        ? kept
        : used.decrypted(kept).orElse(kept);
  }

  /** Returns the component of this name, if this broker has it. */
  public Optional<ParameterComponent> component(String name) {
    return changes.components().find(name);
  }

  /** Returns whether a component has parameters. */
  public boolean any(String component) {
    return changes.current().parameters().keySet().exists(key -> key.component().equals(component));
  }

  /** Returns whether there is this parameter. */
  public boolean exists(String vhost, String component, String name) {
    return changes.current().parameters().containsKey(new Parameter.Key(vhost, component, name));
  }

  /**
   * Returns all parameters, by virtual host, component and name. The value of one that cannot be
   * decrypted is a text that begins with {@code encrypted:}.
   */
  public List<Parameter> list() {
    return changes
        .current()
        .parameters()
        .values()
        .toJavaStream()
        .map(this::readable)
        .sorted(
            Comparator.comparing(Parameter::vhost)
                .thenComparing(Parameter::component)
                .thenComparing(Parameter::name))
        .toList();
  }

  /**
   * Sets a parameter.
   *
   * @param parameter its value has been checked to be JSON
   * @return completed when it is safe
   * @throws AdministrationException INVALID_NAME, NO_SUCH_VHOST
   */
  public CompletableFuture<Void> set(Parameter parameter) {
    Checks.name("component", parameter.component());
    Checks.name("parameter", parameter.name());
    ParameterCipher used = cipher;
    Parameter kept =
        used == null || !hasSecrets(parameter.component()) ? parameter : used.encrypted(parameter);
    return changes.ask(
        () -> {
          if (changes.proposed().vhost(parameter.vhost()) == null) {
            throw AdministrationException.noSuchVhost(parameter.vhost());
          }
          return changes.request(
              new MetadataCommand.ParameterSet(
                  kept.vhost(), kept.component(), kept.name(), kept.json()));
        });
  }

  /**
   * Removes a parameter.
   *
   * @throws AdministrationException NO_SUCH_PARAMETER
   */
  public CompletableFuture<Void> clear(String vhost, String component, String name) {
    return changes.ask(
        () -> {
          Parameter.Key key = new Parameter.Key(vhost, component, name);
          if (!changes.proposed().parameters().containsKey(key)) {
            throw new AdministrationException(
                Reason.NO_SUCH_PARAMETER, name, "Parameter does not exist");
          }
          return changes.request(new MetadataCommand.ParameterCleared(vhost, component, name));
        });
  }
}
