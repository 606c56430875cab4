package io.mayflymq.server.ctl;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All commands, in groups by subject. A group is created when it is first used. */
final class CommandRegistry {
  private record Group(String title, Supplier<List<Command>> commands) {}

  /**
   * The groups in search order, the most used first: finding a command creates the groups before
   * it.
   */
  private static final List<Group> GROUPS =
      List.of(
          new Group("Policies", PolicyCommands::all),
          new Group("Monitoring, observability and health checks", ListCommands::all),
          new Group("Queues", QueueCommands::all),
          new Group("Scheduled messages", ScheduleCommands::all),
          new Group("Dead letters", DeathCommands::all),
          new Group("Users", UserCommands::all),
          new Group("Access Control", PermissionCommands::all),
          new Group("Virtual hosts", VhostCommands::all),
          new Group("Parameters", ParameterCommands::all),
          new Group("Shovels", ShovelCommands::all),
          new Group("Federation", FederationCommands::all),
          new Group("Definitions", DefinitionCommands::all),
          new Group("What can go wrong", LintCommands::all),
          new Group("Moving in from another broker", AdoptCommands::all),
          new Group("A standby", StandbyCommands::all),
          new Group("Operations", ConnectionCommands::all),
          new Group("Nodes", NodeCommands::all),
          new Group("Health checks", HealthCommands::all),
          new Group("What a node is made of", RuntimeCommands::all),
          new Group("Backup", BackupCommands::all),
          new Group("Diagnostics", DiagnosticsCommands::all),
          new Group("Upgrade and replication", UpgradeCommands::all),
          new Group("Stopping and starting the broker", BrokerCommands::all),
          new Group("Configuration and Environment", SettingCommands::all),
          new Group("Encrypted values of the configuration", EncryptionCommands::all),
          new Group("Logs", LogCommands::all),
          new Group("Cluster", ClusterCommands::all),
          new Group("Queues of a cluster", MoveCommands::all),
          new Group("Replicas of queues", ReplicaCommands::all),
          new Group("A clock that is moved by hand", ClockCommands::all),
          new Group("Help", HelpCommands::all));

  /** The script that has commands of its own, whose names would mean too little in the others. */
  static final String PLUGINS_SCRIPT = "rabbitmq-plugins";

  private static final Group PLUGINS = new Group("Plugin Management", PluginCommands::all);

  private CommandRegistry() {}

  /**
   * Returns the command of this name, or null.
   *
   * @param script the name under which the control command was called
   */
  static Command find(String name, String script) {
    List<Group> groups =
        script.equals(PLUGINS_SCRIPT)
            ? Stream.concat(Stream.of(PLUGINS), GROUPS.stream()).toList()
            : GROUPS;
    for (Group group : groups) {
      for (Command command : group.commands().get()) {
        if (command.name().equals(name)) {
          return command;
        }
      }
    }
    return null;
  }

  /** Returns the commands that a script shows, under the titles of their groups. */
  static Map<String, List<Command>> groups(String script) {
    Map<String, List<Command>> groups = new LinkedHashMap<>();
    if (script.equals(PLUGINS_SCRIPT)) {
      groups.put(PLUGINS.title(), PLUGINS.commands().get());
      groups.put("Help", HelpCommands.all());
      return groups;
    }
    GROUPS.forEach(group -> groups.put(group.title(), group.commands().get()));
    return groups;
  }

  static List<String> names(String script) {
    return groups(script).values().stream().flatMap(List::stream).map(Command::name).toList();
  }
}
