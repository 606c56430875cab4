package io.mayflymq.server.config;

import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The cipher suites of TLS that Java offers, by the names of IANA, which Java uses, and by those of
 * OpenSSL, which {@code rabbitmq.conf} uses: {@code TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384} is
 * {@code ECDHE-RSA-AES256-GCM-SHA384}. Suites of TLS 1.3 have the same name in both.
 */
public final class CipherSuites {
  /** Suites of TLS 1.2 name what agrees on a key before this, and what encrypts after it. */
  private static final String WITH = "_WITH_";

  private static final String PREFIX = "TLS_";

  /** Agreement by a key that is made for one connection and forgotten with it. */
  private static final List<String> EPHEMERAL = List.of("TLS_ECDHE_", "TLS_DHE_");

  /** Asks for a renegotiation that is safe; it encrypts nothing. */
  private static final String SIGNAL = "TLS_EMPTY_RENEGOTIATION_INFO_SCSV";

  private CipherSuites() {}

  /**
   * Returns the suites that are enabled unless the configuration lists others: Java's default
   * suites, in its order, without those that lack forward secrecy.
   */
  public static List<String> byDefault() {
    return List.of(java().getDefaultSSLParameters().getCipherSuites()).stream()
        .filter(CipherSuites::hasForwardSecrecy)
        .toList();
  }

  /** Returns all suites that a configuration may list, in Java's order, by Java's names. */
  public static List<String> offered() {
    return Offered.BY_NAME.values().stream().distinct().toList();
  }

  /** Returns whether a suite is one of TLS 1.3; others are of TLS 1.2. */
  public static boolean isOfVersion13(String suite) {
    return suite.startsWith(PREFIX) && !suite.contains(WITH) && !suite.equals(SIGNAL);
  }

  /**
   * Returns whether a server with a key of an algorithm can use a suite.
   *
   * @param keyAlgorithm as Java has it: RSA, EC, EdDSA
   */
  public static boolean fits(String suite, String keyAlgorithm) {
    if (isOfVersion13(suite)) {
      return true;
    }
    String keyExchange = suite.substring(0, Math.max(0, suite.indexOf(WITH)));
    return keyExchange.endsWith(keyAlgorithm.equals("RSA") ? "_RSA" : "_ECDSA");
  }

  private static boolean hasForwardSecrecy(String suite) {
    return isOfVersion13(suite) || EPHEMERAL.stream().anyMatch(suite::startsWith);
  }

  /**
   * Returns the suite of a name of either kind, as Java names it; empty if Java does not offer it.
   */
  static Optional<String> named(String name) {
    return Optional.ofNullable(Offered.BY_NAME.get(name.toUpperCase(Locale.ROOT)));
  }

  private static SSLContext java() {
    try {
      return SSLContext.getDefault();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no TLS", e);
    }
  }

  /** Returns OpenSSL's name for a suite. */
  public static String openSslName(String suite) {
    if (isOfVersion13(suite)) {
      return suite;
    }
    int with = suite.indexOf(WITH);
    String keyExchange = suite.substring(PREFIX.length(), with).replace('_', '-');
    String cipher =
        suite
            .substring(with + WITH.length())
            .replace("AES_", "AES")
            .replace("_CBC_", "_")
            .replace("POLY1305_SHA256", "POLY1305")
            .replace('_', '-');
    return keyExchange.equals("RSA") ? cipher : keyExchange + "-" + cipher;
  }

  /** Loading all of Java's suites takes a while, and few configurations name any. */
  private static final class Offered {
    static final Map<String, String> BY_NAME = new LinkedHashMap<>();

    static {
      for (String suite : java().getSupportedSSLParameters().getCipherSuites()) {
        if (isOfVersion13(suite)) {
          BY_NAME.put(suite, suite);
        } else if (suite.startsWith(PREFIX) && suite.contains(WITH)) {
          BY_NAME.put(suite, suite);
          BY_NAME.put(openSslName(suite), suite);
        }
      }
    }
  }
}
