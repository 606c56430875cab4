package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.List;

/** Commands that stop, start and reset the broker within its process. */
final class BrokerCommands {
  private static final List<String> DEPRECATED =
      List.of(
          "This command is DEPRECATED and will be removed in a future version.",
          "It performs intrusive, opinionated health checks and requires a fully booted node.",
          "Use one of the options covered in https://www.rabbitmq.com/monitoring.html#health-checks"
              + " instead.");

  private BrokerCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("stop_app", "Stops the broker, leaving its process and its control")
            .action(
                invocation -> {
                  invocation.banner("Stopping the broker on node %s ...", invocation.node());
                  return setRunning(invocation, false);
                }),
        Command.named("start_app", "Starts the broker in a process that is there already")
            .action(
                invocation -> {
                  invocation.banner("Starting node %s ...", invocation.node());
                  return setRunning(invocation, true);
                }),
        Command.named(
                "reset", "Lets a stopped broker leave its cluster and remove all that it keeps")
            .action(
                invocation -> {
                  invocation.banner("Resetting node %s ...", invocation.node());
                  return reset(invocation, false);
                }),
        Command.named(
                "force_reset",
                "Removes all that a stopped broker keeps, and does not tell its cluster")
            .action(
                invocation -> {
                  invocation.banner("Forcefully resetting node %s ...", invocation.node());
                  return reset(invocation, true);
                }),
        Command.named("node_health_check", "Checks that the broker works and has no alarms")
            .action(BrokerCommands::checkHealth));
  }

  private static Result setRunning(Invocation invocation, boolean running) {
    invocation.api().control("PUT", "app", Json.object("running", running));
    return Result.DONE;
  }

  private static Result reset(Invocation invocation, boolean force) {
    if (invocation.api().isBrokerRunning()) {
      throw ControlException.wrongState(
          "stopped", "Stop it with '%s stop_app'.".formatted(invocation.script()));
    }
    invocation.api().control("POST", "reset", Json.object("force", force));
    return Result.DONE;
  }

  private static Result checkHealth(Invocation invocation) {
    DEPRECATED.forEach(invocation::banner);
    invocation.banner("Timeout: %d seconds ...", invocation.timeoutSeconds());
    invocation.banner("Checking health of node %s ...", invocation.node());
    try {
      invocation.api().get("health/checks/alarms");
      for (var vhost : invocation.api().list("vhosts?columns=name")) {
        invocation.api().get(Api.path("aliveness-test", vhost.get("name").toString()));
      }
      return new Result.Done("Health check passed");
    } catch (ApiError e) {
      throw ControlException.error(
          Sysexits.SOFTWARE, "healthcheck failed. Message: " + e.getMessage());
    }
  }
}
