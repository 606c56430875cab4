package io.mayflymq.server.management.api;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.security.User;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.config.AuthBackendKeys;
import java.net.InetAddress;
import java.util.List;

/**
 * The user who makes a request.
 *
 * @param login the user, as the backends know one
 * @param control whether the request has the token of the control file: it has an administrator's
 *     rights and needs no permissions
 * @param address where the user asks from; null if it is not known
 */
public record Principal(AuthenticatedUser login, boolean control, InetAddress address)
    implements Actor {
  private static final String POLICYMAKER = "policymaker";
  private static final String MANAGEMENT = "management";

  /** The principal of requests with the token of the control file. */
  public static final Principal CONTROL =
      new Principal("mayflyctl", List.of(User.ADMINISTRATOR), true);

  /** One whose rights are in the broker itself. */
  public Principal(String user, List<String> tags, boolean control) {
    this(new AuthenticatedUser(user, tags, List.of(), AuthBackendKeys.INTERNAL), control, null);
  }

  @Override
  public String user() {
    return login.name();
  }

  /** Returns the user's tags, which decide which parts of the API are permitted. */
  public List<String> tags() {
    return login.tags();
  }

  /** Returns the principal of a user who has logged in. */
  public static Principal of(AuthenticatedUser user, InetAddress address) {
    return new Principal(user, false, address);
  }

  /** Returns whether the user and the user's permissions are in the broker itself. */
  public boolean isInternal() {
    return login.isInternal();
  }

  /** Returns the same for a request that comes from there. */
  public Principal from(InetAddress otherAddress) {
    return new Principal(login, control, otherAddress);
  }

  /** Returns the same with other tags. */
  public Principal with(List<String> tags) {
    return new Principal(
        new AuthenticatedUser(
            user(), tags, login.given(), login.authenticator(), login.authorizer(), login.state()),
        control,
        address);
  }

  public boolean isAdministrator() {
    return tags().contains(User.ADMINISTRATOR);
  }

  /** Returns whether the user may see objects of other users. It does not permit to change any. */
  public boolean isMonitor() {
    return isAdministrator() || tags().contains(User.MONITORING);
  }

  /** Returns whether the user may see what belongs to a user, such as connections. */
  public boolean maySee(String owner) {
    return isMonitor() || owner.equals(user());
  }

  /** Checks that the user may change what belongs to a user; seeing it is not enough. */
  public void requireMayChange(String owner) {
    require(isAdministrator() || owner.equals(user()), "User not authorised to access object");
  }

  boolean isPolicymaker() {
    return isAdministrator() || tags().contains(POLICYMAKER);
  }

  /** Returns whether the user may use the API at all. */
  public boolean mayManage() {
    return isMonitor() || isPolicymaker() || tags().contains(MANAGEMENT);
  }

  public void requireManagement() {
    require(mayManage(), "Not management user");
  }

  public void requireMonitor() {
    require(isMonitor(), "Not monitor user");
  }

  public void requirePolicymaker() {
    require(isPolicymaker(), "User not authorised to access object");
  }

  public void requireAdministrator() {
    require(isAdministrator(), "Not administrator user");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw ApiException.notAuthorised(otherwise);
    }
  }
}
