package io.mayflymq.server.management.api;

import io.mayflymq.core.naming.NearestName;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.List;

/**
 * Says what is not there, and which name was probably meant, for the errors of requests. The names
 * that are suggested are those that the user may see in lists.
 */
public final class Missing {
  /** With more names than these none is suggested, as the comparison would take too long. */
  private static final int MOST_COMPARED = 10_000;

  private Missing() {}

  public static String queue(VirtualHost vhost, String name) {
    List<String> names =
        vhost.routing().queueCount() > MOST_COMPARED
            ? List.of()
            : vhost.routing().queues().stream().map(Queue::name).toList();
    return in(vhost, "queue", name, names);
  }

  public static String exchange(VirtualHost vhost, String name) {
    List<ExchangeDefinition> exchanges = vhost.routing().exchanges();
    List<String> names =
        exchanges.size() > MOST_COMPARED
            ? List.of()
            : exchanges.stream()
                .filter(exchange -> !exchange.isDefault())
                .map(ExchangeDefinition::name)
                .toList();
    return in(vhost, "exchange", name, names);
  }

  public static String policy(VirtualHost vhost, PolicyKind kind, String name) {
    return in(
        vhost,
        kind.inWords(),
        name,
        vhost.policies().table().policies(kind).stream().map(Policy::name).toList());
  }

  private static String in(VirtualHost vhost, String kind, String name, List<String> known) {
    return "there is no %s '%s' in vhost '%s'%s"
        .formatted(kind, name, vhost.name(), NearestName.hint(name, known));
  }

  /**
   * Says that there is no such virtual host for a user: it does not exist, or the user has no
   * permissions there.
   *
   * @param known those that the user may see
   */
  public static String vhost(String name, Principal principal, List<VirtualHost> known) {
    return "there is no vhost '%s' for user '%s'%s"
        .formatted(
            name,
            principal.user(),
            NearestName.hint(name, known.stream().map(VirtualHost::name).toList()));
  }

  /** Says that there is none of a kind. */
  public static String other(String kind, String name) {
    return "there is no %s '%s'".formatted(kind, name);
  }
}
