package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Runtime parameters, of a virtual host and of the whole broker. */
final class ParameterCommands {
  private ParameterCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("set_parameter", "Sets a runtime parameter.")
            .inVhost()
            .arguments("component_name", "name", "value")
            .action(ParameterCommands::set),
        Command.named("clear_parameter", "Clears a runtime parameter.")
            .inVhost()
            .arguments("component_name", "name")
            .action(ParameterCommands::clear),
        Command.named("list_parameters", "Lists runtime parameters for a virtual host")
            .inVhost()
            .action(ParameterCommands::list),
        Command.named("set_global_parameter", "Sets a runtime parameter.")
            .arguments("name", "value")
            .action(ParameterCommands::setGlobal),
        Command.named("clear_global_parameter", "Clears a global runtime parameter")
            .arguments("name")
            .action(ParameterCommands::clearGlobal),
        Command.named("list_global_parameters", "Lists global runtime parameters")
            .action(ParameterCommands::listGlobal));
  }

  private static ControlException missing() {
    return ControlException.error(Sysexits.UNAVAILABLE, "Parameter does not exist");
  }

  private static Result set(Invocation invocation) {
    String component = invocation.argument(0);
    String name = invocation.argument(1);
    String value = invocation.argument(2);
    String vhost = invocation.vhost();
    invocation.banner(
        "Setting runtime parameter \"%s\" for component \"%s\" to \"%s\" in vhost \"%s\" ...",
        name, component, value, vhost);
    Map<String, Object> body =
        Json.object(
            "component",
            component,
            "vhost",
            vhost,
            "name",
            name,
            "value",
            ControlValues.parse(value));
    try {
      invocation.api().put(Api.path("parameters", component, vhost, name), body);
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  private static Result clear(Invocation invocation) {
    String component = invocation.argument(0);
    String name = invocation.argument(1);
    String vhost = invocation.vhost();
    invocation.banner(
        "Clearing runtime parameter \"%s\" for component \"%s\" on vhost \"%s\" ...",
        name, component, vhost);
    try {
      invocation.api().delete(Api.path("parameters", component, vhost, name));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? missing() : e;
    }
  }

  private static Result list(Invocation invocation) {
    String vhost = invocation.vhost();
    invocation.banner("Listing runtime parameters for vhost \"%s\" ...", vhost);
    if (!invocation.api().hasVhost(vhost)) {
      throw ControlException.noSuchVhost(vhost);
    }
    return rows(
        List.of("component", "name", "value"),
        invocation.api().list("parameters").stream()
            .filter(parameter -> vhost.equals(parameter.get("vhost")))
            .collect(Collectors.toList()));
  }

  private static Result setGlobal(Invocation invocation) {
    String name = invocation.argument(0);
    String value = invocation.argument(1);
    invocation.banner("Setting global runtime parameter \"%s\" to \"%s\" ...", name, value);
    invocation
        .api()
        .put(
            Api.path("global-parameters", name),
            Json.object("name", name, "value", ControlValues.parse(value)));
    return Result.DONE;
  }

  private static Result clearGlobal(Invocation invocation) {
    String name = invocation.argument(0);
    invocation.banner("Clearing global runtime parameter \"%s\" ...", name);
    try {
      invocation.api().delete(Api.path("global-parameters", name));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? missing() : e;
    }
  }

  private static Result listGlobal(Invocation invocation) {
    invocation.banner("Listing global runtime parameters ...");
    return rows(List.of("name", "value"), invocation.api().list("global-parameters"));
  }

  private static Result rows(List<String> columns, List<Map<String, Object>> parameters) {
    return new Result.Rows(
        columns,
        parameters.stream()
            .map(
                parameter -> {
                  Map<String, Object> row = ControlValues.only(parameter, columns);
                  row.put("value", JsonWriter.text(parameter.get("value")));
                  return row;
                })
            .collect(Collectors.toList()));
  }
}
