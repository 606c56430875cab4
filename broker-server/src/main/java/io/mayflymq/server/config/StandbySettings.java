package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * This broker as the standby of another one.
 *
 * @param primaries the management API of each node of the other broker, with user and password;
 *     empty if this broker is no standby
 * @param tls how they are reached by https
 * @param intervalMillis the time between two rounds, in ms
 */
public record StandbySettings(List<URI> primaries, ClientTlsSettings tls, int intervalMillis) {
  static final Section SECTION = new Section("Standby");

  private static final Setting<Optional<URI>> URI_KEY =
      SECTION.add(
          Setting.of(
              "standby.primary.uri",
              orWord("none", primary()),
              "none",
              "The management API of the broker whose [standby](standby.md) this one is, with a"
                  + " user that has the tag administrator; `none`: it is no standby."));
  private static final KeyFamily<URI> MORE =
      SECTION.add(
          new KeyFamily<>(
              "standby.primary.uris.",
              "$n",
              primary(),
              Map.of(),
              "The management API of each other node of that broker, if it is a cluster: each node"
                  + " gives the messages of its own queues."));
  private static final Setting<Integer> INTERVAL =
      SECTION.add(
          Setting.of(
              "standby.interval",
              wholeNumber("milliseconds", 50, 3_600_000),
              "1000",
              "The time between two rounds in which the standby copies what has changed."));
  private static final ClientTlsKeys TLS =
      new ClientTlsKeys(SECTION, "standby.primary.ssl_options", "the primary");

  /** The addresses of HTTP with a login. */
  private static ValueType<URI> primary() {
    return new ValueType<>(
        "an address such as http://user:password@host:15672", true, StandbySettings::parse);
  }

  private static Optional<URI> parse(String text) {
    try {
      URI uri = new URI(text);
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean hasLogin = uri.getRawUserInfo() != null && uri.getRawUserInfo().indexOf(':') > 0;
      boolean isBare = uri.getQuery() == null && uri.getFragment() == null;
      return isHttp && hasLogin && isBare && uri.getHost() != null
          ? Optional.of(uri)
          : Optional.empty();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns the settings.
   *
   * @throws ConfigException if they make no sense together
   */
  static StandbySettings of(SettingValues values) throws ConfigException {
    List<URI> primaries = new ArrayList<>();
    values.get(URI_KEY).ifPresent(primaries::add);
    primaries.addAll(values.inOrder(MORE));
    ClientTlsSettings tls = TLS.read(values);
    ConfigErrors errors = new ConfigErrors();
    TLS.check(tls, errors);
    if (!primaries.isEmpty() && values.get(ClusterSettings.LISTENER).isPresent()) {
      errors.add(
          "key 'standby.primary.uri' and key 'cluster.listener' are set: expected one of them, as"
              + " a standby is a single node");
    }
    errors.throwIfAny();
    return new StandbySettings(primaries.stream().distinct().toList(), tls, values.get(INTERVAL));
  }

  /** Copies the list. */
  public StandbySettings {
    primaries = List.copyOf(primaries);
  }

  /** Returns whether this broker is to be a standby. */
  public boolean isConfigured() {
    return !primaries.isEmpty();
  }

  /** Without logins. */
  @Override
  public String toString() {
    return "StandbySettings[primaries=%s, intervalMillis=%d]"
        .formatted(primaries.stream().map(StandbySettings::shown).toList(), intervalMillis);
  }

  /** Returns the address of a node of the primary without user and password. */
  public static String shown(URI primary) {
    return "%s://%s%s"
        .formatted(
            primary.getScheme(),
            primary.getHost(),
            primary.getPort() < 0 ? "" : ":" + primary.getPort());
  }
}
