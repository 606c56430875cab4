package io.mayflymq.server.management.resource;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What RabbitMQ can switch on, as far as it means something here, and what it advises against
 * (rabbitmq.com/docs/feature-flags, rabbitmq.com/docs/deprecated-features). Everything is enabled
 * from the start: there are no other versions in a cluster to wait for.
 *
 * <p>Source of names and stability: RabbitMQ 4.3.6.
 */
public final class FeatureResource {
  /** By RabbitMQ's name, in the order of names. */
  private record Flag(String name, String description, String stability) {
    static Flag required(String name, String description) {
      return new Flag(name, description, REQUIRED);
    }

    static Flag stable(String name, String description) {
      return new Flag(name, description, "stable");
    }

    Map<String, Object> object() {
      return Json.object(
          "name",
          name,
          "desc",
          description,
          "doc_url",
          "",
          "state",
          "enabled",
          "stability",
          stability,
          "require_level",
          stability.equals(REQUIRED) ? "hard" : "none",
          "experiment_level",
          "supported",
          "callbacks",
          List.of(),
          "provided_by",
          PROVIDER);
    }
  }

  private static final String REQUIRED = "required";

  /** RabbitMQ has the name of an Erlang application here. */
  private static final String PROVIDER = "rabbit";

  private static final List<Flag> FLAGS =
      List.of(
          Flag.required("detailed_queues_endpoint", "queues/detailed answers in the HTTP API"),
          Flag.required(
              "drop_unroutable_metric", "Counts messages that were dropped as unroutable"),
          Flag.required("empty_basic_get_metric", "Counts basic.get of an empty queue"),
          Flag.required("implicit_default_bindings", "Default bindings are not stored"),
          Flag.required("khepri_db", "The nodes of a cluster agree upon metadata by a majority"),
          Flag.required("maintenance_mode_status", "Nodes can be drained"),
          Flag.required("quorum_queue", "Queues of type quorum"),
          Flag.required("rabbitmq_4.0.0", "The rules of RabbitMQ 4.0"),
          Flag.required("rabbitmq_4.1.0", "The rules of RabbitMQ 4.1"),
          Flag.required("rabbitmq_4.2.0", "The rules of RabbitMQ 4.2"),
          Flag.stable("rabbitmq_4.3.0", "The rules of RabbitMQ 4.3"),
          Flag.required("stream_filtering", "Filters of streams"),
          Flag.required("stream_queue", "Queues of type stream"),
          Flag.required("user_limits", "Limits of a user's connections and channels"),
          Flag.required("virtual_host_metadata", "Virtual hosts have descriptions and tags"));

  private static final String DOCUMENTATION = "https://www.rabbitmq.com/docs/deprecated-features";

  /** What tools look for that list all that RabbitMQ took away. */
  private static final List<Map<String, Object>> NEVER_HERE =
      List.of(
          neverHere(
              "classic_queue_mirroring", "Mirrors of classic queues: quorum queues have them"),
          neverHere("ram_node_type", "Nodes that keep no metadata on disk"));

  private static final List<DeprecatedFeature> DEPRECATED =
      Arrays.stream(DeprecatedFeature.values())
          .sorted(Comparator.comparing(DeprecatedFeature::featureName))
          .toList();

  private final ManagedBroker managed;

  public FeatureResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("feature-flags", FeatureResource::list)
        .put("feature-flags/{name}/enable", FeatureResource::enable)
        .get("deprecated-features", this::allDeprecated)
        .get(
            "deprecated-features/used",
            request -> deprecated(request, feature -> features().uses(feature) > 0));
  }

  private static Response list(Request request) {
    return Listing.of(FLAGS.stream().map(Flag::object).toList()).answer(request);
  }

  /** Nothing is left to do for a flag that is known. */
  private static Response enable(Request request) {
    request.principal().requireAdministrator();
    String name = request.parameter("name");
    if (FLAGS.stream().noneMatch(flag -> flag.name().equals(name))) {
      throw ApiException.badRequest("unsupported");
    }
    return Response.noContent();
  }

  private DeprecatedFeatures features() {
    return managed.broker().deprecatedFeatures();
  }

  private Response deprecated(Request request, Predicate<DeprecatedFeature> wanted) {
    return Listing.of(used(wanted)).answer(request);
  }

  private List<Map<String, Object>> used(Predicate<DeprecatedFeature> wanted) {
    return DEPRECATED.stream().filter(wanted).map(this::object).toList();
  }

  /** Lists what there is, and what there never was here. */
  private Response allDeprecated(Request request) {
    return Listing.of(Stream.concat(used(any -> true).stream(), NEVER_HERE.stream()).toList())
        .answer(request);
  }

  private static Map<String, Object> neverHere(String name, String description) {
    return Json.object(
        "name", name,
        "state", "denied",
        "desc", description,
        "deprecation_phase", DeprecatedFeature.Phase.REMOVED.wireName(),
        "doc_url", DOCUMENTATION,
        "provided_by", PROVIDER,
        "uses", 0);
  }

  private Map<String, Object> object(DeprecatedFeature feature) {
    return Json.object(
        "name", feature.featureName(),
        "state", features().permits(feature) ? "permitted" : "denied",
        "desc", feature.description(),
        "deprecation_phase", feature.phase().wireName(),
        "doc_url", DOCUMENTATION,
        "provided_by", feature.provider(),
        "uses", features().uses(feature));
  }
}
