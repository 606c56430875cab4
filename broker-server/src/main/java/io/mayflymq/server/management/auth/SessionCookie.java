package io.mayflymq.server.management.auth;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The cookie with the token of a session. Scripts cannot read it (HttpOnly), and a browser sends it
 * only with requests of its own site (SameSite=Strict). Over TLS it is Secure, and its name has the
 * prefix by which browsers refuse one from another host of the domain (RFC 6265bis, section
 * 4.1.3.2).
 *
 * <p>Browsers share cookies between the ports of a host. So the name has the port that the browser
 * asked for: two brokers on one machine have two cookies.
 */
public final class SessionCookie {
  private static final String NAME = "mayfly_session";
  private static final String HOST_PREFIX = "__Host-";
  private static final String ATTRIBUTES = "; Path=/; HttpOnly; SameSite=Strict";
  private static final Pattern PORT = Pattern.compile(":(\\d{1,5})$");

  private SessionCookie() {}

  private static String name(Map<String, String> headers, boolean encrypted) {
    Matcher port = PORT.matcher(headers.getOrDefault("host", "").strip());
    String name = port.find() ? NAME + "_" + port.group(1) : NAME;
    return encrypted ? HOST_PREFIX + name : name;
  }

  /**
   * Returns the token that a request has, or null.
   *
   * @param headers of the request, by name in lower case
   * @param encrypted whether it came over TLS
   */
  public static String token(Map<String, String> headers, boolean encrypted) {
    String wanted = name(headers, encrypted) + "=";
    for (String pair : headers.getOrDefault("cookie", "").split(";")) {
      String cookie = pair.strip();
      if (cookie.startsWith(wanted) && cookie.length() > wanted.length()) {
        return cookie.substring(wanted.length());
      }
    }
    return null;
  }

  /** Returns the value of {@code Set-Cookie} that gives a browser a token. */
  public static String set(Map<String, String> headers, boolean encrypted, String token) {
    return name(headers, encrypted) + "=" + token + ATTRIBUTES + secure(encrypted);
  }

  /** Returns the value of {@code Set-Cookie} that makes a browser forget its token. */
  public static String clear(Map<String, String> headers, boolean encrypted) {
    return name(headers, encrypted) + "=; Max-Age=0" + ATTRIBUTES + secure(encrypted);
  }

  private static String secure(boolean encrypted) {
    return encrypted ? "; Secure" : "";
  }
}
