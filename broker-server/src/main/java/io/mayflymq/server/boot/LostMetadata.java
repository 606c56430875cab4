package io.mayflymq.server.boot;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.User;
import io.mayflymq.core.store.OrphanedQueue;
import io.mayflymq.core.vhost.OrphanAdoption;
import io.mayflymq.server.config.DefaultsSettings;
import io.mayflymq.server.config.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Recreates lost metadata as far as possible from the messages. */
final class LostMetadata {
  private static final Logger LOGGER = LoggerFactory.getLogger(LostMetadata.class);

  private LostMetadata() {}

  /**
   * The queues that are left of, declared anew; and where nothing else is left, the defaults of a
   * new broker, which would not be taken for a new one any more.
   *
   * @param kept what is left of metadata
   */
  static List<MetadataCommand> replace(
      List<OrphanedQueue> orphans, List<MetadataCommand> kept, ServerSettings settings) {
    if (orphans.isEmpty()) {
      return List.of();
    }
    DefaultsSettings defaults = settings.defaults();
    List<MetadataCommand> commands = new ArrayList<>();
    if (kept.isEmpty() && settings.definitions().file().isEmpty()) {
      commands.add(new VhostDeclared(VhostDefinition.of(defaults.vhost())));
      commands.add(
          new UserDeclared(
              new User(
                  defaults.user(),
                  PasswordHash.of(defaults.password()),
                  List.copyOf(defaults.tags()))));
      commands.add(
          new PermissionsSet(
              defaults.user(),
              defaults.vhost(),
              Permissions.kept(defaults.configure(), defaults.write(), defaults.read())));
      warnOfDefaultUser(defaults);
    }
    List<MetadataCommand> known = new ArrayList<>(kept);
    known.addAll(commands);
    commands.addAll(OrphanAdoption.of(orphans, known, defaults.vhost()));
    return commands;
  }

  /** Says that there is a user again with a password that is widely known, perhaps. */
  static void warnOfDefaultUser(DefaultsSettings defaults) {
    LOGGER.warn(
        "there are no users: made user '{}' with the password of the configuration",
        defaults.user());
  }
}
