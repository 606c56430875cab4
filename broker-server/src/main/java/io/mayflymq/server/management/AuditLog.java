package io.mayflymq.server.management;

import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Response;
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
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

  /** Requests of single messages, and those that change nothing. */
  private static final List<String> NO_CHANGES =
      List.of("/publish", "/get", "/dry-run", "/api/login", "/api/logout");

  private AuditLog() {}

  /** A request was carried out. */
  static void changed(RequestHead head, Principal principal, Response response) {
    if (!READING.contains(head.method())
        && response.status() < 400
        && NO_CHANGES.stream().noneMatch(head.path()::endsWith)) {
      LOGGER.info(
          "user '{}' ({}): {} {}",
          principal.user(),
          NetUtil.toSocketAddressString(head.peer()),
          head.method(),
          head.path());
    }
  }
}
