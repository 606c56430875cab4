package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.ParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.ParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.core.security.User;
import java.util.Collection;

/** How much memory administrative definitions take, about. In bytes; the same on every node. */
final class AdministrationSize {
  /** An object, its key and its place in the map. */
  private static final long ENTRY = 300;

  /** How much a character of a pattern takes when that is compiled. */
  private static final long PATTERN = 16;

  private AdministrationSize() {}

  /** Returns how much more a state takes than the one before a command. */
  static long growth(
      MetadataCommand command, AdministrationState before, AdministrationState after) {
    if (command instanceof GlobalParameterSet set) {
      return parameter(after, set.name()) - parameter(before, set.name());
    } else if (command instanceof GlobalParameterCleared cleared) {
      return -parameter(before, cleared.name());
    } else if (command instanceof ParameterSet set) {
      Parameter.Key key = new Parameter.Key(set.vhost(), set.component(), set.name());
      return of(after.parameters().getOrElse(key, null))
          - of(before.parameters().getOrElse(key, null));
    } else if (command instanceof ParameterCleared cleared) {
      Parameter.Key key = new Parameter.Key(cleared.vhost(), cleared.component(), cleared.name());
      return -of(before.parameters().getOrElse(key, null));
    } else if (command instanceof VhostPolicySet set) {
      Policy policy = set.policy();
      return of(policy) - of(before.policy(policy.kind(), policy.name()));
    } else if (command instanceof VhostPolicyCleared cleared) {
      return -of(before.policy(cleared.kind(), cleared.name()));
    } else if (command instanceof VhostDeclared declared) {
      String name = declared.definition().name();
      return of(after.vhost(name)) - of(before.vhost(name));
    } else if (command instanceof UserDeclared declared) {
      String name = declared.user().name();
      return of(after.security().user(name)) - of(before.security().user(name));
    } else if (command instanceof PermissionsSet set) {
      return of(after.security().permissions(set.user(), set.vhost()))
          - of(before.security().permissions(set.user(), set.vhost()));
    } else if (command instanceof TopicPermissionsSet set) {
      return of(after.security().topicPermissions(set.user(), set.vhost(), set.exchange()))
          - of(before.security().topicPermissions(set.user(), set.vhost(), set.exchange()));
    }
    // A deletion looks at all of them anyway.
    return of(after) - before.bytes();
  }

  /** Of everything. */
  static long of(AdministrationState state) {
    return sum(state.vhosts().values().map(AdministrationSize::of).toJavaList())
        + sum(state.parameters().values().map(AdministrationSize::of).toJavaList())
        + sum(state.policies().values().map(AdministrationSize::of).toJavaList())
        + sum(state.globalParameters().map(each -> parameter(state, each._1())).toJavaList())
        + sum(state.security().users().stream().map(AdministrationSize::of).toList())
        + sum(state.security().permissions().stream().map(each -> of(each.permissions())).toList())
        + sum(
            state.security().topicPermissions().stream()
                .map(each -> of(each.permissions()))
                .toList());
  }

  private static long sum(Collection<Long> sizes) {
    return sizes.stream().mapToLong(Long::longValue).sum();
  }

  private static long parameter(AdministrationState state, String name) {
    String json = state.parameter(name);
    return json == null ? 0 : ENTRY + name.length() + text(json);
  }

  private static long of(Parameter parameter) {
    return parameter == null
        ? 0
        : ENTRY
            + parameter.vhost().length()
            + parameter.component().length()
            + parameter.name().length()
            + text(parameter.json());
  }

  private static long of(Policy policy) {
    return policy == null
        ? 0
        : ENTRY
            + policy.name().length()
            + PATTERN * (policy.pattern().length() + policy.vhosts().length())
            + text(policy.definition().toMap().toString());
  }

  private static long of(VhostDefinition vhost) {
    return vhost == null
        ? 0
        : ENTRY + vhost.name().length() + text(vhost.description()) + texts(vhost.tags());
  }

  private static long of(User user) {
    return user == null ? 0 : ENTRY + user.name().length() + texts(user.tags());
  }

  private static long of(Permissions permissions) {
    return permissions == null
        ? 0
        : ENTRY
            + PATTERN
                * (permissions.configure().source().length()
                    + permissions.write().source().length()
                    + permissions.read().source().length());
  }

  private static long of(TopicPermissions permissions) {
    return permissions == null
        ? 0
        : ENTRY + PATTERN * (permissions.write().length() + permissions.read().length());
  }

  private static long texts(Collection<String> texts) {
    return texts.stream().mapToLong(AdministrationSize::text).sum();
  }

  /** Java stores a text in one or two bytes for each character. */
  private static long text(String text) {
    return text.chars().allMatch(character -> character < 256) ? text.length() : 2L * text.length();
  }
}
