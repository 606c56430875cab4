package io.mayflymq.server.ctl;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Closing connections. */
final class ConnectionCommands {
  private ConnectionCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("close_connection", "Instructs the broker to close a connection")
            .arguments("connectionpid", "explanation")
            .noting("The pid is that of list_connections; the connection's name is good too.")
            .action(ConnectionCommands::close),
        Command.named(
                "close_all_connections",
                "Instructs the broker to close all connections for the specified vhost or the"
                    + " entire node")
            .inVhost()
            .option(Option.number("<limit>", "closes so many at most", "--limit"))
            .option(Option.flag("those of all virtual hosts", "--global"))
            .option(
                Option.number(
                    "<milliseconds>", "waits so long after each", "--per-connection-delay"))
            .arguments("explanation")
            .action(ConnectionCommands::closeAll),
        Command.named(
                "close_all_user_connections",
                "Instructs the broker to close all connections of the specified user")
            .arguments("username", "explanation")
            .action(ConnectionCommands::closeOfUser));
  }

  private static List<Map<String, Object>> connections(Invocation invocation) {
    return invocation.api().list("connections?columns=name,pid,vhost,user");
  }

  /** Returns whether there was such a connection still. */
  private static boolean close(Invocation invocation, Object name, String reason) {
    try {
      invocation.api().delete(Api.path("connections", name.toString()), Map.of("X-Reason", reason));
      return true;
    } catch (ApiError e) {
      if (e.isNotFound()) {
        return false;
      }
      throw e;
    }
  }

  private static Result close(Invocation invocation) {
    String pid = invocation.argument(0);
    String reason = invocation.argument(1);
    invocation.banner("Closing connection %s, reason: %s...", pid, reason);
    List<Map<String, Object>> found =
        connections(invocation).stream()
            .filter(each -> pid.equals(each.get("pid")) || pid.equals(each.get("name")))
            .toList();
    if (found.isEmpty() && !pid.matches("<.*\\.[0-9]+\\.[0-9]+\\.[0-9]+>")) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE, "Error:\n{:invalid_pid_syntax, \"%s\"}".formatted(pid));
    }
    found.forEach(each -> close(invocation, each.get("name"), reason));
    return Result.DONE;
  }

  private static Result closeAll(Invocation invocation) {
    String reason = invocation.argument(0);
    boolean global = invocation.flag("--global");
    long limit = invocation.number("--limit", 0L);
    invocation.banner(
        "Closing %s connections in %s, reason: %s...",
        limit == 0 ? "all" : Long.toString(limit),
        global ? "all vhosts" : "vhost " + invocation.vhost(),
        reason);
    if (invocation.dryRun()) {
      long meant =
          connections(invocation).stream()
              .filter(each -> global || invocation.vhost().equals(each.get("vhost")))
              .count();
      return wouldClose(limit == 0 ? meant : Math.min(limit, meant));
    }
    long closed = 0;
    for (Map<String, Object> connection : connections(invocation)) {
      boolean meant = global || invocation.vhost().equals(connection.get("vhost"));
      if (meant && (limit == 0 || closed < limit)) {
        closed += close(invocation, connection.get("name"), reason) ? 1 : 0;
        LockSupport.parkNanos(
            TimeUnit.MILLISECONDS.toNanos(invocation.number("--per-connection-delay", 0L)));
      }
    }
    return new Result.Done("Closed %d connections".formatted(closed));
  }

  private static Result closeOfUser(Invocation invocation) {
    String user = invocation.argument(0);
    String reason = invocation.argument(1);
    invocation.banner("Closing connections of user %s, reason: %s...", user, reason);
    List<Map<String, Object>> theirs =
        connections(invocation).stream().filter(each -> user.equals(each.get("user"))).toList();
    if (invocation.dryRun()) {
      return wouldClose(theirs.size());
    }
    theirs.forEach(each -> close(invocation, each.get("name"), reason));
    return Result.DONE;
  }

  private static Result wouldClose(long connections) {
    return new Result.Done("Would be closed: %d connections".formatted(connections));
  }
}
