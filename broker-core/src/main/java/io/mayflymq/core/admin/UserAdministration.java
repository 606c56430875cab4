package io.mayflymq.core.admin;

import io.mayflymq.core.admin.AdministrationException.Reason;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.User;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Adds, changes and deletes users. Names are case-sensitive. */
public final class UserAdministration {
  private final ChangeLog changes;
  private volatile PasswordRule passwords = PasswordRule.NONE;

  UserAdministration(ChangeLog changes) {
    this.changes = changes;
  }

  /** All users, by name. */
  public List<User> list() {
    return changes.current().security().users().stream()
        .sorted(Comparator.comparing(User::name))
        .toList();
  }

  /**
   * A user who must exist.
   *
   * @throws AdministrationException NO_SUCH_USER
   */
  public User get(String name) {
    SecurityState security = changes.current().security();
    User user = security.user(name);
    if (user == null) {
      throw AdministrationException.noSuchUser(name, security);
    }
    return user;
  }

  /**
   * Adds a user, who has no permissions yet.
   *
   * @throws AdministrationException USER_EXISTS, INVALID_NAME, INVALID_TAG
   */
  public CompletableFuture<Void> add(String name, PasswordHash password, List<String> tags) {
    User user = checked(name, password, tags);
    return changes.ask(
        () -> {
          if (proposed(name) != null) {
            throw new AdministrationException(
                Reason.USER_EXISTS, name, "User \"" + name + "\" already exists");
          }
          return keep(user);
        });
  }

  /**
   * Adds a user, or changes the password and the tags of an existing one; limits and permissions
   * are kept.
   *
   * @return completed when that is safe, with whether the user is new
   * @throws AdministrationException INVALID_NAME, INVALID_TAG
   */
  public CompletableFuture<Boolean> put(String name, PasswordHash password, List<String> tags) {
    return put(new User(name, password, tags));
  }

  /**
   * Adds a user, or changes the password and the tags of an existing one, and sets these limits
   * besides the existing ones; permissions are kept.
   *
   * @return completed when that is safe, with whether the user is new
   * @throws AdministrationException INVALID_NAME, INVALID_TAG, INVALID_LIMIT
   */
  public CompletableFuture<Boolean> put(User wanted) {
    check(wanted);
    User checked = checked(wanted.name(), wanted.passwordHash(), wanted.tags());
    return changes.ask(
        () -> {
          User present = proposed(wanted.name());
          Limits limits = present == null ? Limits.NONE : present.limits();
          for (Map.Entry<Limit, Integer> given : wanted.limits().asMap().entrySet()) {
            limits = limits.with(given.getKey(), given.getValue());
          }
          return keep(checked.withLimits(limits)).thenApply(inForce -> present == null);
        });
  }

  /** Throws the exceptions of {@link #put} and {@link #setLimits}, and changes nothing. */
  public static void check(User wanted) {
    checked(wanted.name(), wanted.passwordHash(), wanted.tags());
    Checks.limits(wanted.limits(), Limits.OF_USERS, "user-limits");
  }

  /**
   * The hash of a password, as RabbitMQ makes it.
   *
   * @throws AdministrationException INVALID_PASSWORD if it is empty, as no login would be possible
   *     with it, or does not follow the rule for passwords
   */
  public PasswordHash hash(String password) {
    if (password.isEmpty()) {
      throw new AdministrationException(
          Reason.INVALID_PASSWORD, "", "the password must not be empty");
    }
    String objection = passwords.objection(password);
    if (objection != null) {
      throw new AdministrationException(Reason.INVALID_PASSWORD, "", objection);
    }
    return PasswordHash.of(password);
  }

  /** Sets what new passwords must be like. Any thread may call. */
  public void setPasswordRule(PasswordRule rule) {
    passwords = rule;
  }

  /**
   * Deletes a user with his permissions. His connections are closed with 320 CONNECTION_FORCED.
   *
   * @throws AdministrationException NO_SUCH_USER
   */
  public CompletableFuture<Void> delete(String name) {
    return changes.ask(
        () -> {
          require(name);
          return changes.request(new MetadataCommand.UserDeleted(name));
        });
  }

  /**
   * Changes a password. Connections that are open stay open, as in RabbitMQ.
   *
   * @param password {@link PasswordHash#NONE} for none: he cannot log in with one
   * @throws AdministrationException NO_SUCH_USER
   */
  public CompletableFuture<Void> setPassword(String name, PasswordHash password) {
    return change(name, user -> user.withPasswordHash(password));
  }

  /** Whether a password is correct; false for a user who does not exist or has no password. */
  public boolean authenticate(String name, String password) {
    return changes.verify(new Credentials(name, password));
  }

  /**
   * Replaces the tags of a user.
   *
   * @throws AdministrationException NO_SUCH_USER, INVALID_TAG
   */
  public CompletableFuture<Void> setTags(String name, List<String> tags) {
    List<String> checked = Checks.userTags(tags);
    return change(name, user -> user.withTags(checked));
  }

  /**
   * Replaces all limits of a user. They apply to new connections and channels.
   *
   * @throws AdministrationException NO_SUCH_USER, INVALID_LIMIT
   */
  public CompletableFuture<Void> setLimits(String name, Limits limits) {
    Checks.limits(limits, Limits.OF_USERS, "user-limits");
    return change(name, user -> user.withLimits(limits));
  }

  /** Sets one limit of a user. Errors as in {@link #setLimits}. */
  public CompletableFuture<Void> setLimit(String name, Limit limit, int value) {
    Checks.limits(Limits.of(Map.of(limit, value)), Limits.OF_USERS, "user-limits");
    return change(name, user -> user.withLimits(user.limits().with(limit, value)));
  }

  /** Removes one limit of a user. Errors as in {@link #setLimits}. */
  public CompletableFuture<Void> clearLimit(String name, Limit limit) {
    return change(name, user -> user.withLimits(user.limits().without(limit)));
  }

  private CompletableFuture<Void> change(String name, UnaryOperator<User> change) {
    return changes.ask(() -> keep(change.apply(require(name))));
  }

  private User proposed(String name) {
    return changes.proposed().security().user(name);
  }

  private User require(String name) {
    User user = proposed(name);
    if (user == null) {
      throw AdministrationException.noSuchUser(name, changes.proposed().security());
    }
    return user;
  }

  private CompletableFuture<Void> keep(User user) {
    User before = proposed(user.name());
    return user.equals(before)
        ? changes.unchanged(null, () -> keep(user))
        : changes.request(
            List.of(
                new MetadataCommand.UserIs(user.name(), before),
                new MetadataCommand.UserDeclared(user)));
  }

  private static User checked(String name, PasswordHash password, List<String> tags) {
    return new User(Checks.name("user", name), password, Checks.userTags(tags));
  }
}
