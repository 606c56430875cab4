package io.mayflymq.server.management.api;

import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The API's description in the form of OpenAPI 3.0: each operation of the router, with what the
 * catalog {@code operations.txt} says about it. Any thread may call.
 */
public final class OpenApi {
  private static final String CATALOG = "/io/mayflymq/server/management/operations.txt";
  private static final Set<String> OF_LISTS =
      Set.of(
          "page", "page_size", "name", "use_regex", "all_names", "sort", "sort_reverse", "columns");
  private static final Set<String> OF_HISTORY =
      Set.of(
          "msg_rates_age",
          "msg_rates_incr",
          "lengths_age",
          "lengths_incr",
          "data_rates_age",
          "data_rates_incr");
  private static final Set<String> FLAGS =
      Set.of("all_names", "use_regex", "sort_reverse", "disable_stats", "enable_queue_totals");
  private static final Set<String> NUMBERS =
      Set.of("page", "page_size", "limit", "lines", "count", "truncate", "from");

  private final Map<String, Operation> operations;

  private OpenApi(Map<String, Operation> operations) {
    this.operations = operations;
  }

  /**
   * Describes the operations of a router.
   *
   * @throws IllegalStateException if the catalog lacks one of them, or has others
   */
  public static OpenApi of(RequestRouter router) {
    Map<String, Operation> catalog =
        catalog().stream()
            .collect(
                Collectors.toMap(Operation::key, each -> each, (a, b) -> a, LinkedHashMap::new));
    Set<String> served = new TreeSet<>(router.operations());
    if (!served.equals(catalog.keySet())) {
      Set<String> missing = new TreeSet<>(served);
      missing.removeAll(catalog.keySet());
      Set<String> stale = new TreeSet<>(catalog.keySet());
      stale.removeAll(served);
      throw new IllegalStateException(
          "operations.txt lacks %s and has %s, which are not served".formatted(missing, stale));
    }
    return new OpenApi(catalog);
  }

  /** Returns what the catalog says of each operation, in its order. */
  static List<Operation> catalog() {
    try (InputStream in = OpenApi.class.getResourceAsStream(CATALOG)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(Operation::parse)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the document. */
  public Map<String, Object> document() {
    Map<String, Object> paths = new LinkedHashMap<>();
    for (Operation operation : operations.values()) {
      @SuppressWarnings("unchecked") // the map that is filled was created here
      Map<String, Object> path =
          (Map<String, Object>)
              paths.computeIfAbsent(
                  "/" + operation.template(), any -> new LinkedHashMap<String, Object>());
      path.put(operation.method().toLowerCase(Locale.ROOT), describe(operation));
    }
    return Json.object(
        "openapi", "3.0.3",
        "info",
            Json.object(
                "title", BuildInfo.PRODUCT + " HTTP API",
                "description",
                    "RabbitMQ's management API, and what MayflyMQ adds to it. Names in paths are"
                        + " percent-encoded: the virtual host / is %2F.",
                "version", BuildInfo.version()),
        "servers", List.of(Json.object("url", "../api")),
        "security", List.of(Json.object("basic", List.of())),
        "paths", paths,
        "components",
            Json.object(
                "securitySchemes",
                    Json.object("basic", Json.object("type", "http", "scheme", "basic")),
                "responses", Json.object("error", error())));
  }

  private static Map<String, Object> error() {
    Map<String, Object> fields =
        Json.object(
            "error", Json.object("type", "string"),
            "reason", Json.object(),
            "detail", Json.object("type", "string"));
    return Json.object(
        "description",
        "An error: 400 bad request, 401 not logged in or not permitted, 404 not found,"
            + " 405 wrong method, 409 conflict, 413 body too large, 503 unavailable",
        "content",
        content(Json.object("type", "object", "properties", fields)));
  }

  private static Map<String, Object> content(Map<String, Object> schema) {
    return Json.object("application/json", Json.object("schema", schema));
  }

  private static Map<String, Object> describe(Operation operation) {
    Map<String, Object> object =
        Json.object(
            "tags", List.of(operation.group()),
            "summary", operation.summary(),
            "operationId", id(operation),
            "parameters", parameters(operation));
    if (!operation.fields().isEmpty()) {
      object.put("requestBody", body(operation.fields()));
    }
    object.put("responses", responses(operation));
    return object;
  }

  /** Returns an identifier such as {@code get_queues_vhost_queue}. */
  private static String id(Operation operation) {
    return operation
        .key()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^a-z0-9]+", "_")
        .replaceAll("_$", "");
  }

  private static List<Map<String, Object>> parameters(Operation operation) {
    List<Map<String, Object>> parameters = new ArrayList<>();
    for (String name : operation.pathNames()) {
      parameters.add(parameter(name, "path"));
    }
    for (String name : operation.query()) {
      Set<String> names =
          switch (name) {
            case "list" -> new TreeSet<>(OF_LISTS);
            case "history" -> new TreeSet<>(OF_HISTORY);
            default -> Set.of(name);
          };
      names.forEach(each -> parameters.add(parameter(each, "query")));
    }
    return parameters;
  }

  private static Map<String, Object> parameter(String name, String in) {
    boolean number = in.equals("query") && (NUMBERS.contains(name) || OF_HISTORY.contains(name));
    boolean flag = name.startsWith("if-") || FLAGS.contains(name);
    return Json.object(
        "name",
        name,
        "in",
        in,
        "required",
        in.equals("path"),
        "schema",
        Json.object("type", number ? "integer" : flag ? "boolean" : "string"));
  }

  private static Map<String, Object> body(List<Operation.Field> fields) {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (Operation.Field field : fields) {
      properties.put(field.name(), schema(field.type()));
    }
    Map<String, Object> schema = Json.object("type", "object", "properties", properties);
    List<String> required =
        fields.stream().filter(Operation.Field::required).map(Operation.Field::name).toList();
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    return Json.object("required", !required.isEmpty(), "content", content(schema));
  }

  private static Map<String, Object> schema(String type) {
    return switch (type) {
      case "any" -> Json.object();
      case "array" -> Json.object("type", "array", "items", Json.object());
      default -> Json.object("type", type);
    };
  }

  private static Map<String, Object> responses(Operation operation) {
    Map<String, Object> responses = new LinkedHashMap<>();
    Map<String, Object> answer =
        Json.object("description", "The answer", "content", content(Json.object()));
    Map<String, Object> done = Json.object("description", "Done");
    switch (operation.method()) {
      case "GET" -> responses.put("200", answer);
      case "PUT" -> {
        responses.put("201", Json.object("description", "Created"));
        responses.put("204", Json.object("description", "Changed, or as it was"));
      }
      case "DELETE" -> responses.put("204", done);
      default -> {
        responses.put("200", answer);
        responses.put("201", Json.object("description", "Created"));
        responses.put("204", done);
      }
    }
    responses.put("default", Json.object("$ref", "#/components/responses/error"));
    return responses;
  }
}
