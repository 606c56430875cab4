package io.mayflymq.server.ctl;

import io.mayflymq.server.ctl.command.BrokerCommands;
import io.mayflymq.server.ctl.command.ClusterCommands;
import io.mayflymq.server.ctl.command.Command;
import io.mayflymq.server.ctl.command.ConnectionCommands;
import io.mayflymq.server.ctl.command.DeathCommands;
import io.mayflymq.server.ctl.command.DefinitionCommands;
import io.mayflymq.server.ctl.command.ListCommands;
import io.mayflymq.server.ctl.command.LogCommands;
import io.mayflymq.server.ctl.command.NodeCommands;
import io.mayflymq.server.ctl.command.ParameterCommands;
import io.mayflymq.server.ctl.command.PermissionCommands;
import io.mayflymq.server.ctl.command.PolicyCommands;
import io.mayflymq.server.ctl.command.QueueCommands;
import io.mayflymq.server.ctl.command.ScheduleCommands;
import io.mayflymq.server.ctl.command.SettingCommands;
import io.mayflymq.server.ctl.command.UserCommands;
import io.mayflymq.server.ctl.command.VhostCommands;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

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
          new Group("Definitions", DefinitionCommands::all),
          new Group("Operations", ConnectionCommands::all),
          new Group("Nodes", NodeCommands::all),
          new Group("Stopping and starting the broker", BrokerCommands::all),
          new Group("Configuration and Environment", SettingCommands::all),
          new Group("Logs", LogCommands::all),
          new Group("Cluster", ClusterCommands::all),
          new Group("Help", HelpCommands::all));

  private CommandRegistry() {}

  /** Returns the command of this name, or null. */
  static Command find(String name) {
    for (Group group : GROUPS) {
      for (Command command : group.commands().get()) {
        if (command.name().equals(name)) {
          return command;
        }
      }
    }
    return null;
  }

  /** Returns the commands that are shown, under the titles of their groups. */
  static Map<String, List<Command>> groups() {
    Map<String, List<Command>> groups = new LinkedHashMap<>();
    GROUPS.forEach(group -> groups.put(group.title(), group.commands().get()));
    return groups;
  }

  static List<String> names() {
    return groups().values().stream().flatMap(List::stream).map(Command::name).toList();
  }
}
