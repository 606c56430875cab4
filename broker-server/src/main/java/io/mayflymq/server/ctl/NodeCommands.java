package io.mayflymq.server.ctl;

import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Commands about the broker as a process: whether it runs, its status, and its end. */
final class NodeCommands {
  private static final long START_SECONDS = 300;
  private static final long LOOK_MILLIS = 100;
  private static final String PID = "--pid";

  private NodeCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("ping", "Checks that the broker runs and lets us in")
            .action(NodeCommands::ping),
        Command.named(
                "await_startup", "Waits until the broker answers, 300 s unless told otherwise")
            .action(NodeCommands::awaitStartup),
        Command.named(
                "wait", "Waits until the broker of a process answers, or the process has ended")
            .optionalArgument("pidfile")
            .option(Option.number("<pid>", "the process, if there is no file", "-P", PID))
            .noting("Without --timeout it waits 300 s.")
            .action(NodeCommands::awaitProcess),
        Command.named("status", "Displays status of a node")
            .option(Option.text("<unit>", "of memory and disk: gb, mb or bytes", "--unit"))
            .shownAs(OutputFormat.STRING)
            .action(NodeCommands::status),
        Command.named("report", "Generates a report for support: the status, and what there is")
            .shownAs(OutputFormat.STRING)
            .action(NodeCommands::report),
        Command.named("list_node_auth_attempt_stats", "Lists authentication attempts at the API")
            .action(NodeCommands::attempts),
        Command.named("stop", "Stops the broker and waits for its end").action(NodeCommands::stop),
        Command.named("shutdown", "Stops the broker and waits for its end")
            .option(Option.flag("does not wait", "--no-wait"))
            .option(Option.flag("waits, as without it", "--wait"))
            .action(NodeCommands::shutdown));
  }

  private static Result ping(Invocation invocation) {
    invocation.banner(
        "Will ping %s. This only checks that the process runs and lets us in. Timeout: %d ms.",
        invocation.node(), TimeUnit.SECONDS.toMillis(invocation.timeoutSeconds()));
    // That the process answers is enough.
    invocation.api().isBrokerRunning();
    return new Result.Done("Ping succeeded");
  }

  private static Result awaitStartup(Invocation invocation) {
    long seconds = invocation.number(GlobalOptions.TIMEOUT, START_SECONDS);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (true) {
      ControlException notYet;
      try {
        Api api = new Api(invocation.lookAgain(), invocation);
        if (api.isBrokerRunning()) {
          return Result.DONE;
        }
        notYet =
            ControlException.error(
                Sysexits.UNAVAILABLE, "the broker is not running in its process");
      } catch (ControlException e) {
        if (e.exitCode() != Sysexits.UNAVAILABLE && e.exitCode() != Sysexits.TIMEOUT) {
          throw e;
        }
        notYet = ControlException.plain(Sysexits.TIMEOUT, e.getMessage());
      }
      if (System.nanoTime() > end) {
        throw notYet;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
    }
  }

  /** A process that has ended is not waited for any longer. */
  private static Result awaitProcess(Invocation invocation) {
    boolean given = invocation.option(PID) != null;
    if (given == !invocation.arguments().isEmpty()) {
      throw ControlException.usage(
          given ? "Cannot specify both pid and pidfile" : "No pid or pidfile specified");
    }
    long end =
        System.nanoTime()
            + TimeUnit.SECONDS.toNanos(invocation.number(GlobalOptions.TIMEOUT, START_SECONDS));
    long pid = given ? invocation.number(PID, 0) : pid(invocation, end);
    invocation.banner("Waiting for MayflyMQ while process %d is running", pid);
    while (!answers(invocation)) {
      if (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
        throw ControlException.error(Sysexits.UNAVAILABLE, "process_not_running");
      }
      pause(invocation, end);
    }
    return new Result.Done("MayflyMQ is running on node %s".formatted(invocation.node()));
  }

  private static boolean answers(Invocation invocation) {
    try {
      return new Api(invocation.lookAgain(), invocation).isBrokerRunning();
    } catch (ControlException e) {
      if (e.exitCode() != Sysexits.UNAVAILABLE && e.exitCode() != Sysexits.TIMEOUT) {
        throw e;
      }
      return false;
    }
  }

  private static long pid(Invocation invocation, long end) {
    Path file = Path.of(invocation.argument(0));
    invocation.banner("Waiting for pid file '%s' to appear", file);
    while (true) {
      try {
        return Long.parseLong(Files.readString(file).strip());
      } catch (NoSuchFileException e) {
        pause(invocation, end);
      } catch (NumberFormatException e) {
        throw ControlException.error(
            Sysexits.DATA, "%s: expected the number of a process".formatted(file));
      } catch (IOException e) {
        throw ControlException.error(
            Sysexits.DATA, "cannot read %s: %s".formatted(file, e.getClass().getSimpleName()));
      }
    }
  }

  private static void pause(Invocation invocation, long end) {
    if (System.nanoTime() > end) {
      throw ControlException.error(
          Sysexits.TIMEOUT,
          "operation wait timed out. Timeout value used: %d"
              .formatted(
                  TimeUnit.SECONDS.toMillis(
                      invocation.number(GlobalOptions.TIMEOUT, START_SECONDS))));
    }
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
  }

  private static Result status(Invocation invocation) {
    invocation.banner("Status of node %s ...", invocation.node());
    return Status.of(invocation);
  }

  private static Result report(Invocation invocation) {
    invocation.banner("Reporting server status of node %s ...\n", invocation.node());
    List<String> parts = new ArrayList<>();
    for (String name :
        List.of(
            "status",
            "cluster_status",
            "list_connections",
            "list_channels",
            "list_vhosts",
            "list_users")) {
      parts.add(name + "\n" + text(invocation.run(name)));
    }
    return new Result.Raw(String.join("\n\n", parts));
  }

  private static String text(Result result) {
    return result instanceof Result.Rows rows
        ? OutputFormat.TABLE.rows(rows, true)
        : OutputFormat.STRING.value((Result.Value) result);
  }

  private static Result attempts(Invocation invocation) {
    List<String> columns =
        List.of("protocol", "auth_attempts", "auth_attempts_failed", "auth_attempts_succeeded");
    invocation.banner("Listing authentication\n attempts for node \"%s\" ...", invocation.node());
    return new Result.Rows(
        columns,
        invocation.api().list(Api.path("auth", "attempts", invocation.node())).stream()
            .map(each -> ControlValues.only(each, columns))
            .collect(Collectors.toList()));
  }

  private static Result stop(Invocation invocation) {
    invocation.banner("Stopping and halting node %s ...", invocation.node());
    end(invocation, true);
    return Result.DONE;
  }

  private static Result shutdown(Invocation invocation) {
    boolean wait = !invocation.flag("--no-wait");
    invocation.banner(
        "Shutting down MayflyMQ node %s running at PID %d",
        invocation.node(), invocation.endpoint().pid());
    end(invocation, wait);
    if (wait) {
      invocation.banner("MayflyMQ node %s was shut down", invocation.node());
    }
    return Result.DONE;
  }

  private static void end(Invocation invocation, boolean wait) {
    long pid = invocation.endpoint().pid();
    invocation.api().control("POST", "stop", null);
    if (!wait) {
      return;
    }
    try {
      ProcessHandle process = ProcessHandle.of(pid).orElse(null);
      if (process != null) {
        process.onExit().get(invocation.timeoutSeconds(), TimeUnit.SECONDS);
      }
    } catch (TimeoutException e) {
      throw ControlException.plain(
          Sysexits.TIMEOUT,
          "Error: the process %d has not ended after %d s"
              .formatted(pid, invocation.timeoutSeconds()));
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the version of this command, which is that of the broker it came with. */
  public static Result version(Invocation invocation) {
    return new Result.Value(Json.object("version", BuildInfo.version()), BuildInfo.version());
  }
}
