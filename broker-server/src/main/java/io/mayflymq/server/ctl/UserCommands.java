package io.mayflymq.server.ctl;

import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.server.definitions.LimitsJson;
import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Users, their passwords, tags and limits. */
final class UserCommands {
  private UserCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named(
                "add_user",
                "Creates a new user in the internal database. This user will have no permissions"
                    + " for any virtual hosts by default.")
            .arguments("username")
            .optionalArgument("password")
            .option(
                Option.flag(
                    "what is given is not a password but its hash, in base64",
                    "--pre-hashed-password"))
            .noting("Without a password, the first line of standard input is it.")
            .action(UserCommands::add),
        Command.named("delete_user", "Removes a user from the internal database")
            .arguments("username")
            .action(UserCommands::delete),
        Command.named("change_password", "Changes the user password")
            .arguments("username")
            .optionalArgument("password")
            .action(UserCommands::changePassword),
        Command.named(
                "clear_password", "Clears (resets) password and disables password login for a user")
            .arguments("username")
            .action(UserCommands::clearPassword),
        Command.named(
                "authenticate_user",
                "Attempts to authenticate a user. Exits with a non-zero code if authentication"
                    + " fails.")
            .arguments("username")
            .optionalArgument("password")
            .action(UserCommands::authenticate),
        Command.named(
                "clear_auth_backend_cache",
                "Makes all nodes forget what services have answered about logins and rights")
            .option(Option.text("<username>", "about this user only", "--user"))
            .action(UserCommands::clearAnswers),
        Command.named("hash_password", "Hashes a plaintext password")
            .optionalArgument("cleartext_password")
            .action(UserCommands::hash),
        Command.named("set_user_tags", "Sets user tags")
            .arguments("username")
            .takesMany("tag")
            .action(UserCommands::setTags),
        Command.named("list_users", "List user names and tags").action(UserCommands::list),
        Command.named("set_user_limits", "Sets user limits")
            .arguments("username", "definition")
            .noting(
                "The definition is JSON with one or several of: "
                    + String.join(", ", Limits.keys(Limits.OF_USERS))
                    + ".")
            .action(UserCommands::setLimits),
        Command.named("clear_user_limits", "Clears user connection/channel limits")
            .arguments("username", "limit")
            .noting(
                "The limit is one of: "
                    + String.join(", ", Limits.keys(Limits.OF_USERS))
                    + "; or all.")
            .action(UserCommands::clearLimits),
        Command.named("list_user_limits", "Displays configured user limits")
            .option(Option.text("<username>", "whose limits", "--user"))
            .option(Option.flag("the limits of all users", "--global"))
            .action(UserCommands::listLimits));
  }

  private static String path(String user) {
    return Api.path("users", user);
  }

  private static Map<String, Object> existing(Invocation invocation, String user) {
    Object found = invocation.api().find(path(user));
    if (found == null) {
      throw ControlException.noSuchUser(user);
    }
    return Api.object(found);
  }

  /** Returns the argument behind the user's name, or the first line of standard input. */
  private static String password(Invocation invocation) {
    return password(invocation, 1);
  }

  private static String password(Invocation invocation, int index) {
    if (invocation.arguments().size() > index) {
      return invocation.argument(index);
    }
    invocation.prompt("Password: ");
    String line = invocation.readLine();
    if (line == null || line.isEmpty()) {
      invocation.prompt("\n");
      throw ControlException.error(Sysexits.DATA, "Password is not provided via argument or stdin");
    }
    return line;
  }

  private static Result add(Invocation invocation) {
    String user = invocation.argument(0);
    invocation.banner("Adding user \"%s\" ...", user);
    String password = password(invocation);
    if (invocation.api().find(path(user)) != null) {
      throw ControlException.error(Sysexits.SOFTWARE, "User \"%s\" already exists".formatted(user));
    }
    String secret = invocation.flag("--pre-hashed-password") ? "password_hash" : "password";
    invocation.api().put(path(user), Json.object(secret, password, "tags", ""));
    invocation.banner(
        "Done. Don't forget to grant the user permissions to some virtual hosts!"
            + " See '%s help set_permissions' to learn more.",
        invocation.script());
    return Result.DONE;
  }

  private static Result clearAnswers(Invocation invocation) {
    String user = invocation.option("--user");
    invocation.banner("Clearing auth backend cache ...");
    invocation.api().control("POST", "forget-auth-answers", Json.object("user", user));
    return Result.DONE;
  }

  private static Result delete(Invocation invocation) {
    String user = invocation.argument(0);
    invocation.banner("Deleting user \"%s\" ...", user);
    try {
      invocation.api().delete(path(user));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchUser(user) : e;
    }
  }

  private static Result changePassword(Invocation invocation) {
    String user = invocation.argument(0);
    invocation.banner("Changing password for user \"%s\" ...", user);
    String password = password(invocation);
    Object tags = existing(invocation, user).get("tags");
    invocation.api().put(path(user), Json.object("password", password, "tags", tags));
    return Result.DONE;
  }

  private static Result clearPassword(Invocation invocation) {
    String user = invocation.argument(0);
    invocation.banner("Clearing password for user \"%s\" ...", user);
    Object tags = existing(invocation, user).get("tags");
    invocation.api().put(path(user), Json.object("password_hash", "", "tags", tags));
    return Result.DONE;
  }

  private static Result authenticate(Invocation invocation) {
    String user = invocation.argument(0);
    invocation.banner("Authenticating user \"%s\" ...", user);
    String password = password(invocation);
    try {
      invocation.api().logIn(user, password);
    } catch (ApiError e) {
      // Who is no user of management is told so only when his password was right.
      if (e.status() != 401 || e.getMessage().equals("Login failed")) {
        throw ControlException.error(
            Sysexits.DATA,
            "Error: failed to authenticate user \"%s\"\nuser '%s' - invalid credentials"
                .formatted(user, user));
      }
    }
    return new Result.Done("Success");
  }

  /** For add_user and definitions; asks no broker. */
  private static Result hash(Invocation invocation) {
    if (invocation.arguments().isEmpty()) {
      invocation.banner("Will hash provided password");
    } else {
      invocation.banner("Will hash password %s", invocation.argument(0));
    }
    return new Result.Done(PasswordHash.of(password(invocation, 0)).base64());
  }

  private static Result setTags(Invocation invocation) {
    String user = invocation.argument(0);
    List<String> tags = invocation.arguments().subList(1, invocation.arguments().size());
    invocation.banner("Setting tags for user \"%s\" to [%s] ...", user, String.join(", ", tags));
    Map<String, Object> body =
        ControlValues.only(
            existing(invocation, user), List.of("password_hash", "hashing_algorithm"));
    body.put("tags", tags);
    invocation.api().put(path(user), body);
    return Result.DONE;
  }

  private static Result list(Invocation invocation) {
    invocation.banner("Listing users ...");
    return new Result.Rows(
        List.of("user", "tags"),
        invocation.api().list("users").stream()
            .map(user -> Json.object("user", user.get("name"), "tags", tags(user)))
            .collect(Collectors.toList()));
  }

  /** Older brokers give the tags as one text with commas. */
  private static List<Object> tags(Map<String, Object> user) {
    return user.get("tags") instanceof String text
        ? Term.atoms(text.isEmpty() ? List.of() : List.of(text.split(",")))
        : Term.atoms(user.get("tags"));
  }

  // Limits

  private static Result setLimits(Invocation invocation) {
    String user = invocation.argument(0);
    String definition = invocation.argument(1);
    invocation.banner("Setting user limits to \"%s\" for user \"%s\" ...", definition, user);
    Map<String, Object> limits = ControlValues.parseObject("definition", definition);
    existing(invocation, user);
    LimitOptions.check(
        limits,
        Limits.keys(Limits.OF_USERS),
        "Unrecognised terms %s in user-limits",
        LimitsJson::ofUser,
        "%s");
    limits.forEach(
        (name, value) ->
            invocation.api().put(Api.path("user-limits", user, name), Json.object("value", value)));
    return Result.DONE;
  }

  private static Result clearLimits(Invocation invocation) {
    String user = invocation.argument(0);
    String limit = invocation.argument(1);
    boolean all = limit.equals("all");
    invocation.banner(
        "Clearing %s for user \"%s\" ...",
        all ? "all limits" : "\"%s\" limit".formatted(limit), user);
    existing(invocation, user);
    for (String name : all ? Limits.keys(Limits.OF_USERS) : List.of(limit)) {
      invocation.api().delete(Api.path("user-limits", user, name));
    }
    return Result.DONE;
  }

  private static Result listLimits(Invocation invocation) {
    if (invocation.flag("--global")) {
      invocation.banner("Listing limits for all users ...");
      return LimitOptions.rows("user", invocation.api().list("user-limits"));
    }
    String given = invocation.option("--user");
    String user = given == null ? "guest" : given;
    invocation.banner("Listing limits for user \"%s\" ...", user);
    existing(invocation, user);
    return LimitOptions.one(
        invocation.api().list(Api.path("user-limits", user)),
        "{}",
        text -> Json.object("message", text));
  }
}
