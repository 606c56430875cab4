package io.mayflymq.server.management.resource;

import io.mayflymq.server.cluster.StoppedMember;
import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.LogCategory;
import io.mayflymq.server.config.LogLevel;
import io.mayflymq.server.config.NodeAddress;
import io.mayflymq.server.config.ValueType;
import io.mayflymq.server.config.ValueTypes;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.logging.LogTail;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.JvmState;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Operations on the process and its configuration, which are also available while the broker is
 * stopped. They are served below {@code /control/}, which is for administrators only.
 */
public final class ProcessResource {
  private static final int USUAL_LINES = 50;
  private static final int MOST_LINES = 1_000;

  private final LiveConfiguration configuration;
  private final ProcessControl process;

  public ProcessResource(LiveConfiguration configuration, ProcessControl process) {
    this.configuration = configuration;
    this.process = process;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .post("stop", this::stop)
        .get("app", this::app)
        .put("app", this::setApp)
        .post("reset", this::reset)
        .put("cluster-seed", this::joinCluster)
        .post("lost-nodes", this::goOnWithout)
        .post("rotate-logs", this::rotateLogs)
        .put("log-level", this::setLogLevel)
        .get("log", this::log)
        .get("jvm", this::jvm)
        .get("environment", this::environment)
        .put("config/{key}", this::setConfig);
  }

  private Response stop(Request request) {
    process.stop();
    return new Response(202, Json.object("status", "stopping"), Map.of());
  }

  private Response app(Request request) {
    return Response.ok(Json.object("running", process.isRunning()));
  }

  private Response setApp(Request request) {
    Object running = request.body().fields().require("running").get("running");
    if (!(running instanceof Boolean wanted)) {
      throw ApiException.badRequest(
          "running should be true or false, actually was %s".formatted(running));
    }
    try {
      if (wanted) {
        process.startBroker();
      } else {
        process.stopBroker();
      }
      return Response.noContent();
    } catch (IOException e) {
      throw new ApiException(500, "not_started", e.getMessage());
    }
  }

  private Response reset(Request request) {
    boolean force = Boolean.TRUE.equals(request.body().fields().get("force"));
    try {
      process.reset(force);
      return Response.noContent();
    } catch (StartException e) {
      throw refused(e);
    } catch (IOException e) {
      throw new ApiException(500, "not_reset", e.getMessage());
    }
  }

  private static ApiException refused(StartException why) {
    return new ApiException(409, "refused", why.getMessage());
  }

  private Response joinCluster(Request request) {
    String node = request.body().fields().requiredText("node");
    ValueType<NodeAddress> type = ValueTypes.nodeAddress();
    NodeAddress seed =
        type.parser()
            .apply(node)
            .orElseThrow(
                () ->
                    ApiException.badRequest(
                        "node '%s': expected %s".formatted(node, type.expected())));
    try {
      process.joinCluster(seed);
      return Response.noContent();
    } catch (StartException e) {
      throw refused(e);
    } catch (IOException e) {
      throw new ApiException(500, "not_noted", e.getMessage());
    }
  }

  private Response goOnWithout(Request request) {
    try {
      StoppedMember.Loss loss = process.goOnWithout(request.body().fields().requiredText("node"));
      return Response.ok(Json.object("queues", loss.queues(), "others", loss.others()));
    } catch (StartException e) {
      throw refused(e);
    }
  }

  private Response rotateLogs(Request request) {
    return Response.ok(Json.object("rotated", process.rotateLog()));
  }

  private Response setLogLevel(Request request) {
    Body.Fields fields = request.body().fields().require("level");
    String level = fields.text("level", "");
    String category = fields.text("category", "");
    process.setLogLevel(
        category.isEmpty()
            ? Optional.empty()
            : Optional.of(
                LogCategory.named(category)
                    .orElseThrow(() -> unknown("log category", category, LogCategory.values()))),
        Arrays.stream(LogLevel.values())
            .filter(each -> each.name().equalsIgnoreCase(level))
            .findFirst()
            .orElseThrow(() -> unknown("log level", level, LogLevel.values())));
    return Response.noContent();
  }

  private static ApiException unknown(String what, String given, Enum<?>[] known) {
    return ApiException.badRequest(
        "%s '%s' is not one of %s"
            .formatted(
                what,
                given,
                Arrays.stream(known)
                    .map(each -> each.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", "))));
  }

  private Response log(Request request) {
    LogTail tail =
        request.query("after") == null
            ? process.lastOfLog((int) request.number("lines", USUAL_LINES, 0, MOST_LINES))
            : process.logAfter(request.number("after", 0, 0, Long.MAX_VALUE));
    return Response.ok(Json.object("lines", tail.lines(), "count", tail.count()));
  }

  private Response jvm(Request request) {
    return Response.ok(JvmState.read(configuration.settings().dataDir().toString()));
  }

  private Response environment(Request request) {
    List<Map<String, Object>> settings =
        configuration.effective().stream()
            .map(
                setting ->
                    Json.object(
                        "key", setting.key(), "value", setting.value(), "source", setting.source()))
            .toList();
    return Response.ok(settings);
  }

  private Response setConfig(Request request) {
    String value = request.body().fields().requiredText("value");
    try {
      configuration.set(request.parameter("key"), value);
      return Response.noContent();
    } catch (ConfigException e) {
      throw ApiException.badRequest(e.getMessage());
    }
  }
}
