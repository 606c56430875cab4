package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Commands for permissions of users in virtual hosts. */
final class PermissionCommands {
  private PermissionCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("set_permissions", "Sets user permissions for a vhost")
            .inVhost()
            .arguments("username", "conf", "write", "read")
            .action(PermissionCommands::set),
        Command.named("set_permissions_globally", "Sets user permissions for all virtual hosts")
            .arguments("username", "conf", "write", "read")
            .action(PermissionCommands::setGlobally),
        Command.named("clear_permissions", "Revokes user permissions for a vhost")
            .inVhost()
            .arguments("username")
            .action(PermissionCommands::clear),
        Command.named("list_permissions", "Lists user permissions in a virtual host")
            .inVhost()
            .action(PermissionCommands::list),
        Command.named(
                "list_user_permissions", "Lists permissions of a user across all virtual hosts")
            .arguments("username")
            .action(PermissionCommands::listOfUser),
        Command.named("set_topic_permissions", "Sets user topic permissions for an exchange")
            .inVhost()
            .arguments("username", "exchange", "write", "read")
            .action(PermissionCommands::setTopic),
        Command.named(
                "clear_topic_permissions", "Clears user topic permissions for a vhost or exchange")
            .inVhost()
            .arguments("username")
            .optionalArgument("exchange")
            .action(PermissionCommands::clearTopic),
        Command.named("list_topic_permissions", "Lists topic permissions in a virtual host")
            .inVhost()
            .action(PermissionCommands::listTopic),
        Command.named("list_user_topic_permissions", "Lists user topic permissions")
            .arguments("username")
            .action(PermissionCommands::listTopicOfUser));
  }

  /**
   * Returns why the broker refused: it says the same of a missing user and of a missing virtual
   * host.
   */
  private static RuntimeException reason(
      Invocation invocation, ApiError refused, String vhost, String user) {
    if (invocation.api().find(Api.path("users", user)) == null) {
      return ControlException.error(Sysexits.NO_USER, "User %s does not exist".formatted(user));
    }
    return invocation.api().hasVhost(vhost)
        ? refused
        : ControlException.error(
            Sysexits.UNAVAILABLE, "Virtual host %s does not exist".formatted(vhost));
  }

  private static Map<String, Object> patterns(Invocation invocation) {
    return Json.object(
        "configure", invocation.argument(1),
        "write", invocation.argument(2),
        "read", invocation.argument(3));
  }

  private static Result set(Invocation invocation) {
    String user = invocation.argument(0);
    String vhost = invocation.vhost();
    invocation.banner("Setting permissions for user \"%s\" in vhost \"%s\" ...", user, vhost);
    put(invocation, "permissions", vhost, user, patterns(invocation));
    return Result.DONE;
  }

  private static void put(
      Invocation invocation, String what, String vhost, String user, Map<String, Object> body) {
    try {
      invocation.api().put(Api.path(what, vhost, user), body);
    } catch (ApiError e) {
      throw reason(invocation, e, vhost, user);
    }
  }

  private static Result setGlobally(Invocation invocation) {
    String user = invocation.argument(0);
    invocation.banner("Setting permissions for user \"%s\" in all virtual hosts ...", user);
    for (Map<String, Object> vhost : invocation.api().list("vhosts?columns=name")) {
      put(invocation, "permissions", vhost.get("name").toString(), user, patterns(invocation));
    }
    return Result.DONE;
  }

  private static Result clear(Invocation invocation) {
    String user = invocation.argument(0);
    String vhost = invocation.vhost();
    invocation.banner("Clearing permissions for user \"%s\" in vhost \"%s\" ...", user, vhost);
    deleteAny(invocation, Api.path("permissions", vhost, user), vhost, user);
    return Result.DONE;
  }

  /** Deletes what may not be there, as long as the user and the virtual host are. */
  private static void deleteAny(Invocation invocation, String path, String vhost, String user) {
    try {
      invocation.api().delete(path);
    } catch (ApiError e) {
      RuntimeException reason = reason(invocation, e, vhost, user);
      if (reason != e || !e.isNotFound()) {
        throw reason;
      }
    }
  }

  private static Result list(Invocation invocation) {
    return ofVhost(
        invocation,
        "Listing permissions for vhost \"%s\" ...",
        "permissions",
        List.of("user", "configure", "write", "read"));
  }

  private static Result ofVhost(
      Invocation invocation, String banner, String what, List<String> columns) {
    String vhost = invocation.vhost();
    invocation.banner(banner, vhost);
    try {
      return rows(invocation.api().list(Api.path("vhosts", vhost, what)), columns);
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  private static Result listOfUser(Invocation invocation) {
    return ofUser(
        invocation,
        "Listing permissions for user \"%s\" ...",
        "permissions",
        List.of("vhost", "configure", "write", "read"));
  }

  private static Result ofUser(
      Invocation invocation, String banner, String what, List<String> columns) {
    String user = invocation.argument(0);
    invocation.banner(banner, user);
    try {
      return rows(invocation.api().list(Api.path("users", user, what)), columns);
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchUser(user) : e;
    }
  }

  private static Result rows(List<Map<String, Object>> found, List<String> columns) {
    return new Result.Rows(
        columns,
        found.stream().map(each -> ControlValues.only(each, columns)).collect(Collectors.toList()));
  }

  // Topic permissions

  private static Result setTopic(Invocation invocation) {
    String user = invocation.argument(0);
    String exchange = invocation.argument(1);
    String vhost = invocation.vhost();
    invocation.banner(
        "Setting topic permissions on \"%s\" for user \"%s\" in vhost \"%s\" ...",
        exchange, user, vhost);
    Map<String, Object> body =
        Json.object(
            "exchange", exchange,
            "write", invocation.argument(2),
            "read", invocation.argument(3));
    put(invocation, "topic-permissions", vhost, user, body);
    return Result.DONE;
  }

  private static Result clearTopic(Invocation invocation) {
    String user = invocation.argument(0);
    String vhost = invocation.vhost();
    boolean all = invocation.arguments().size() == 1;
    String exchange = all ? "" : invocation.argument(1);
    invocation.banner(
        "Clearing topic permissions%s for user \"%s\" in vhost \"%s\" ...",
        all ? "" : " on \"" + exchange + "\"", user, vhost);
    String path = Api.path("topic-permissions", vhost, user);
    deleteAny(invocation, all ? path : path + "/" + Api.encode(exchange), vhost, user);
    return Result.DONE;
  }

  private static Result listTopic(Invocation invocation) {
    return ofVhost(
        invocation,
        "Listing topic permissions for vhost \"%s\" ...",
        "topic-permissions",
        List.of("user", "exchange", "write", "read"));
  }

  private static Result listTopicOfUser(Invocation invocation) {
    return ofUser(
        invocation,
        "Listing topic permissions for user \"%s\" ...",
        "topic-permissions",
        List.of("vhost", "exchange", "write", "read"));
  }
}
