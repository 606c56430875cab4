package io.mayflymq.server.management.auth;

import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.ApiException;
import io.netty.util.NetUtil;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Refuses requests by a name that may be another site's.
 *
 * <p>Who owns a name can let it point to 127.0.0.1 after a browser has loaded a page from it (DNS
 * rebinding). To the browser the page and the API on this machine are then one site: the page reads
 * and changes what it likes, with a password that everybody knows. But the browser states the name
 * in Host. No site can let "localhost" or an address point elsewhere; other names of this machine
 * have to be configured.
 *
 * <p>Programs other than browsers may leave Host out, in HTTP/1.0 only. No browser does.
 */
public final class HostCheck implements Authenticator {
  private static final String LOCALHOST = "localhost";

  private final Authenticator users;
  private final Predicate<Login> concerned;
  private final Supplier<Set<String>> allowed;

  /**
   * @param users authenticates
   * @param concerned whose requests are checked
   * @param allowed names that are allowed too, without ports
   */
  public HostCheck(Authenticator users, Predicate<Login> concerned, Supplier<Set<String>> allowed) {
    this.users = users;
    this.concerned = concerned;
    this.allowed = allowed;
  }

  /**
   * {@inheritDoc}
   *
   * @throws ApiException 403 if it names a host that is not allowed
   */
  @Override
  public Login authenticate(RequestHead head) {
    return users.authenticate(head).then(login -> check(head, login));
  }

  private Login check(RequestHead head, Login login) {
    String host = head.header("host");
    if (host != null && concerned.test(login) && !isOwn(host, allowed.get())) {
      throw new ApiException(
          403,
          "forbidden",
          "Host should be localhost or an address for users who may connect from this machine"
              + " only, or a name of management.allowed_hosts, actually was "
              + host);
    }
    return login;
  }

  /** Returns whether a value of {@code Host} is an address, localhost, or one of these names. */
  static boolean isOwn(String host, Set<String> names) {
    String name = withoutPort(host.strip());
    if (name.startsWith("[") && name.endsWith("]")) {
      return NetUtil.isValidIpV6Address(name.substring(1, name.length() - 1));
    }
    if (NetUtil.isValidIpV4Address(name)) {
      return true;
    }
    String canonical = canonical(name);
    return canonical.equals(LOCALHOST)
        || names.stream().anyMatch(each -> canonical(each).equals(canonical));
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    boolean port =
        colon >= 0
            && host.indexOf(']', colon) < 0
            && host.substring(colon + 1).chars().allMatch(c -> c >= '0' && c <= '9');
    return port ? host.substring(0, colon) : host;
  }

  /** A name is the same in capitals, and with the dot of the root. */
  private static String canonical(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }
}
