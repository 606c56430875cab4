package io.mayflymq.core.metadata;

import io.mayflymq.core.metadata.MetadataCommand.Administrative;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsCleared;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsCleared;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.UserDeleted;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/** The maps of {@link MetadataMaps} for what administrators define. */
final class AdministrativeMaps {
  private final MVMap<String, byte[]> vhosts;
  private final MVMap<String, byte[]> users;
  private final MVMap<String, byte[]> permissions;
  private final MVMap<String, byte[]> topicPermissions;
  private final MVMap<String, byte[]> globalParameters;

  AdministrativeMaps(MVStore store) {
    vhosts = store.openMap("vhosts");
    users = store.openMap("users");
    permissions = store.openMap("permissions");
    topicPermissions = store.openMap("topic_permissions");
    globalParameters = store.openMap("global_parameters");
  }

  /** In an order in which each finds what it needs: permissions need their user. */
  List<MetadataCommand> recover() {
    List<MetadataCommand> commands = new ArrayList<>();
    vhosts.values().forEach(value -> commands.add(AdministrativeEntry.decodeVhost(value)));
    users.values().forEach(value -> commands.add(AdministrativeEntry.decodeUser(value)));
    permissions
        .values()
        .forEach(value -> commands.add(AdministrativeEntry.decodePermissions(value)));
    topicPermissions
        .values()
        .forEach(value -> commands.add(AdministrativeEntry.decodeTopicPermissions(value)));
    globalParameters
        .values()
        .forEach(value -> commands.add(AdministrativeEntry.decodeGlobalParameter(value)));
    return commands;
  }

  /** What is to be done for a command; it is encoded when this returns. */
  static Consumer<AdministrativeMaps> prepare(Administrative command) {
    if (command instanceof VhostDeclared declared) {
      return put(maps -> maps.vhosts, declared.vhost(), AdministrativeEntry.encode(declared));
    } else if (command instanceof VhostDeleted deleted) {
      return maps -> {
        maps.vhosts.remove(deleted.vhost());
        maps.removePermissions(set -> set.vhost().equals(deleted.vhost()));
        maps.removeTopicPermissions(set -> set.vhost().equals(deleted.vhost()));
      };
    } else if (command instanceof UserDeclared declared) {
      return put(maps -> maps.users, declared.user().name(), AdministrativeEntry.encode(declared));
    } else if (command instanceof UserDeleted deleted) {
      return maps -> {
        maps.users.remove(deleted.user());
        maps.removePermissions(set -> set.user().equals(deleted.user()));
        maps.removeTopicPermissions(set -> set.user().equals(deleted.user()));
      };
    } else if (command instanceof PermissionsSet set) {
      return put(
          maps -> maps.permissions,
          MetadataEntry.key(set.vhost(), set.user()),
          AdministrativeEntry.encode(set));
    } else if (command instanceof PermissionsCleared cleared) {
      return maps -> maps.permissions.remove(MetadataEntry.key(cleared.vhost(), cleared.user()));
    } else if (command instanceof TopicPermissionsSet set) {
      return put(
          maps -> maps.topicPermissions,
          topicKey(set.vhost(), set.user(), set.exchange()),
          AdministrativeEntry.encode(set));
    } else if (command instanceof TopicPermissionsCleared cleared) {
      return maps ->
          maps.topicPermissions.remove(
              topicKey(cleared.vhost(), cleared.user(), cleared.exchange()));
    } else if (command instanceof GlobalParameterSet set) {
      return put(maps -> maps.globalParameters, set.name(), AdministrativeEntry.encode(set));
    }
    GlobalParameterCleared cleared = (GlobalParameterCleared) command;
    return maps -> maps.globalParameters.remove(cleared.name());
  }

  private static Consumer<AdministrativeMaps> put(
      Function<AdministrativeMaps, MVMap<String, byte[]>> map, String key, byte[] value) {
    byte[] checked = MetadataMaps.modest(value);
    return maps -> map.apply(maps).put(key, checked);
  }

  private static String topicKey(String vhost, String user, String exchange) {
    return MetadataEntry.key(MetadataEntry.key(vhost, user), exchange);
  }

  private void removePermissions(Predicate<PermissionsSet> doomed) {
    removeIf(permissions, value -> doomed.test(AdministrativeEntry.decodePermissions(value)));
  }

  private void removeTopicPermissions(Predicate<TopicPermissionsSet> doomed) {
    removeIf(
        topicPermissions, value -> doomed.test(AdministrativeEntry.decodeTopicPermissions(value)));
  }

  private static void removeIf(MVMap<String, byte[]> map, Predicate<byte[]> doomed) {
    List<String> keys = new ArrayList<>();
    map.forEach(
        (key, value) -> {
          if (doomed.test(value)) {
            keys.add(key);
          }
        });
    keys.forEach(map::remove);
  }
}
