package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.server.auth.ldap.query.Query;
import io.mayflymq.server.auth.ldap.query.QueryException;
import io.mayflymq.server.auth.ldap.query.QueryReader;
import io.mayflymq.server.auth.ldap.query.Template;
import io.mayflymq.server.auth.ldap.query.Variable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory that is asked by LDAP about logins and rights (the keys {@code auth_ldap.*}).
 *
 * @param servers which have the same entries, in the order in which they are asked
 * @param encryption how the servers are reached
 * @param tls how TLS is spoken, if it is
 * @param dnPattern the distinguished name of a user's entry, or what is looked up for it
 * @param bindPattern the name that a user is bound by, if it is not that of the entry
 * @param lookup how the entry of a user is looked up, if it is
 * @param lookupBind as whom
 * @param otherBind as whom queries are asked
 * @param groupBase below which entry the groups of nested queries are
 * @param timeoutMillis how long an answer may take in all
 * @param idleMillis how long a connection is kept that is not used
 * @param mostConnections how many connections there are at most
 * @param logs whether each question is logged
 * @param queries what users may do
 */
public record AuthLdapSettings(
    List<Server> servers,
    Encryption encryption,
    ClientTlsSettings tls,
    Template dnPattern,
    Optional<Template> bindPattern,
    Optional<Lookup> lookup,
    Bind lookupBind,
    Bind otherBind,
    Optional<String> groupBase,
    int timeoutMillis,
    int idleMillis,
    int mostConnections,
    boolean logs,
    Queries queries) {
  /** Where a server listens. */
  public record Server(String host, int port) {
    @Override
    public String toString() {
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
  }

  /** How a server is reached. */
  public enum Encryption {
    NONE,
    /** From the first byte: {@code ldaps}. */
    TLS,
    /** By a first request on a plain connection. */
    STARTTLS
  }

  /**
   * How an entry is looked up.
   *
   * @param attribute which has the name of the user
   * @param base below which entry
   */
  public record Lookup(String attribute, String base) {}

  /**
   * As whom the directory is asked.
   *
   * @param key which says so
   * @param kind whether it is an account of its own
   * @param dn of the account; null if it is none
   * @param password of the account; null if it is none
   */
  public record Bind(String key, Kind kind, String dn, String password) {
    /** Kinds of binds. */
    public enum Kind {
      /** As the user whom the question is about. */
      AS_USER,
      /** Without a name. */
      ANONYMOUS,
      ACCOUNT
    }

    /** Without the password. */
    @Override
    public String toString() {
      return kind == Kind.ACCOUNT ? "the account of %s, '%s'".formatted(key, dn) : key;
    }
  }

  /** What users may do; the tags in their order. */
  public record Queries(Query vhost, Query resource, Query topic, Map<String, Query> tags) {
    Stream<Query> all() {
      return Stream.concat(Stream.of(vhost, resource, topic), tags.values().stream());
    }
  }

  static final Section SECTION = new Section("Logging in by LDAP");

  private static final int DEFAULT_PORT = 389;
  private static final int MOST_MILLIS = 600_000;
  private static final int DAY_MILLIS = 86_400_000;
  private static final int MOST_CONNECTIONS = 1_000;
  private static final String ANY = "{constant, true}";

  private static final Pattern ADDRESS =
      Pattern.compile(
          "(?<name>[A-Za-z0-9._-]{1,253})(?::(?<port>[0-9]{1,5}))?"
              + "|\\[(?<inner>[0-9A-Fa-f:.]{2,45})](?::(?<innerPort>[0-9]{1,5}))?"
              + "|(?<bare>[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)");

  private static final KeyFamily<Server> SERVERS =
      SECTION.add(
          new KeyFamily<>(
              "auth_ldap.servers.",
              "$n",
              new ValueType<>(
                  "a host, and a port unless it is auth_ldap.port, such as ldap.example.com or"
                      + " ldap.example.com:1389",
                  AuthLdapSettings::server),
              Map.of(),
              "The servers of [the directory](auth-ldap.md), asked in the order of the numbers: the"
                  + " next one if one does not answer."));
  private static final Setting<Integer> PORT =
      SECTION.add(
          Setting.of(
              "auth_ldap.port",
              wholeNumber("", 1, 65_535),
              Integer.toString(DEFAULT_PORT),
              "Their port; with `auth_ldap.use_ssl` it is usually 636."));
  private static final Setting<Boolean> USE_SSL =
      SECTION.add(
          Setting.of(
              "auth_ldap.use_ssl",
              bool(),
              "false",
              "Whether connections are encrypted by TLS from the first byte."));
  private static final Setting<Boolean> USE_STARTTLS =
      SECTION.add(
          Setting.of(
              "auth_ldap.use_starttls",
              bool(),
              "false",
              "Whether they are encrypted by a first request, STARTTLS, on the plain port."));
  private static final ClientTlsKeys TLS =
      new ClientTlsKeys(SECTION, "auth_ldap.ssl_options", "the directory");
  private static final Setting<Integer> TIMEOUT =
      SECTION.add(
          Setting.of(
              "auth_ldap.timeout",
              wholeNumber("milliseconds", 1, MOST_MILLIS),
              "5000",
              "How long an answer may take, with all requests and all servers; then it counts as a"
                  + " failure."));
  private static final Setting<Integer> IDLE_TIMEOUT =
      SECTION.add(
          Setting.of(
              "auth_ldap.idle_timeout",
              wholeNumber("milliseconds", 1, DAY_MILLIS),
              "300000",
              "How long a connection is kept that is not used."));
  private static final Setting<Integer> POOL_SIZE =
      SECTION.add(
          Setting.of(
              "auth_ldap.connection_pool_size",
              wholeNumber("", 1, MOST_CONNECTIONS),
              "64",
              "How many connections there are at most."));
  private static final Setting<Boolean> LOG =
      SECTION.add(
          Setting.of(
              "auth_ldap.log",
              bool(),
              "false",
              "Whether each question to the directory and its answer is logged, without"
                  + " passwords."));
  private static final Setting<String> DN_PATTERN =
      SECTION.add(
          Setting.of(
              "auth_ldap.user_dn_pattern",
              text(),
              "${username}",
              "The distinguished name of the entry of a user, such as"
                  + " `uid=${username},ou=people,dc=example,dc=com`; with"
                  + " `auth_ldap.dn_lookup_attribute` the value to look up."));
  private static final Setting<Optional<String>> BIND_PATTERN =
      SECTION.add(
          Setting.of(
              "auth_ldap.user_bind_pattern",
              orWord("none", text()),
              "none",
              "The name that a user is bound by, if it is another one, such as"
                  + " `${username}@example.com`."));
  private static final Setting<Optional<String>> LOOKUP_ATTRIBUTE =
      SECTION.add(
          Setting.of(
              "auth_ldap.dn_lookup_attribute",
              orWord("none", text()),
              "none",
              "The attribute by which the entry of a user is looked up."));
  private static final Setting<Optional<String>> LOOKUP_BASE =
      SECTION.add(
          Setting.of(
              "auth_ldap.dn_lookup_base",
              orWord("none", text()),
              "none",
              "The entry below which it is looked up."));
  private static final BindKeys LOOKUP_BIND =
      new BindKeys("auth_ldap.dn_lookup_bind", "the entry of a user is looked up");
  private static final BindKeys OTHER_BIND =
      new BindKeys("auth_ldap.other_bind", "queries are asked, and users without a password");
  private static final Setting<Optional<String>> GROUP_BASE =
      SECTION.add(
          Setting.of(
              "auth_ldap.group_lookup_base",
              orWord("none", text()),
              "none",
              "The entry below which the groups of `in_group_nested` are; `none`:"
                  + " `auth_ldap.dn_lookup_base`."));
  private static final Setting<String> VHOST_QUERY =
      query("vhost_access", ANY, "[The query](auth-ldap.md#queries) for entering a virtual host.");
  private static final Setting<String> RESOURCE_QUERY =
      query("resource_access", ANY, "The query for a permission for a queue or exchange.");
  private static final Setting<String> TOPIC_QUERY =
      query("topic_access", ANY, "The query for a routing key of a topic exchange.");
  private static final Setting<String> TAG_QUERIES =
      query("tags", "[{administrator, {constant, false}}]", "The queries for tags of users.");

  /** The keys that say as whom something is asked. */
  private record BindKeys(
      Setting<String> who, Setting<Optional<String>> dn, Setting<Optional<String>> password) {
    BindKeys(String name, String what) {
      this(
          SECTION.add(
              Setting.of(
                  name,
                  word("as_user", "anon"),
                  "as_user",
                  ("As whom %s: `as_user`, with the name and password of the login, or `anon`,"
                          + " without a name. An account of its own counts instead.")
                      .formatted(what))),
          SECTION.add(
              Setting.of(
                  name + ".user_dn",
                  orWord("none", text()),
                  "none",
                  "The distinguished name of an account for that.")),
          SECTION.add(
              Setting.of(
                  name + ".password", orWord("none", secretText()), "none", "Its password.")));
    }

    Bind read(SettingValues values, ConfigErrors errors) {
      Optional<String> account = values.get(dn);
      Optional<String> secret = values.get(password);
      if (account.isPresent() != secret.isPresent()) {
        errors.add(
            "key '%s' is set and key '%s' is not: expected both or none"
                .formatted(
                    account.isPresent() ? dn.name() : password.name(),
                    account.isPresent() ? password.name() : dn.name()));
      } else if (account.isPresent()) {
        if (values.sets(who)) {
          errors.add(
              "key '%s' (value '%s'): expected either it or '%s', found both"
                  .formatted(who.name(), values.get(who), dn.name()));
        }
        return new Bind(who.name(), Bind.Kind.ACCOUNT, account.get(), secret.get());
      }
      return new Bind(
          who.name(),
          values.get(who).equals("anon") ? Bind.Kind.ANONYMOUS : Bind.Kind.AS_USER,
          null,
          null);
    }
  }

  private static Setting<String> query(String name, String byDefault, String doc) {
    return SECTION.add(
        Setting.of(
            "auth_ldap.queries." + name,
            text().describedAs("a query in RabbitMQ's form"),
            byDefault,
            doc));
  }

  private static Optional<Server> server(String text) {
    Matcher address = ADDRESS.matcher(text);
    if (!address.matches()) {
      return Optional.empty();
    }
    if (address.group("bare") != null) {
      return Optional.of(new Server(text, 0));
    }
    boolean isName = address.group("name") != null;
    String port = address.group(isName ? "port" : "innerPort");
    int number = port == null ? 0 : Integer.parseInt(port);
    return port != null && (number < 1 || number > 65_535)
        ? Optional.empty()
        : Optional.of(new Server(address.group(isName ? "name" : "inner"), number));
  }

  /**
   * Reads the keys of a directory that is asked.
   *
   * @throws ConfigException naming each key that is wrong or missing
   */
  static AuthLdapSettings of(SettingValues values) throws ConfigException {
    ConfigErrors errors = new ConfigErrors();
    List<Server> servers =
        values.inOrder(SERVERS).stream()
            .map(
                server -> server.port() == 0 ? new Server(server.host(), values.get(PORT)) : server)
            .toList();
    if (servers.isEmpty()) {
      errors.add(
          "key 'auth_ldap.servers.1' is not set: a backend of auth_backends needs it, expected a"
              + " host such as ldap.example.com");
    }
    requireDn(LOOKUP_BASE, values, errors);
    requireDn(GROUP_BASE, values, errors);
    ClientTlsSettings tls = TLS.read(values);
    TLS.check(tls, errors);
    AuthLdapSettings settings =
        new AuthLdapSettings(
            servers,
            encryption(values, errors),
            tls,
            pattern(DN_PATTERN.name(), values.get(DN_PATTERN), errors),
            values.get(BIND_PATTERN).map(pattern -> pattern(BIND_PATTERN.name(), pattern, errors)),
            lookup(values, errors),
            LOOKUP_BIND.read(values, errors),
            OTHER_BIND.read(values, errors),
            values.get(GROUP_BASE).or(() -> values.get(LOOKUP_BASE)),
            values.get(TIMEOUT),
            values.get(IDLE_TIMEOUT),
            values.get(POOL_SIZE),
            values.get(LOG),
            queries(values, errors));
    if (settings.groupBase.isEmpty()
        && settings.queries.all().anyMatch(AuthLdapSettings::hasNestedGroups)) {
      errors.add(
          "key '%s' is not set: in_group_nested needs it, expected the distinguished name of the"
                  .formatted(GROUP_BASE.name())
              + " entry below which the groups are");
    }
    errors.throwIfAny();
    return settings;
  }

  private static void requireDn(
      Setting<Optional<String>> key, SettingValues values, ConfigErrors errors) {
    values
        .get(key)
        .filter(base -> !Template.isDn(base))
        .ifPresent(
            base ->
                errors.add(
                    "key '%s' (value '%s'): expected a distinguished name such as %s"
                        .formatted(key.name(), base, "ou=people,dc=example,dc=com")));
  }

  private static boolean hasNestedGroups(Query query) {
    return query instanceof Query.InGroupNested
        || query.parts().stream().anyMatch(AuthLdapSettings::hasNestedGroups);
  }

  private static Encryption encryption(SettingValues values, ConfigErrors errors) {
    if (values.get(USE_SSL) && values.get(USE_STARTTLS)) {
      errors.add(
          "keys '%s' and '%s' are both true: expected at most one of them"
              .formatted(USE_SSL.name(), USE_STARTTLS.name()));
    }
    return values.get(USE_SSL)
        ? Encryption.TLS
        : values.get(USE_STARTTLS) ? Encryption.STARTTLS : Encryption.NONE;
  }

  private static Optional<Lookup> lookup(SettingValues values, ConfigErrors errors) {
    Optional<String> attribute = values.get(LOOKUP_ATTRIBUTE);
    Optional<String> base = values.get(LOOKUP_BASE);
    if (attribute.isPresent() && base.isEmpty()) {
      errors.add(
          "key '%s' is set and key '%s' is not: expected both"
              .formatted(LOOKUP_ATTRIBUTE.name(), LOOKUP_BASE.name()));
    }
    return attribute.isPresent() && base.isPresent()
        ? Optional.of(new Lookup(attribute.get(), base.get()))
        : Optional.empty();
  }

  /** Returns null with an error. */
  private static Template pattern(String key, String text, ConfigErrors errors) {
    try {
      return Template.of(text, Variable.OF_PATTERNS);
    } catch (QueryException e) {
      errors.add("key '%s' (value '%s'): %s".formatted(key, text, e.getMessage()));
      return null;
    }
  }

  private static Queries queries(SettingValues values, ConfigErrors errors) {
    return new Queries(
        query(VHOST_QUERY, Variable.OF_VHOSTS, values, errors),
        query(RESOURCE_QUERY, Variable.OF_RESOURCES, values, errors),
        query(TOPIC_QUERY, Variable.OF_TOPICS, values, errors),
        tags(values, errors));
  }

  private static Query query(
      Setting<String> key, Set<Variable> variables, SettingValues values, ConfigErrors errors) {
    try {
      return QueryReader.query(values.get(key), variables);
    } catch (QueryException e) {
      errors.add("key '%s', %s".formatted(key.name(), e.getMessage()));
      return new Query.Constant(false);
    }
  }

  private static Map<String, Query> tags(SettingValues values, ConfigErrors errors) {
    try {
      return QueryReader.tags(values.get(TAG_QUERIES));
    } catch (QueryException e) {
      errors.add("key '%s', %s".formatted(TAG_QUERIES.name(), e.getMessage()));
      return Map.of();
    }
  }

  /** Without passwords. */
  @Override
  public String toString() {
    return "AuthLdapSettings[servers=%s, encryption=%s, lookup=%s, queries=%s]"
        .formatted(servers, encryption, lookup, queries);
  }
}
