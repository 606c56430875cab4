package io.mayflymq.it.pod;

import io.mayflymq.it.harness.NodeNetwork;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A {@code RabbitmqCluster} and its pods, as version 2.22 of RabbitMQ's cluster operator has
 * Kubernetes make them: the files of its ConfigMaps and Secrets, the volumes, the environment.
 *
 * <p>Source: the operator's {@code internal/resource}: {@code configmap.go}, {@code
 * default_user_secret.go}, {@code erlang_cookie.go}, {@code rabbitmq_plugins.go}, {@code
 * statefulset.go}.
 */
final class OperatorCluster implements AutoCloseable {
  static final String USER = "default_user_of_the_test";
  static final String PASSWORD = "a password of the test";

  private static final String NAME = "mq";
  private static final String NAMESPACE = "shop";
  private static final String SERVICE = NAME + "-nodes";

  /** 32 characters, as the operator draws them. */
  private static final String COOKIE = "q8WcS0x1m-2ZfVb7kT_e5RyHn4uLdA9j";

  /** The memory is four fifths of a limit of 2 GiB; the second line is the user's. */
  private static final String USER_DEFINED =
      """
      total_memory_available_override_value = 1717986919
      disk_free_limit.absolute              = 1MB
      """;

  private final Path directory;
  private final UnpackedImage image;
  private final NodeNetwork network;
  private final Path hosts;

  /** The networks that no pod has, each with its address. */
  private final Deque<Integer> free = new ArrayDeque<>();

  /** The networks of pods by their ordinals. */
  private final Map<Integer, Integer> used = new TreeMap<>();

  private final Map<Integer, Pod> pods = new TreeMap<>();
  private int created;

  private OperatorCluster(Path directory, UnpackedImage image, NodeNetwork network, int networks) {
    this.directory = directory;
    this.image = image;
    this.network = network;
    this.hosts = directory.resolve("hosts");
    for (int i = 0; i < networks; i++) {
      free.add(i);
    }
  }

  /**
   * Prepares what all pods have in common; the test is skipped with the reason where that is not
   * permitted.
   *
   * @param networks how many pods there may be at once
   */
  static OperatorCluster in(Path directory, int networks) throws IOException {
    UnpackedImage image = UnpackedImage.in(directory);
    return new OperatorCluster(directory, image, NodeNetwork.create(networks), networks);
  }

  /** Returns the name of a pod, which is the first part of its host name. */
  static String podName(int ordinal) {
    return "%s-server-%d".formatted(NAME, ordinal);
  }

  /** Returns the host name of a pod in the domain of the headless service. */
  static String host(int ordinal) {
    return "%s.%s.%s".formatted(podName(ordinal), SERVICE, NAMESPACE);
  }

  static String nodeName(int ordinal) {
    return "rabbit@" + host(ordinal);
  }

  /**
   * Makes a pod: one that is new has an empty volume, another one that of the pod before it. Its
   * address is another one each time.
   *
   * @param replicas how many pods there are to be
   * @param plugins beside those that the operator always wants
   */
  Pod create(int ordinal, int replicas, String... plugins) throws IOException {
    int at = free.remove();
    used.put(ordinal, at);
    Volumes claims = new Volumes(directory.resolve("claims"));
    // It belongs to root, and is open to the group 0.
    claims.directory(podName(ordinal), "rwxrwxr-x");
    Volumes made = new Volumes(directory.resolve("pod" + ++created));
    made.directory("cookie", "rwxrwxrwx");
    // The place of the persistent volume in this one.
    made.directory("cookie/mnesia", "rwxr-xr-x");
    made.directory("operator", "rwxrwxrwx");
    made.file("erlang-cookie-secret/.erlang.cookie", COOKIE);
    made.file("plugins-conf/enabled_plugins", "[" + String.join(",", plugins(plugins)) + "].");
    made.file("conf/operatorDefaults.conf", operatorDefaults(replicas));
    made.file("conf/userDefinedConfiguration.conf", USER_DEFINED);
    made.file("conf/default_user.conf", "default_user = " + USER + "\ndefault_pass = " + PASSWORD);
    made.file("pod-info/skipPreStopChecks", "");
    resolve();
    Pod pod =
        new Pod(
            image,
            made,
            claims.of(podName(ordinal)),
            hosts,
            network.wrapper(at),
            network.address(at),
            environment(ordinal));
    pods.put(ordinal, pod);
    return pod;
  }

  /** Has a pod end as Kubernetes ends it, and takes its address away. */
  void delete(int ordinal) throws IOException, InterruptedException {
    pods.remove(ordinal).end();
    free.add(used.remove(ordinal));
    resolve();
  }

  Pod pod(int ordinal) {
    return pods.get(ordinal);
  }

  /** The names of all pods that are there, also of those that are not ready. */
  private void resolve() {
    String names =
        used.entrySet().stream()
            .map(pod -> "%s %s%n".formatted(network.address(pod.getValue()), host(pod.getKey())))
            .collect(Collectors.joining());
    try {
      // The file stays the same, as the pods have it mounted.
      Files.writeString(hosts, "127.0.0.1 localhost\n" + names);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the plugins that the operator wants, and further ones. */
  static List<String> plugins(String... more) {
    return Stream.concat(
            Stream.of("rabbitmq_peer_discovery_k8s", "rabbitmq_prometheus", "rabbitmq_management"),
            Stream.of(more))
        .toList();
  }

  private static String operatorDefaults(int replicas) {
    return """
        log.console                                = true
        queue_master_locator                       = min-masters
        disk_free_limit.absolute                   = 2GB
        cluster_partition_handling                 = pause_minority
        cluster_formation.peer_discovery_backend   = rabbit_peer_discovery_k8s
        cluster_formation.k8s.host                 = kubernetes.default
        cluster_formation.k8s.address_type         = hostname
        cluster_formation.target_cluster_size_hint = %d
        cluster_name                               = %s
        auth_mechanisms.1                          = PLAIN
        auth_mechanisms.2                          = AMQPLAIN
        """
        .formatted(replicas, NAME);
  }

  private static List<String> environment(int ordinal) {
    List<String> environment = new ArrayList<>();
    environment.add("MY_POD_NAME=" + podName(ordinal));
    environment.add("MY_POD_NAMESPACE=" + NAMESPACE);
    environment.add("K8S_SERVICE_NAME=" + SERVICE);
    environment.add("RABBITMQ_ENABLED_PLUGINS_FILE=/operator/enabled_plugins");
    environment.add("RABBITMQ_USE_LONGNAME=true");
    environment.add("RABBITMQ_NODENAME=" + nodeName(ordinal));
    environment.add("K8S_HOSTNAME_SUFFIX=.%s.%s".formatted(SERVICE, NAMESPACE));
    return environment;
  }

  /** Ends what is left. */
  @Override
  public void close() {
    pods.values().forEach(Pod::kill);
    network.close();
    image.delete();
  }
}
