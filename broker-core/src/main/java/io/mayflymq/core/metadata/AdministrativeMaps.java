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
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/** The maps of {@link StoredMetadataLog} for what administrators define. */
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

  void apply(Administrative command) {
    if (command instanceof VhostDeclared declared) {
      vhosts.put(declared.vhost(), AdministrativeEntry.encode(declared));
    } else if (command instanceof VhostDeleted deleted) {
      vhosts.remove(deleted.vhost());
      removePermissions(set -> set.vhost().equals(deleted.vhost()));
      removeTopicPermissions(set -> set.vhost().equals(deleted.vhost()));
    } else if (command instanceof UserDeclared declared) {
      users.put(declared.user().name(), AdministrativeEntry.encode(declared));
    } else if (command instanceof UserDeleted deleted) {
      users.remove(deleted.user());
      removePermissions(set -> set.user().equals(deleted.user()));
      removeTopicPermissions(set -> set.user().equals(deleted.user()));
    } else if (command instanceof PermissionsSet set) {
      permissions.put(MetadataEntry.key(set.vhost(), set.user()), AdministrativeEntry.encode(set));
    } else if (command instanceof PermissionsCleared cleared) {
      permissions.remove(MetadataEntry.key(cleared.vhost(), cleared.user()));
    } else if (command instanceof TopicPermissionsSet set) {
      topicPermissions.put(
          topicKey(set.vhost(), set.user(), set.exchange()), AdministrativeEntry.encode(set));
    } else if (command instanceof TopicPermissionsCleared cleared) {
      topicPermissions.remove(topicKey(cleared.vhost(), cleared.user(), cleared.exchange()));
    } else if (command instanceof GlobalParameterSet set) {
      globalParameters.put(set.name(), AdministrativeEntry.encode(set));
    } else if (command instanceof GlobalParameterCleared cleared) {
      globalParameters.remove(cleared.name());
    }
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

  /** Removes all that {@link MetadataEntry} has put under the name of a virtual host. */
  static void removeOf(String vhost, MVMap<String, byte[]> map) {
    String prefix = MetadataEntry.keysOf(vhost);
    List<String> keys = new ArrayList<>();
    Iterator<String> from = map.keyIterator(prefix);
    while (from.hasNext()) {
      String key = from.next();
      if (!key.startsWith(prefix)) {
        break;
      }
      keys.add(key);
    }
    keys.forEach(map::remove);
  }
}
