package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.httpUrl;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import java.net.URI;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The service that is asked by HTTP about logins and rights.
 *
 * @param posts whether requests are POST, and not GET
 * @param userPath where logins are asked for
 * @param vhostPath where it is asked whether a user may enter a virtual host
 * @param resourcePath where permissions for queues and exchanges are asked for
 * @param topicPath where routing keys of topic exchanges are asked for
 * @param requestTimeoutMillis how long an answer may take in all
 * @param connectionTimeoutMillis how long connecting may take
 * @param discloses whether clients are told the reason of a refusal
 * @param tls how the service is reached by https
 */
public record AuthHttpSettings(
    boolean posts,
    Optional<URI> userPath,
    Optional<URI> vhostPath,
    Optional<URI> resourcePath,
    Optional<URI> topicPath,
    int requestTimeoutMillis,
    int connectionTimeoutMillis,
    boolean discloses,
    ClientTlsSettings tls) {
  static final Section SECTION = new Section("Logging in by HTTP");

  private static final int LONGEST_MILLIS = 600_000;

  private static final Setting<String> METHOD =
      SECTION.add(
          Setting.of(
              "auth_http.http_method",
              word("get", "post"),
              "get",
              "The method of requests to [the service](auth-http.md). With `get` passwords are in"
                  + " the URL, which servers and proxies like to log."));
  private static final Setting<Optional<URI>> USER_PATH =
      path("auth_http.user_path", "Where the service is asked whether a user may log in.");
  private static final Setting<Optional<URI>> VHOST_PATH =
      path("auth_http.vhost_path", "Where it is asked whether a user may enter a virtual host.");
  private static final Setting<Optional<URI>> RESOURCE_PATH =
      path(
          "auth_http.resource_path",
          "Where it is asked whether a user has a permission for a queue or exchange.");
  private static final Setting<Optional<URI>> TOPIC_PATH =
      path(
          "auth_http.topic_path",
          "Where it is asked whether a user may use a routing key with a topic exchange.");
  private static final Setting<Integer> REQUEST_TIMEOUT =
      SECTION.add(
          Setting.of(
              "auth_http.request_timeout",
              wholeNumber("milliseconds", 1, LONGEST_MILLIS),
              "15000",
              "How long an answer may take in all; then it counts as a failure."));
  private static final Setting<Integer> CONNECTION_TIMEOUT =
      SECTION.add(
          Setting.of(
              "auth_http.connection_timeout",
              wholeNumber("milliseconds", 1, LONGEST_MILLIS),
              "15000",
              "How long connecting to the service may take of that."));
  private static final Setting<Boolean> DISCLOSURE =
      SECTION.add(
          Setting.of(
              "auth_http.authorization_failure_disclosure",
              bool(),
              "false",
              "Whether clients are told the reason that the service gives for refusing a right. It"
                  + " is in the log in any case."));
  private static final ClientTlsKeys TLS =
      new ClientTlsKeys(SECTION, "auth_http.ssl_options", "the service");

  private static Setting<Optional<URI>> path(String name, String doc) {
    return SECTION.add(Setting.of(name, orWord("none", httpUrl()), "none", doc));
  }

  static AuthHttpSettings of(SettingValues values) {
    return new AuthHttpSettings(
        values.get(METHOD).equals("post"),
        values.get(USER_PATH),
        values.get(VHOST_PATH),
        values.get(RESOURCE_PATH),
        values.get(TOPIC_PATH),
        values.get(REQUEST_TIMEOUT),
        values.get(CONNECTION_TIMEOUT),
        values.get(DISCLOSURE),
        TLS.read(values));
  }

  /** Returns whether the service is reached by https. */
  public boolean isEncrypted() {
    return Stream.of(userPath, vhostPath, resourcePath, topicPath)
        .flatMap(Optional::stream)
        .anyMatch(path -> "https".equals(path.getScheme()));
  }

  /**
   * Checks that the service can be asked what it will be asked.
   *
   * @param authn whether it checks passwords
   * @param authz whether it decides what users may do
   * @throws ConfigException naming the keys that are missing
   */
  void require(boolean authn, boolean authz) throws ConfigException {
    ConfigErrors errors = new ConfigErrors();
    if (authn || authz) {
      require(USER_PATH, userPath, errors);
    }
    if (authz) {
      require(VHOST_PATH, vhostPath, errors);
      require(RESOURCE_PATH, resourcePath, errors);
      require(TOPIC_PATH, topicPath, errors);
    }
    TLS.check(tls, errors);
    errors.throwIfAny();
  }

  private static void require(Setting<?> key, Optional<URI> value, ConfigErrors errors) {
    if (value.isEmpty()) {
      errors.add(
          "key '%s' is not set: a backend of auth_backends needs it, expected a URL such as"
                  .formatted(key.name())
              + " https://auth.example.com/auth/"
              + key.name().substring("auth_http.".length()).replace("_path", ""));
    }
  }
}
