package io.mayflymq.server.management;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.User;
import io.mayflymq.server.management.api.Principal;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/** The line by which a new operator finds the management page. */
final class Welcome {
  /** The user that a new broker has, and the password, which all know who know RabbitMQ. */
  private static final String GUEST = "guest";

  private Welcome() {}

  /**
   * Returns where the page is, and how to log in.
   *
   * @param plain where HTTP is served, or null
   * @param encrypted where HTTPS is served, or null
   * @param pathPrefix what all paths begin with, or empty
   * @return empty if it is served nowhere
   */
  static Optional<String> line(
      InetSocketAddress plain,
      InetSocketAddress encrypted,
      String pathPrefix,
      AccessControl accessControl) {
    InetSocketAddress at = plain == null ? encrypted : plain;
    return at == null
        ? Optional.empty()
        : Optional.of(
            "management page at %s://%s%s/, %s"
                .formatted(
                    plain == null ? "https" : "http",
                    authority(at),
                    pathPrefix,
                    login(accessControl)));
  }

  private static String authority(InetSocketAddress at) {
    InetAddress address = at.getAddress();
    return address.isAnyLocalAddress()
        ? "localhost:" + at.getPort()
        : NetUtil.toSocketAddressString(at);
  }

  private static String login(AccessControl accessControl) {
    User guest = accessControl.state().user(GUEST);
    if (guest != null && mayManage(guest) && guest.passwordHash().matches(GUEST)) {
      return "log in as 'guest' with the password 'guest'"
          + (accessControl.isLoopbackUser(GUEST) ? ", from this machine only" : "");
    }
    return accessControl.state().users().stream().anyMatch(Welcome::mayManage)
        ? "log in as a user with the tag administrator, monitoring, policymaker or management"
        : "there is no user who may log in: mayflyctl add_user and set_user_tags make one";
  }

  private static boolean mayManage(User user) {
    return new Principal(user.name(), user.tags(), false).mayManage();
  }
}
