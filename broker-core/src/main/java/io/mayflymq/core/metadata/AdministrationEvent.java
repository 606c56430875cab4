package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import java.util.Map;

/** An administrator or policymaker has changed something. */
public sealed interface AdministrationEvent extends BrokerEvent {
  /** The changes of a user without further properties. */
  enum UserChange {
    CREATED("user.created"),
    DELETED("user.deleted"),
    PASSWORD_CHANGED("user.password.changed"),
    PASSWORD_CLEARED("user.password.cleared");

    private final String event;

    UserChange(String event) {
      this.event = event;
    }
  }

  /** A user was changed. */
  record UserChanged(UserChange change, String user) implements AdministrationEvent {
    @Override
    public String name() {
      return change.event;
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("name", user);
    }
  }

  /** The tags of a user were set. */
  record UserTagsSet(String user, List<String> tags) implements AdministrationEvent {
    @Override
    public String name() {
      return "user.tags.set";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("name", user).put("tags", Values.texts(tags));
    }
  }

  /** Limits of a user or a virtual host were set; contains all present limits. */
  record LimitsSet(Bearer bearer, String owner, Limits limits) implements AdministrationEvent {
    @Override
    public String name() {
      return bearer.word + ".limits.set";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      bearer.put(properties, owner);
      limits.asMap().forEach((limit, value) -> properties.put(limit.key(), (long) value));
    }
  }

  /** Limits of a user or a virtual host were cleared. */
  record LimitsCleared(Bearer bearer, String owner, List<Limit> limits)
      implements AdministrationEvent {
    @Override
    public String name() {
      return bearer.word + ".limits.cleared";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      bearer.put(properties, owner);
      properties.put("limits", Values.texts(limits.stream().map(Limit::key).toList()));
    }
  }

  /** The kinds of object with limits. */
  enum Bearer {
    USER("user", "username"),
    VHOST("vhost", "vhost");

    private final String word;
    private final String property;

    Bearer(String word, String property) {
      this.word = word;
      this.property = property;
    }

    private void put(FieldTable.Builder properties, String owner) {
      properties.put("name", "limits").put(property, owner);
    }
  }

  /** Permissions of a user in a virtual host were set, new ones or changed ones. */
  record PermissionCreated(String user, String vhost, Permissions permissions)
      implements AdministrationEvent {
    @Override
    public String name() {
      return "permission.created";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties
          .put("user", user)
          .put("vhost", vhost)
          .put("configure", permissions.configure().toString())
          .put("write", permissions.write().toString())
          .put("read", permissions.read().toString());
    }
  }

  /** The permissions of a user in a virtual host were cleared. */
  record PermissionDeleted(String user, String vhost) implements AdministrationEvent {
    @Override
    public String name() {
      return "permission.deleted";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("user", user).put("vhost", vhost);
    }
  }

  /** Topic permissions were set, new ones or changed ones. */
  record TopicPermissionCreated(
      String user, String vhost, String exchange, TopicPermissions permissions)
      implements AdministrationEvent {
    @Override
    public String name() {
      return "topic.permission.created";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties
          .put("user", user)
          .put("vhost", vhost)
          .put("exchange", exchange)
          .put("write", permissions.write())
          .put("read", permissions.read());
    }
  }

  /** Topic permissions were cleared. */
  record TopicPermissionDeleted(String user, String vhost, String exchange)
      implements AdministrationEvent {
    @Override
    public String name() {
      return "topic.permission.deleted";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("user", user).put("vhost", vhost).put("exchange", exchange);
    }
  }

  /** A global parameter was set. Its value may be a secret, and is not told. */
  record ParameterSet(String parameter) implements AdministrationEvent {
    @Override
    public String name() {
      return "parameter.set";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("name", parameter);
    }
  }

  /** A global parameter was removed. */
  record ParameterCleared(String parameter) implements AdministrationEvent {
    @Override
    public String name() {
      return "parameter.cleared";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("name", parameter);
    }
  }

  /** A virtual host was added. */
  record VhostCreated(String vhost, String description, List<String> tags)
      implements AdministrationEvent {
    @Override
    public String name() {
      return "vhost.created";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("name", vhost).put("description", description).put("tags", Values.texts(tags));
    }
  }

  /** A virtual host was deleted with its contents. */
  record VhostDeleted(String vhost) implements AdministrationEvent {
    @Override
    public String name() {
      return "vhost.deleted";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("name", vhost);
    }
  }

  /** A policy or operator policy was set. */
  record PolicySet(String vhost, Policy policy) implements AdministrationEvent {
    @Override
    public String name() {
      return "policy.set";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      FieldTable.Builder definition = FieldTable.builder();
      for (Map.Entry<String, Object> entry : policy.definition().toMap().entrySet()) {
        definition.put(entry.getKey(), Values.of(entry.getValue()));
      }
      properties
          .put("name", policy.name())
          .put("vhost", vhost)
          .put("pattern", policy.pattern())
          .put("apply-to", policy.applyTo().wireName())
          .put("priority", (long) policy.priority())
          .put("definition", definition.build());
    }
  }

  /** A policy or operator policy was cleared. */
  record PolicyCleared(String vhost, PolicyKind kind, String policy)
      implements AdministrationEvent {
    @Override
    public String name() {
      return kind == PolicyKind.POLICY ? "policy.cleared" : "operator.policy.cleared";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("name", policy).put("vhost", vhost);
    }
  }

  /** A policy or operator policy for many virtual hosts was set. An event of this broker only. */
  record VhostPolicySet(Policy policy) implements AdministrationEvent {
    @Override
    public String name() {
      return policy.kind() == PolicyKind.POLICY ? "vhost.policy.set" : "vhost.operator.policy.set";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      new PolicySet("", policy).describe(properties);
      properties.remove("vhost").put("vhosts", policy.vhosts());
    }
  }

  /** Such a policy was cleared. An event of this broker only. */
  record VhostPolicyCleared(PolicyKind kind, String policy) implements AdministrationEvent {
    @Override
    public String name() {
      return kind == PolicyKind.POLICY ? "vhost.policy.cleared" : "vhost.operator.policy.cleared";
    }

    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("name", policy);
    }
  }

  /** Converts values to those of field tables. */
  final class Values {
    private Values() {}

    private static FieldValue texts(List<String> texts) {
      return new FieldValue.Array(
          texts.stream().map(FieldValue::of).map(FieldValue.class::cast).toList());
    }

    /** A value of a policy's definition. */
    private static FieldValue of(Object value) {
      if (value instanceof Boolean bool) {
        return FieldValue.Bool.of(bool);
      }
      if (value instanceof Map<?, ?> table) {
        FieldTable.Builder fields = FieldTable.builder();
        table.forEach((name, word) -> fields.put((String) name, (String) word));
        return new FieldValue.Table(fields.build());
      }
      return value instanceof Number number
          ? new FieldValue.Int64(number.longValue())
          : FieldValue.of(String.valueOf(value));
    }
  }
}
