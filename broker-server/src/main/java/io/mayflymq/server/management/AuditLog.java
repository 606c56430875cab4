package io.mayflymq.server.management;

import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.logging.Logging;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.auth.CrossSite;
import io.netty.util.NetUtil;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs who has changed what by the management API, from where: the audit category. Bodies are not
 * logged, as they may hold passwords. Any thread may call.
 */
final class AuditLog {
  private static final Logger LOGGER = LoggerFactory.getLogger("audit");

  /** Requests about single messages. */
  private static final Set<String> OF_MESSAGES = Set.of("publish", "get");

  /**
   * What monitors see who do not administrate, by the first part of the path. Names of users,
   * permissions, policies and parameters are not among it, and no path of the control listener is.
   */
  private static final Set<String> SEEN_BY_MONITORS =
      Set.of(
          "auth",
          "bindings",
          "cluster-name",
          "connections",
          "exchanges",
          "nodes",
          "queues",
          "rebalance",
          "reset",
          "vhost-limits",
          "vhosts");

  private AuditLog() {}

  /**
   * A request was carried out.
   *
   * @param path the parts of its path, decoded
   * @param forAdministrators whether all of such paths is for administrators only
   */
  static void changed(
      RequestHead head,
      List<String> path,
      boolean forAdministrators,
      Principal principal,
      Response response) {
    if (response.status() < 400 && isChange(head.method(), path)) {
      boolean hidden = forAdministrators || !isSeenByMonitors(path);
      LOGGER.info(
          hidden ? Logging.FOR_ADMINISTRATORS : null,
          "user '{}' ({}): {} {}",
          principal.user(),
          NetUtil.toSocketAddressString(head.peer()),
          head.method(),
          head.path());
    }
  }

  /** Returns whether a path tells nothing but what monitors see by other paths. */
  static boolean isSeenByMonitors(List<String> path) {
    return SEEN_BY_MONITORS.contains(path.get(0));
  }

  /** Returns whether a request may change more than single messages. */
  static boolean isChange(String method, List<String> path) {
    if (CrossSite.isReading(method)) {
      return false;
    }
    String first = path.get(0);
    String last = path.get(path.size() - 1);
    if (path.size() < 4) {
      boolean dryRun = first.equals("rebalance") && last.equals("dry-run");
      return !first.equals("login") && !first.equals("logout") && !dryRun;
    }
    boolean ofMessages = method.equals("POST") && path.size() == 4 && OF_MESSAGES.contains(last);
    boolean dryRun =
        last.equals("dry-run")
            && (first.endsWith("policies") || (method.equals("POST") && first.equals("queues")));
    return !ofMessages && !dryRun;
  }
}
