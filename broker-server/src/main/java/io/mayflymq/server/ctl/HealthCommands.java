package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The health checks of {@code rabbitmq-diagnostics}: exit code 0 if all is well, 69 if not, 64 if
 * the broker is stopped in its process.
 */
final class HealthCommands {
  private static final String SINGLE =
      "Node %s seems to be the only one in a single node cluster, the check does not apply";

  private static final String ACROSS = "--across-all-vhosts";

  private HealthCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("check_running", "Checks that the broker runs, and not only its process")
            .action(HealthCommands::checkRunning),
        Command.named(
                "is_running", "Tells whether the broker runs; the exit code is 0 if it does not")
            .action(HealthCommands::isRunning),
        Command.named("is_booting", "Tells whether the broker is still starting")
            .action(HealthCommands::isBooting),
        Command.named("check_alarms", "Checks that there are no alarms on any node")
            .action(HealthCommands::checkAlarms),
        Command.named("check_local_alarms", "Checks that there are no alarms on the node")
            .action(HealthCommands::checkLocalAlarms),
        Command.named("alarms", "Lists the alarms that are in effect")
            .shownAs(OutputFormat.STRING)
            .action(HealthCommands::alarms),
        Command.named("listeners", "Lists where the broker listens")
            .shownAs(OutputFormat.STRING)
            .action(HealthCommands::listeners),
        Command.named("check_port_connectivity", "Checks that each listener accepts connections")
            .action(HealthCommands::checkConnectivity),
        Command.named("check_port_listener", "Checks that the broker listens on a port")
            .arguments("port")
            .action(HealthCommands::checkPort),
        Command.named("check_protocol_listener", "Checks that the broker listens for a protocol")
            .arguments("protocol")
            .action(HealthCommands::checkProtocol),
        Command.named("check_virtual_hosts", "Checks that the queues of all virtual hosts answer")
            .action(HealthCommands::checkVirtualHosts),
        Command.named("check_certificate_expiration", "Checks that no certificate expires soon")
            .option(Option.number("<count>", "how many units from now, 4 by default", "--within"))
            .option(Option.text("<unit>", "days, weeks, months or years; weeks", "--unit"))
            .action(HealthCommands::checkCertificates),
        Command.named(
                "check_if_node_is_quorum_critical",
                "Checks that the cluster would go on without the node")
            .action(HealthCommands::quorumCritical),
        Command.named(
                "check_if_node_is_mirror_sync_critical", "Does not apply: there are no mirrors")
            .action(HealthCommands::mirrorCritical),
        Command.named(
                "check_for_quorum_queues_without_an_elected_leader",
                "Checks that quorum queues have leaders that can be reached")
            .inVhost()
            .arguments("pattern")
            .option(Option.flag("those of all virtual hosts", ACROSS))
            .action(HealthCommands::checkLeaders),
        Command.named(
                "check_if_metadata_store_is_initialized", "Checks that the node has its metadata")
            .action(invocation -> checkMetadata(invocation, "initialized")),
        Command.named(
                "check_if_metadata_store_is_initialized_with_data",
                "Checks that the node has its metadata")
            .action(invocation -> checkMetadata(invocation, "initialized/with-data")),
        Command.named(
                "check_if_any_deprecated_features_are_used",
                "Checks that nothing is used that RabbitMQ took away")
            .action(HealthCommands::checkDeprecated),
        Command.named(
                "has_reached_target_cluster_size",
                "Checks that as many nodes can be reached as the cluster is to have")
            .action(HealthCommands::targetSize),
        Command.named("server_version", "Displays the version of the broker")
            .shownAs(OutputFormat.STRING)
            .action(HealthCommands::version));
  }

  private static ControlException unhealthy(String text) {
    return ControlException.error(Sysexits.UNAVAILABLE, text);
  }

  private static Result checkRunning(Invocation invocation) {
    invocation.banner("Checking if MayflyMQ is running on node %s ...", invocation.node());
    if (!invocation.api().isBrokerRunning()) {
      throw unhealthy(notRunning(invocation));
    }
    return new Result.Done(running(invocation));
  }

  private static Result isRunning(Invocation invocation) {
    invocation.banner("Asking node %s for its status ...", invocation.node());
    boolean runs = invocation.api().isBrokerRunning();
    String text = runs ? running(invocation) : notRunning(invocation);
    return new Result.Value(Json.object("message", text, "result", runs), text);
  }

  private static String running(Invocation invocation) {
    return "MayflyMQ on node %s is fully booted and running".formatted(invocation.node());
  }

  private static String notRunning(Invocation invocation) {
    return "MayflyMQ on node %s is not running or has not fully booted yet (check with is_booting)"
        .formatted(invocation.node());
  }

  /** A broker that starts does not answer yet: then the error says that. */
  private static Result isBooting(Invocation invocation) {
    invocation.banner("Asking node %s for its boot status ...", invocation.node());
    invocation.api().isBrokerRunning();
    String text =
        "MayflyMQ on node %s is fully booted (check with is_running), stopped or has not started booting yet"
            .formatted(invocation.node());
    return new Result.Value(Json.object("message", text, "result", false), text);
  }

  private static Result checkAlarms(Invocation invocation) {
    askForAlarms(invocation, "local");
    List<String> alarms = Status.alarms(invocation);
    if (!alarms.isEmpty()) {
      throw ControlException.plain(Sysexits.UNAVAILABLE, String.join("\n", alarms));
    }
    return new Result.Done(noAlarms(invocation));
  }

  private static Result checkLocalAlarms(Invocation invocation) {
    askForAlarms(invocation, "local");
    List<String> alarms = Status.localAlarms(invocation);
    if (!alarms.isEmpty()) {
      throw unhealthy(String.join("\n", alarms));
    }
    return new Result.Done("Node %s reported no local alarms".formatted(invocation.node()));
  }

  private static Result alarms(Invocation invocation) {
    askForAlarms(invocation, "known");
    List<String> alarms = Status.alarms(invocation);
    return new Result.Value(
        told(invocation, "alarms", alarms),
        alarms.isEmpty() ? noAlarms(invocation) : String.join("\n", alarms));
  }

  /** The result of a command for programs, as RabbitMQ wraps it. */
  private static Map<String, Object> told(Invocation invocation, String what, Object value) {
    return Json.object("node", invocation.node(), "result", "ok", what, value);
  }

  private static void askForAlarms(Invocation invocation, String which) {
    invocation.banner(
        which.equals("local")
            ? "Asking node %s to report any local resource alarms ..."
            : "Asking node %s to report any known resource alarms ...",
        invocation.node());
  }

  private static String noAlarms(Invocation invocation) {
    return "Node %s reported no alarms, local or clusterwide".formatted(invocation.node());
  }

  private static Result listeners(Invocation invocation) {
    invocation.banner("Asking node %s to report its protocol listeners ...", invocation.node());
    List<Map<String, Object>> listeners = Status.listeners(invocation);
    return new Result.Value(
        told(invocation, "listeners", listeners),
        listeners.stream().map(Status::listener).collect(Collectors.joining("\n")));
  }

  private static Result checkConnectivity(Invocation invocation) {
    invocation.banner(
        "Testing TCP connections to all active listeners on node %s ...", invocation.node());
    List<Map<String, Object>> listeners = Status.listeners(invocation);
    List<String> failed =
        listeners.stream()
            .filter(listener -> !accepts(invocation, listener))
            .map(Status::listener)
            .toList();
    if (!failed.isEmpty()) {
      throw unhealthy(
          "Connection to ports of the following listeners on node %s failed: \n%s"
              .formatted(invocation.node(), String.join("\n", failed)));
    }
    return new Result.Done(
        "Successfully connected to ports %s on node %s."
            .formatted(ports(listeners), invocation.node()));
  }

  private static boolean accepts(Invocation invocation, Map<String, Object> listener) {
    int millis = (int) TimeUnit.SECONDS.toMillis(Math.min(invocation.timeoutSeconds(), 86_400));
    try (Socket socket = new Socket()) {
      InetAddress address =
          invocation.endpoint().local()
              ? InetAddress.getByName(String.valueOf(listener.get("ip_address")))
              : InetAddress.getByName(URI.create(invocation.endpoint().url()).getHost());
      socket.connect(
          new InetSocketAddress(
              address.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address,
              ((Number) listener.get("port")).intValue()),
          millis);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static String ports(List<Map<String, Object>> listeners) {
    TreeSet<Integer> ports = new TreeSet<>();
    listeners.forEach(listener -> ports.add(((Number) listener.get("port")).intValue()));
    return ports.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static Result checkPort(Invocation invocation) {
    int port = port(invocation.argument(0));
    invocation.banner(
        "Asking node %s if there's an active listener on port %d ...", invocation.node(), port);
    List<Map<String, Object>> listeners = Status.listeners(invocation);
    boolean found =
        listeners.stream().anyMatch(listener -> ((Number) listener.get("port")).intValue() == port);
    if (!found) {
      throw ControlException.plain(
          Sysexits.UNAVAILABLE,
          "No listener for port %d is active on node %s. Found listeners that use the following ports: %s"
              .formatted(port, invocation.node(), ports(listeners)));
    }
    return new Result.Done(
        "A listener for port %d is running on node %s.".formatted(port, invocation.node()));
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      if (port > 0) {
        return port;
      }
    } catch (NumberFormatException e) {
      // The same error as for a number that is no port.
    }
    throw ControlException.usage(
        Sysexits.DATA, "Bad argument: Argument must be a positive integer");
  }

  private static Result checkProtocol(Invocation invocation) {
    String protocol = invocation.argument(0);
    invocation.banner(
        "Asking node %s if there's an active listener for protocol %s ...",
        invocation.node(), protocol);
    try {
      invocation.api().get("health/checks/protocol-listener/" + Api.encode(protocol));
    } catch (ApiError e) {
      throw e.status() == 503
          ? unhealthy(
              "No listener for protocol %s is active on node %s. Found listeners for the following protocols: %s"
                  .formatted(protocol, invocation.node(), protocols(invocation)))
          : e;
    }
    return new Result.Done(
        "A listener for protocol %s is running on node %s.".formatted(protocol, invocation.node()));
  }

  private static String protocols(Invocation invocation) {
    return Status.listeners(invocation).stream()
        .map(listener -> String.valueOf(listener.get("protocol")))
        .distinct()
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private static Result checkVirtualHosts(Invocation invocation) {
    invocation.banner("Checking if all vhosts are running on node %s ...", invocation.node());
    check(invocation, "health/checks/virtual-hosts");
    return new Result.Done("Node %s reported all vhosts as running".formatted(invocation.node()));
  }

  private static Result checkCertificates(Invocation invocation) {
    long within = invocation.number("--within", 4);
    String given = invocation.option("--unit");
    String unit = given == null ? "weeks" : given;
    invocation.banner("Checking certificate expiration on node %s ...", invocation.node());
    check(
        invocation,
        Api.path("health", "checks", "certificate-expiration", String.valueOf(within), unit));
    return new Result.Done(
        "No certificates are expiring within %d %s."
            .formatted(within, within == 1 ? unit.replaceAll("s$", "") : unit));
  }

  /** Asks the API for a check, which answers 503 if it fails. */
  private static void check(Invocation invocation, String path) {
    try {
      invocation.api().get(path);
    } catch (ApiError e) {
      throw unhealthy(e.getMessage());
    }
  }

  private static Result checkLeaders(Invocation invocation) {
    String pattern = invocation.argument(0);
    boolean across = invocation.flag(ACROSS);
    String vhost = invocation.vhost();
    invocation.banner(
        "Checking leader replicas of quorum queues matching '%s' in %s ...",
        pattern, across ? "all vhosts" : "vhost " + vhost);
    String check = "health/checks/quorum-queues-without-elected-leaders/";
    String where = across ? "all-vhosts" : Api.path("vhost", vhost);
    try {
      invocation.api().get(check + where + "/pattern/" + Api.encode(pattern));
    } catch (ApiError e) {
      if (e.isNotFound()) {
        throw ControlException.noSuchVhost(vhost);
      }
      throw e.status() == 503 ? unhealthy(e.getMessage()) : e;
    }
    return new Result.Done(
        "Node %s reported all quorum queue as having responsive leader replicas"
            .formatted(invocation.node()));
  }

  private static Result checkMetadata(Invocation invocation, String kind) {
    invocation.banner(
        "Checking if metadata store on node %s has finished initializing ...", invocation.node());
    check(invocation, "health/checks/metadata-store/" + kind);
    return new Result.Done(
        "Metadata store on node %s has completed its initialization".formatted(invocation.node()));
  }

  private static Result checkDeprecated(Invocation invocation) {
    invocation.banner("Checking if any deprecated features are used ...");
    List<String> used =
        invocation.api().list("deprecated-features/used").stream()
            .map(feature -> "%s (%s)".formatted(feature.get("name"), feature.get("desc")))
            .toList();
    if (!used.isEmpty()) {
      throw unhealthy(
          "Cluster reported the following deprecated features in use:\n" + String.join("\n", used));
    }
    return new Result.Done("Cluster reported no deprecated features in use");
  }

  private static Result targetSize(Invocation invocation) {
    invocation.banner(
        "Checking if target cluster size has been reached on node %s ...", invocation.node());
    check(invocation, "health/checks/reached-target-cluster-size");
    return new Result.Done(
        "Target cluster size has been reached on node %s".formatted(invocation.node()));
  }

  private static Result quorumCritical(Invocation invocation) {
    invocation.banner(
        "Checking if node %s is critical for quorum of any quorum queues ...", invocation.node());
    if (Status.nodeCount(invocation) == 1) {
      return singleNode(invocation);
    }
    check(invocation, "health/checks/node-is-quorum-critical");
    return new Result.Done(
        "Node %s reported no quorum queues with minimum quorum".formatted(invocation.node()));
  }

  private static Result mirrorCritical(Invocation invocation) {
    invocation.banner(
        "Checking if node %s is critical for data safety of any classic mirrored queues ...",
        invocation.node());
    return singleNode(invocation);
  }

  private static Result singleNode(Invocation invocation) {
    if (!invocation.api().isBrokerRunning()) {
      throw unhealthy(notRunning(invocation));
    }
    return new Result.Done(SINGLE.formatted(invocation.node()));
  }

  private static Result version(Invocation invocation) {
    invocation.banner("Asking node %s for its version ...", invocation.node());
    Object version = Api.object(invocation.api().get("overview")).get("product_version");
    return new Result.Value(Json.object("value", version, "result", "ok"), String.valueOf(version));
  }
}
