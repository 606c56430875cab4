package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.User;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import java.util.Map;

/**
 * The content of a document of definitions, checked as far as possible without a broker.
 *
 * @param vhostLimits by virtual host
 * @param globalParameters their values in JSON, by name
 * @param parameters those of components that this broker does not have
 * @param skipped the items that were omitted, one line each
 * @param problems those that are wrong, one line each
 */
record Definitions(
    List<VhostDefinition> vhosts,
    List<User> users,
    List<Grant> permissions,
    List<TopicGrant> topicPermissions,
    Map<String, Limits> vhostLimits,
    Map<String, String> globalParameters,
    List<Parameter> parameters,
    List<PolicyItem> policies,
    List<Exchange> exchanges,
    List<Queue> queues,
    List<Bound> bindings,
    List<String> skipped,
    List<String> problems) {

  record Grant(String user, String vhost, String configure, String write, String read) {
    String label() {
      return "permissions of user '%s' in vhost '%s'".formatted(user, vhost);
    }
  }

  record TopicGrant(String user, String vhost, String exchange, String write, String read) {
    String label() {
      return "topic permissions of user '%s' for exchange '%s' in vhost '%s'"
          .formatted(user, exchange, vhost);
    }
  }

  record Exchange(
      String vhost,
      String name,
      String type,
      boolean durable,
      boolean autoDelete,
      boolean internal,
      FieldTable arguments) {
    String label() {
      return "exchange '%s' in vhost '%s'".formatted(name, vhost);
    }
  }

  record Queue(
      String vhost, String name, boolean durable, boolean autoDelete, FieldTable arguments) {
    String label() {
      return "queue '%s' in vhost '%s'".formatted(name, vhost);
    }
  }

  record Bound(String vhost, Binding binding) {
    String label() {
      return "binding of %s '%s' to exchange '%s' in vhost '%s'"
          .formatted(binding.destinationKind(), binding.destination(), binding.source(), vhost);
    }
  }
}
