package io.mayflymq.shovel.client;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The address of a broker: {@code amqp[s]://[user[:password]@][host[:port]][/vhost][?key=value]}.
 * Without a host it is this broker.
 *
 * @param tls whether the connection is encrypted
 * @param host empty for this broker
 * @param port the TCP port
 * @param user empty if none is given
 * @param password empty if none is given
 * @param vhost the virtual host
 * @param parameters what is behind the question mark
 * @param shown the address as it was written, without user, password and parameters, as RabbitMQ
 *     shows it
 */
public record BrokerUri(
    boolean tls,
    String host,
    int port,
    String user,
    String password,
    String vhost,
    Map<String, String> parameters,
    String shown) {

  /** What stands for a password where it is not shown. */
  public static final String MASK = "***";

  private static final int PORT = 5672;
  private static final int TLS_PORT = 5671;
  private static final int LAST_PORT = 65_535;

  private static final Set<String> NUMBERS =
      Set.of("heartbeat", "connection_timeout", "channel_max", "frame_max", "depth");
  private static final Set<String> OF_TLS =
      Set.of(
          "cacertfile",
          "certfile",
          "keyfile",
          "password",
          "verify",
          "fail_if_no_peer_cert",
          "server_name_indication");
  private static final String MECHANISM = "auth_mechanism";

  /** The parameters that are understood, or accepted without effect. */
  public static final SortedSet<String> KNOWN_PARAMETERS;

  static {
    SortedSet<String> known = new TreeSet<>(NUMBERS);
    known.addAll(OF_TLS);
    known.add(MECHANISM);
    KNOWN_PARAMETERS = Collections.unmodifiableSortedSet(known);
  }

  /** Returns the address of a virtual host of this broker. */
  public static BrokerUri local(String vhost) {
    String shown = vhost.equals("/") ? "amqp://" : "amqp:///" + encode(vhost);
    return new BrokerUri(false, "", PORT, "", "", vhost, Map.of(), shown);
  }

  /**
   * Reads an address.
   *
   * @throws IllegalArgumentException if it is none; the message says why, without the password
   */
  public static BrokerUri parse(String text) {
    int scheme = text.indexOf("://");
    if (scheme < 0) {
      throw new IllegalArgumentException("no scheme: expected amqp:// or amqps://");
    }
    boolean tls = text.substring(0, scheme).equalsIgnoreCase("amqps");
    if (!tls && !text.substring(0, scheme).equalsIgnoreCase("amqp")) {
      throw new IllegalArgumentException(
          "scheme %s: expected amqp:// or amqps://".formatted(text.substring(0, scheme)));
    }
    String rest = text.substring(scheme + 3);
    int question = rest.indexOf('?');
    String place = question < 0 ? rest : rest.substring(0, question);
    int slash = place.indexOf('/');
    String authority = slash < 0 ? place : place.substring(0, slash);
    String path = slash < 0 ? "" : place.substring(slash + 1);
    if (path.indexOf('/') >= 0) {
      throw new IllegalArgumentException("a slash in the name of a vhost is written %2F");
    }
    int at = authority.lastIndexOf('@');
    if (rest.lastIndexOf('@') > at) {
      throw new IllegalArgumentException(
          "a slash, a question mark or an @ in a name or password is written %2F, %3F or %40");
    }
    String login = at < 0 ? "" : authority.substring(0, at);
    int colon = login.indexOf(':');
    Map<String, String> parameters = parameters(question < 0 ? "" : rest.substring(question + 1));
    String where = authority.substring(at + 1);
    int end = where.startsWith("[") ? where.indexOf(']') + 1 : where.indexOf(':');
    if (where.startsWith("[") && end == 0) {
      throw new IllegalArgumentException("no ] behind the address");
    }
    String host = end < 0 ? where : where.substring(0, end);
    String password = colon < 0 ? "" : decode(login.substring(colon + 1));
    if (password.equals(MASK)) {
      throw new IllegalArgumentException("its password is masked: expected the password itself");
    }
    return new BrokerUri(
        tls,
        host.startsWith("[") ? host.substring(1, host.length() - 1) : decode(host),
        port(end < 0 ? "" : where.substring(end), tls),
        decode(colon < 0 ? login : login.substring(0, colon)),
        password,
        path.isEmpty() ? "/" : decode(path),
        parameters,
        text.substring(0, scheme + 3) + place.substring(at + 1));
  }

  private static int port(String text, boolean tls) {
    if (text.isEmpty() || text.equals(":")) {
      return tls ? TLS_PORT : PORT;
    }
    try {
      int port = Integer.parseInt(text.substring(1));
      if (text.charAt(0) == ':' && port > 0 && port <= LAST_PORT) {
        return port;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new IllegalArgumentException("the port should be a number from 1 to 65535");
  }

  private static Map<String, String> parameters(String query) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String pair : query.isEmpty() ? new String[0] : query.split("&")) {
      int equals = pair.indexOf('=');
      String key = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      check(key, value);
      parameters.put(key, value);
    }
    return Map.copyOf(parameters);
  }

  private static void check(String key, String value) {
    if (NUMBERS.contains(key)) {
      if (value.isEmpty()
          || value.length() > 9
          || !value.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
        throw new IllegalArgumentException("%s should be a number, 0 or more".formatted(key));
      }
    } else if (key.equals("verify")) {
      require(key, value, Set.of("verify_peer", "verify_none"));
    } else if (key.equals(MECHANISM)) {
      require(key, value, Set.of("plain", "amqplain", "external"));
    }
  }

  private static void require(String key, String value, Set<String> expected) {
    if (!expected.contains(value)) {
      throw new IllegalArgumentException(
          "%s should be one of %s".formatted(key, String.join(", ", new TreeSet<>(expected))));
    }
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("a percent sign is written %25");
    }
  }

  /** Returns whether it is this broker. */
  public boolean isLocal() {
    return host.isEmpty();
  }

  /** Returns which of its parameters are unknown: they are ignored, as in RabbitMQ. */
  public SortedSet<String> unknownParameters() {
    SortedSet<String> unknown = new TreeSet<>(parameters.keySet());
    unknown.removeAll(KNOWN_PARAMETERS);
    return unknown;
  }

  /** Returns a number of its parameters. */
  int number(String key, int otherwise) {
    String value = parameters.get(key);
    return value == null ? otherwise : Integer.parseInt(value);
  }

  /** Returns the text of an address without user and password, whether or not it is valid. */
  public static String withoutLogin(String text) {
    int scheme = text.indexOf("://");
    int from = scheme < 0 ? 0 : scheme + 3;
    int at = text.lastIndexOf('@', endOfAuthority(text, from) - 1);
    return withoutSecrets(at < from ? text : text.substring(0, from) + text.substring(at + 1));
  }

  /** Returns the text of an address with its password masked, whether or not it is valid. */
  public static String masked(String text) {
    int scheme = text.indexOf("://");
    int from = scheme < 0 ? 0 : scheme + 3;
    int at = text.lastIndexOf('@', endOfAuthority(text, from) - 1);
    int colon = text.indexOf(':', from);
    return withoutSecrets(
        at < from || colon < 0 || colon > at
            ? text
            : text.substring(0, colon + 1) + MASK + text.substring(at));
  }

  /** A password may have a slash or a question mark that should have been encoded. */
  private static int endOfAuthority(String text, int from) {
    int at = text.lastIndexOf('@');
    int end = text.indexOf('/', Math.max(from, at));
    int question = text.indexOf('?', Math.max(from, at));
    int least = end < 0 ? question : question < 0 ? end : Math.min(end, question);
    return least < 0 ? text.length() : least;
  }

  /** Masks the password of a key file. */
  private static String withoutSecrets(String text) {
    return text.replaceAll("([?&]password=)[^&]*", "$1" + MASK.replace("$", "\\$"));
  }

  /** Returns it without user, password and parameters. */
  @Override
  public String toString() {
    return shown;
  }

  private static String encode(String name) {
    StringBuilder text = new StringBuilder();
    for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
      char plain = (char) (each & 0xff);
      if ((plain >= '0' && plain <= '9')
          || (plain >= 'a' && plain <= 'z')
          || (plain >= 'A' && plain <= 'Z')
          || "-._~".indexOf(plain) >= 0) {
        text.append(plain);
      } else {
        text.append("%%%02X".formatted(each & 0xff));
      }
    }
    return text.toString();
  }
}
