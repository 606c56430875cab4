package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import io.mayflymq.shovel.client.BrokerUri;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Another broker, whose queues and clients come to this one: a RabbitMQ or a MayflyMQ, as its
 * management API shows it. It is only read.
 */
final class AdoptedBroker {
  /** The name of the upstream here, and the beginning of the names of shovels. */
  static final String NAME = "adopted";

  private static final String SHOVEL = "shovel";

  /** What would run twice: it goes on there until the adoption is finished. */
  private static final Set<String> RUNNING =
      Set.of(SHOVEL, "federation-upstream", "federation-upstream-set");

  /** What tells the brokers apart: by it links know where a message has been. */
  private static final Set<String> IDENTITY = Set.of("cluster_name", "internal_cluster_id");

  /** The sections of definitions that an import replaces. */
  private static final Set<String> REPLACED =
      Set.of(
          "vhosts",
          "users",
          "permissions",
          "topic_permissions",
          "parameters",
          "global_parameters",
          "policies");

  private static final Set<String> MOVED_TYPES = Set.of("classic", "quorum");
  private static final int PORT = 15672;
  private static final int TLS_PORT = 15671;

  private final String given;
  private final BrokerUri uri;
  private final String url;
  private final Api api;

  /** Null for all. */
  private final String vhost;

  /** What it says of itself. */
  private final Map<String, Object> overview;

  private AdoptedBroker(String given, BrokerUri uri, String url, Api api, String vhost) {
    this.given = given;
    this.uri = uri;
    this.url = url;
    this.api = api;
    this.vhost = vhost;
    this.overview = Api.object(get("overview"));
  }

  /**
   * Returns the broker that a command names: its address for AMQP, and that of its management API
   * if it is not the usual port of the same host. An address with a virtual host, or the option
   * {@code --vhost}, means only this one.
   *
   * @throws ControlException if it does not answer, or not to this user
   */
  static AdoptedBroker of(Invocation invocation) {
    String given = invocation.argument(0);
    BrokerUri uri;
    try {
      uri = BrokerUri.parse(given);
    } catch (IllegalArgumentException e) {
      throw ControlException.usage(
          Sysexits.DATA,
          "Bad argument: '%s' is no address of a broker: %s"
              .formatted(BrokerUri.withoutLogin(given), e.getMessage()));
    }
    if (uri.isLocal()) {
      throw ControlException.usage(
          Sysexits.DATA,
          "Bad argument: '%s' names no host: expected amqp://user:password@host"
              .formatted(BrokerUri.withoutLogin(given)));
    }
    String user = uri.user().isEmpty() ? "guest" : uri.user();
    String password = uri.user().isEmpty() ? "guest" : uri.password();
    String management = invocation.option(AdoptCommands.MANAGEMENT);
    String host = uri.host().indexOf(':') < 0 ? uri.host() : "[" + uri.host() + "]";
    String url =
        management == null
            ? uri.tls() ? "https://" + host + ":" + TLS_PORT : "http://" + host + ":" + PORT
            : management.replaceFirst("/+$", "");
    if (!url.startsWith("http://") && !url.startsWith("https://")) {
      throw ControlException.usage(
          Sysexits.DATA,
          "Bad argument: %s '%s' is no address: expected http://host:15672"
              .formatted(AdoptCommands.MANAGEMENT, url));
    }
    String authorities = uri.parameters().get("cacertfile");
    Endpoint endpoint =
        new Endpoint(
            url,
            Endpoint.basic(user, password),
            authorities == null ? null : Path.of(authorities),
            null,
            0,
            null);
    Api api =
        new Api(
            endpoint,
            invocation,
            reason ->
                ControlException.error(
                    Sysexits.UNAVAILABLE,
                    "the management API of the other broker cannot be had: %s\n%s says where it is"
                        .formatted(reason, AdoptCommands.MANAGEMENT)));
    String named = uri.vhost().equals("/") ? invocation.option(GlobalOptions.VHOST) : uri.vhost();
    return new AdoptedBroker(given, uri, url, api, named);
  }

  private Object get(String path) {
    try {
      return api.get(path);
    } catch (ApiError e) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "%s answers GET /api/%s with %d: %s%s"
              .formatted(
                  url,
                  path.replaceAll("\\?.*", ""),
                  e.status(),
                  e.getMessage(),
                  e.status() == 401 ? ". The user needs the tag administrator" : ""));
    }
  }

  /** Returns what it is and which version. */
  String product() {
    return "%s %s"
        .formatted(
            Objects.requireNonNullElse(overview.get("product_name"), "RabbitMQ"),
            Objects.requireNonNullElse(
                overview.get("product_version"), overview.get("rabbitmq_version")));
  }

  /** Returns its address without user and password. */
  @Override
  public String toString() {
    return BrokerUri.withoutLogin(given);
  }

  /** Returns whether it is the broker that adopts: a node's process has one number. */
  boolean isSameAs(Api ours) {
    String node = "nodes?columns=name,os_pid";
    String name = "overview?columns=cluster_name";
    return Objects.equals(get(node), ours.get(node)) && Objects.equals(get(name), ours.get(name));
  }

  /** Returns the address of a virtual host, with its login. */
  String uriOf(String ofVhost) {
    int authority = given.indexOf("://") + 3;
    int question = given.indexOf('?', authority);
    String place = question < 0 ? given : given.substring(0, question);
    int slash = place.indexOf('/', authority);
    return (slash < 0 ? place : place.substring(0, slash))
        + "/"
        + URLEncoder.encode(ofVhost, StandardCharsets.UTF_8).replace("+", "%20")
        + (question < 0 ? "" : given.substring(question));
  }

  /** Returns the user whom links and shovels log in as. */
  String user() {
    return uri.user().isEmpty() ? "guest" : uri.user();
  }

  /** Returns the virtual hosts that are adopted. */
  List<String> vhosts() {
    List<String> names =
        Api.objects(get("vhosts?columns=name")).stream()
            .map(each -> (String) each.get("name"))
            .sorted()
            .toList();
    if (vhost == null) {
      return names;
    }
    if (!names.contains(vhost)) {
      throw ControlException.error(
          Sysexits.DATA, "there is no virtual host '%s' at %s".formatted(vhost, this));
    }
    return List.of(vhost);
  }

  /** Returns the virtual hosts in which the user of the address has permissions. */
  Set<String> permittedVhosts() {
    Set<String> permitted = new TreeSet<>();
    for (Map<String, Object> each :
        Api.objects(get(Api.path("users", user(), "permissions") + "?columns=vhost"))) {
      permitted.add((String) each.get("vhost"));
    }
    return permitted;
  }

  /** Returns its definitions, of all virtual hosts or of the one that is adopted. */
  Map<String, Object> definitions() {
    return Json.asObject((Map<?, ?>) get(definitionsPath()));
  }

  /** Returns the path of the same definitions, there and here. */
  String definitionsPath() {
    return vhost == null ? "definitions" : Api.path("definitions", vhost);
  }

  /**
   * Returns definitions without what would run twice, or only that.
   *
   * @param running whether only that
   */
  static Map<String, Object> definitions(Map<String, Object> all, boolean running) {
    Map<String, Object> chosen = Json.object();
    all.forEach(
        (section, items) -> {
          if (section.equals("parameters")) {
            chosen.put(
                section,
                Api.objects(items).stream()
                    .filter(each -> RUNNING.contains(each.get("component")) == running)
                    .toList());
          } else if (section.equals("global_parameters") && !running) {
            chosen.put(
                section,
                Api.objects(items).stream()
                    .filter(each -> !IDENTITY.contains(each.get("name")))
                    .toList());
          } else if (!running) {
            chosen.put(section, items);
          }
        });
    return chosen;
  }

  /**
   * Returns definitions without those that an import would replace: what has the same name here.
   * Exchanges, queues and bindings an import leaves as they are.
   */
  static Map<String, Object> missing(Map<String, Object> theirs, Map<String, Object> ours) {
    Map<String, Object> chosen = Json.object();
    theirs.forEach(
        (section, items) -> {
          if (REPLACED.contains(section) && ours.get(section) instanceof List<?> here) {
            Set<List<Object>> names =
                Api.objects(here).stream().map(AdoptedBroker::identity).collect(Collectors.toSet());
            chosen.put(
                section,
                Api.objects(items).stream()
                    .filter(each -> !names.contains(identity(each)))
                    .toList());
          } else {
            chosen.put(section, items);
          }
        });
    return chosen;
  }

  private static List<Object> identity(Map<String, Object> definition) {
    return Arrays.asList(
        definition.get("vhost"),
        definition.get("component"),
        definition.get("name"),
        definition.get("user"),
        definition.get("exchange"));
  }

  /**
   * A queue of the other broker.
   *
   * @param stays why it stays there; null if its messages come here
   * @param waits whether its messages wait for their time: it has no consumers, and what dies goes
   *     on to a dead letter exchange
   * @param messages in it, as far as they are counted there
   * @param delayed messages that are not yet in it, as a MayflyMQ counts them
   * @param consumers of it, also those of links
   */
  record Queue(
      String vhost,
      String name,
      String stays,
      boolean waits,
      long messages,
      long delayed,
      long consumers) {
    /** Returns how texts name it. */
    String label() {
      return "'%s' in virtual host '%s'".formatted(name, vhost);
    }
  }

  /** Returns its queues, in the order of their names. */
  List<Queue> queues() {
    String columns =
        "?columns=vhost,name,type,durable,exclusive,arguments,effective_policy_definition,"
            + "messages,messages_delayed,consumers";
    List<Queue> queues = new ArrayList<>();
    for (Map<String, Object> queue :
        Api.objects(get((vhost == null ? "queues" : Api.path("queues", vhost)) + columns))) {
      long consumers = ControlValues.number(queue, "consumers");
      boolean deadLetters =
          ControlValues.at(queue, "arguments", "x-dead-letter-exchange") != null
              || ControlValues.at(queue, "effective_policy_definition", "dead-letter-exchange")
                  != null;
      queues.add(
          new Queue(
              (String) queue.get("vhost"),
              (String) queue.get("name"),
              stays(queue),
              deadLetters && consumers == 0,
              ControlValues.number(queue, "messages"),
              ControlValues.number(queue, "messages_delayed"),
              consumers));
    }
    queues.sort(Comparator.comparing(Queue::vhost).thenComparing(Queue::name));
    return queues;
  }

  private static String stays(Map<String, Object> queue) {
    String type = String.valueOf(queue.get("type"));
    if (Boolean.TRUE.equals(queue.get("exclusive"))) {
      return "it is exclusive: its client declares it where it connects";
    } else if (Boolean.FALSE.equals(queue.get("durable"))) {
      return "it is transient: its clients declare it where they connect";
    } else if (!MOVED_TYPES.contains(type)) {
      return "it is a " + type + ": read it there, from an offset, and publish what is needed";
    } else {
      return null;
    }
  }

  /** Returns how many messages wait in exchanges of the plugin for delayed messages. */
  long delayed() {
    return Api.objects(get("exchanges?columns=vhost,name,messages_delayed")).stream()
        .filter(each -> vhost == null || vhost.equals(each.get("vhost")))
        .mapToLong(each -> ControlValues.number(each, "messages_delayed"))
        .sum();
  }

  /**
   * A client's connection.
   *
   * @param peer its address
   * @param user its user
   * @param name that the client gives it; empty if none
   */
  record Client(String peer, String user, String name) {
    @Override
    public String toString() {
      return "%s, user '%s'%s".formatted(peer, user, name.isEmpty() ? "" : ", " + name);
    }
  }

  /**
   * Returns the connections of its clients, without those of links and shovels, from here and its
   * own: what these do there is imported with the end of the adoption.
   */
  List<Client> clients() {
    Set<String> shovels = new TreeSet<>();
    List<String> links = new ArrayList<>();
    for (Map<String, Object> parameter : runningParameters()) {
      if (parameter.get("component").equals(SHOVEL)) {
        shovels.add("Shovel " + parameter.get("name"));
      } else {
        links.add("Federation link (upstream: " + parameter.get("name") + ",");
      }
    }
    return clients(
            Api.objects(get("connections?columns=vhost,name,user,client_properties")).stream()
                .filter(each -> vhost == null || vhost.equals(each.get("vhost")))
                .toList())
        .stream()
        .filter(client -> !shovels.contains(client.name()))
        .filter(client -> links.stream().noneMatch(client.name()::startsWith))
        .toList();
  }

  private List<Map<String, Object>> runningParameters() {
    return Api.objects(definitions(definitions(), true).getOrDefault("parameters", List.of()));
  }

  /** Returns those of a list of connections that are none of an adoption's links and shovels. */
  static List<Client> clients(List<Map<String, Object>> connections) {
    List<Client> clients = new ArrayList<>();
    for (Map<String, Object> each : connections) {
      Object given = ControlValues.at(each, "client_properties", "connection_name");
      String name = given instanceof String text ? text : "";
      if (!name.startsWith("Federation link (upstream: " + NAME + ",")
          && !name.startsWith("Shovel " + NAME + " ")) {
        clients.add(
            new Client(
                String.valueOf(each.get("name")).replaceFirst(" -> .*", ""),
                String.valueOf(each.get("user")),
                name));
      }
    }
    return clients;
  }
}
