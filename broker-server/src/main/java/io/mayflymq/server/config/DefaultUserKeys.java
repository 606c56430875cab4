package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.regularExpression;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.DefaultUser;
import io.mayflymq.core.admin.UserAdministration;
import io.mayflymq.core.security.NamePattern;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.User;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * The keys {@code default_users.$name.*}: users that a virtual host gets when it is made, with
 * permissions for it. Source: what RabbitMQ 4.3.6 was seen to do.
 */
final class DefaultUserKeys {
  static final Section SECTION = new Section("Default users of virtual hosts");

  private static final String ALL_NAMES = ".*";

  private static final KeyFamily<String> VHOST_PATTERN =
      family("vhost_pattern", regularExpression(), "Names of the virtual hosts that get the user.");
  private static final KeyFamily<String> PASSWORD =
      family("password", secretText(), "Its password. Without one it cannot log in by a password.");
  private static final KeyFamily<String> TAGS =
      family("tags", text(), "Its tags, with commas between them.");
  private static final KeyFamily<String> CONFIGURE =
      family("configure", regularExpression(), "Names that it may declare and delete there.");
  private static final KeyFamily<String> WRITE =
      family("write", regularExpression(), "Names that it may publish to there.");
  private static final KeyFamily<String> READ =
      family("read", regularExpression(), "Names that it may consume from there.");

  private static final List<KeyFamily<String>> FAMILIES =
      List.of(VHOST_PATTERN, PASSWORD, TAGS, CONFIGURE, WRITE, READ);

  private DefaultUserKeys() {}

  private static KeyFamily<String> family(String key, ValueType<String> type, String doc) {
    return SECTION.add(new KeyFamily<>("default_users.", "$name", "." + key, type, Map.of(), doc));
  }

  /**
   * Returns the users, by name.
   *
   * @throws ConfigException if one cannot be a user
   */
  static List<DefaultUser> users(SettingValues values) throws ConfigException {
    TreeSet<String> names = new TreeSet<>();
    FAMILIES.forEach(family -> names.addAll(values.members(family).keySet()));
    SortedMap<String, String> vhosts = values.members(VHOST_PATTERN);
    SortedMap<String, String> configure = values.members(CONFIGURE);
    SortedMap<String, String> write = values.members(WRITE);
    SortedMap<String, String> read = values.members(READ);
    List<DefaultUser> users = new ArrayList<>();
    for (String name : names) {
      users.add(
          new DefaultUser(
              NamePattern.of(vhosts.getOrDefault(name, ALL_NAMES)),
              user(name, values.members(PASSWORD).get(name), values.members(TAGS).get(name)),
              Permissions.of(
                  configure.getOrDefault(name, ALL_NAMES),
                  write.getOrDefault(name, ALL_NAMES),
                  read.getOrDefault(name, ALL_NAMES))));
    }
    return List.copyOf(users);
  }

  private static User user(String name, String password, String tags) throws ConfigException {
    List<String> separate =
        tags == null
            ? List.of()
            : Arrays.stream(tags.split(","))
                .map(String::strip)
                .filter(tag -> !tag.isEmpty())
                .toList();
    try {
      PasswordHash hash = password == null ? PasswordHash.NONE : PasswordHash.of(password);
      User user = new User(name, hash, separate);
      UserAdministration.check(user);
      return user;
    } catch (AdministrationException e) {
      throw new ConfigException("default_users." + name + ": " + e.getMessage());
    }
  }
}
