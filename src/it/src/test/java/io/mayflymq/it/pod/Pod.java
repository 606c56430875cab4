package io.mayflymq.it.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.SystemCommand;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A pod with an init container and a container, on the image and with what is mounted there. What
 * is done to it is what the operator's manifest has Kubernetes do.
 *
 * <p>Source: the operator's {@code internal/resource/statefulset.go}.
 */
final class Pod {
  private static final int AMQP = 5672;
  private static final int MANAGEMENT = 15672;

  /** So long Kubernetes waits for the end; the operator's default is a week. */
  private static final int GRACE_SECONDS = Patience.SECONDS;

  private final UnpackedImage image;
  private final Volumes volumes;
  private final Path persistence;
  private final Path hosts;
  private final List<String> wrapper;
  private final String address;
  private final List<String> environment;
  private Process container;

  /**
   * @param persistence the volume that outlives it
   * @param hosts the file with the names and addresses of all pods
   * @param wrapper starts a process in its network
   * @param address where it is reached
   * @param environment the variables of its container, beside those of the image
   */
  Pod(
      UnpackedImage image,
      Volumes volumes,
      Path persistence,
      Path hosts,
      List<String> wrapper,
      String address,
      List<String> environment) {
    this.image = image;
    this.volumes = volumes;
    this.persistence = persistence;
    this.hosts = hosts;
    this.wrapper = wrapper;
    this.address = address;
    this.environment = environment;
  }

  /** Runs the init container: the files that the container has to own are copied. */
  void runInitContainer() throws IOException {
    Map<String, Path> mounts = new TreeMap<>();
    mounts.put("/tmp/rabbitmq-plugins", volumes.of("plugins-conf"));
    mounts.put("/tmp/erlang-cookie-secret", volumes.of("erlang-cookie-secret"));
    mounts.put("/tmp/default_user.conf", volumes.of("conf/default_user.conf"));
    mounts.put("/operator", volumes.of("operator"));
    mounts.put("/var/lib/rabbitmq", volumes.of("cookie"));
    mounts.put("/var/lib/rabbitmq/mnesia", persistence);
    String steps =
        """
        cp /tmp/erlang-cookie-secret/.erlang.cookie /var/lib/rabbitmq/.erlang.cookie \
        && chmod 600 /var/lib/rabbitmq/.erlang.cookie; \
        cp /tmp/rabbitmq-plugins/enabled_plugins /operator/enabled_plugins; \
        { echo '[default]'; sed -e 's/default_user/username/' -e 's/default_pass/password/' \
        /tmp/default_user.conf; } >/var/lib/rabbitmq/.rabbitmqadmin.conf \
        && chmod 600 /var/lib/rabbitmq/.rabbitmqadmin.conf; \
        sleep 0\
        """;
    List<String> command = command("init", mounts, List.of(), List.of("sh", "-c", steps));
    assertThat(SystemCommand.run(command).orFail()).isEmpty();
  }

  /** Starts the container, and does not wait. */
  void start() throws IOException {
    Map<String, Path> mounts = new TreeMap<>();
    mounts.put("/etc/hosts", hosts);
    mounts.put("/etc/pod-info", volumes.of("pod-info"));
    mounts.put(
        "/etc/rabbitmq/conf.d/10-operatorDefaults.conf", volumes.of("conf/operatorDefaults.conf"));
    mounts.put("/etc/rabbitmq/conf.d/11-default_user.conf", volumes.of("conf/default_user.conf"));
    mounts.put(
        "/etc/rabbitmq/conf.d/90-userDefinedConfiguration.conf",
        volumes.of("conf/userDefinedConfiguration.conf"));
    mounts.put("/operator", volumes.of("operator"));
    mounts.put("/var/lib/rabbitmq", volumes.of("cookie"));
    mounts.put("/var/lib/rabbitmq/mnesia", persistence);
    container =
        new ProcessBuilder(command("rabbitmq", mounts, environment, image.entrypoint()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.to(logFile().toFile()))
            .start();
  }

  /** Returns what starts a container with these volumes, by their places. */
  private List<String> command(
      String name, Map<String, Path> mounts, List<String> variables, List<String> entrypoint)
      throws IOException {
    for (Map.Entry<String, Path> mount : mounts.entrySet()) {
      image.mountPoint(mount.getKey(), Files.isDirectory(mount.getValue()));
    }
    Path list = volumes.of(name + ".volumes");
    // Shorter paths come first, so a volume in another one is mounted behind it.
    Files.write(
        list,
        mounts.entrySet().stream().map(mount -> mount.getValue() + " " + mount.getKey()).toList());
    Path script = volumes.of("container");
    try (InputStream resource = Pod.class.getResourceAsStream("container")) {
      Files.write(script, resource.readAllBytes());
    }
    List<String> command = new ArrayList<>(wrapper);
    command.addAll(List.of("unshare", "--mount", "--pid", "--fork", "--kill-child"));
    command.addAll(List.of("sh", script.toString(), image.root().toString(), list.toString()));
    command.addAll(image.environment());
    command.addAll(variables);
    command.addAll(entrypoint);
    return command;
  }

  /** Waits until the probes say that it has started and is ready. */
  void awaitReady() {
    await("startup probe")
        .ignoreExceptions()
        .until(
            () -> {
              assertThat(container.isAlive()).as(this::log).isTrue();
              return anonymous().get("health/checks/reached-target-cluster-size").status() == 200;
            });
    await("readiness probe").ignoreExceptions().until(this::accepts);
  }

  private boolean accepts() throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, AMQP), Patience.MILLIS);
      return true;
    }
  }

  /** Runs a command in the container, as {@code kubectl exec} does. */
  SystemCommand.Outcome exec(String... arguments) {
    String process = Long.toString(main().pid());
    List<String> command = new ArrayList<>();
    command.addAll(List.of("nsenter", "--target", process, "--mount", "--pid", "--net"));
    command.addAll(List.of("chroot", "--userspec=999:999", "--groups=999,0"));
    command.addAll(List.of(image.root().toString(), "env", "-i"));
    command.addAll(image.environment());
    command.addAll(environment);
    command.addAll(List.of(arguments));
    return SystemCommand.run(command);
  }

  /** Returns the process that is number 1 in the container. */
  private ProcessHandle main() {
    return container.children().findFirst().orElseThrow(() -> new AssertionError(log()));
  }

  /** Says that the cluster is to be deleted, so that no pod waits for others when it ends. */
  void skipPreStopChecks() throws IOException {
    volumes.file("pod-info/skipPreStopChecks", "true");
  }

  /** Ends it: the hook comes first, then SIGTERM. */
  void end() throws InterruptedException {
    String hook =
        """
        [ -z "$(cat /etc/pod-info/skipPreStopChecks)" ] || exit 0; \
        rabbitmq-upgrade await_online_quorum_plus_one -t %1$d \
        && rabbitmq-upgrade await_online_synchronized_mirror -t %1$d || true \
        && rabbitmq-upgrade drain -t %1$d\
        """
            .formatted(GRACE_SECONDS);
    exec("/bin/bash", "-c", hook).orFail();
    main().destroy();
    assertThat(container.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).as(this::log).isTrue();
    assertThat(container.exitValue()).as(this::log).isZero();
  }

  /** Ends it at once, if it runs. */
  void kill() {
    if (container != null) {
      container.destroyForcibly();
    }
  }

  /** Returns the management API for the user that the operator has made. */
  Http api() {
    return Http.at(address, MANAGEMENT, OperatorCluster.USER, OperatorCluster.PASSWORD);
  }

  private Http anonymous() {
    return api().anonymous();
  }

  /** Returns a factory for connections of the user that the operator has made. */
  ConnectionFactory factory() {
    ConnectionFactory factory = Target.factory(AMQP);
    factory.setHost(address);
    factory.setUsername(OperatorCluster.USER);
    factory.setPassword(OperatorCluster.PASSWORD);
    return factory;
  }

  private Path logFile() {
    return volumes.of("log");
  }

  /** Returns what its container has written. */
  String log() {
    try {
      return Files.readString(logFile());
    } catch (IOException e) {
      return e.toString();
    }
  }
}
