package io.mayflymq.server.management.auth;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A cookie with a secret. Scripts cannot read it (HttpOnly). Over TLS it is Secure, and its name
 * has the prefix by which browsers refuse one from another host of the domain (RFC 6265bis, section
 * 4.1.3.2).
 *
 * <p>Browsers share cookies between the ports of a host. So the name has the port that the browser
 * asked for: two brokers on one machine have two cookies.
 */
public final class BrowserCookie {
  /** The token of a session. A browser sends it only with requests of its own site. */
  public static final BrowserCookie SESSION = new BrowserCookie("mayfly_session", "Strict");

  /** What ties a login at a provider to the browser that began it, which comes back from there. */
  static final BrowserCookie CODE_LOGIN = new BrowserCookie("mayfly_login", "Lax");

  private static final String HOST_PREFIX = "__Host-";
  private static final Pattern PORT = Pattern.compile(":(\\d{1,5})$");

  private final String baseName;
  private final String sameSite;

  private BrowserCookie(String baseName, String sameSite) {
    this.baseName = baseName;
    this.sameSite = sameSite;
  }

  private String name(Map<String, String> headers, boolean encrypted) {
    Matcher port = PORT.matcher(headers.getOrDefault("host", "").strip());
    String name = port.find() ? baseName + "_" + port.group(1) : baseName;
    return encrypted ? HOST_PREFIX + name : name;
  }

  /**
   * Returns the token that a request has, or null.
   *
   * @param headers of the request, by name in lower case
   * @param encrypted whether it came over TLS
   */
  public String token(Map<String, String> headers, boolean encrypted) {
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
  public String set(Map<String, String> headers, boolean encrypted, String token) {
    return name(headers, encrypted) + "=" + token + attributes(encrypted);
  }

  /** Returns the value of {@code Set-Cookie} that makes a browser forget its token. */
  public String clear(Map<String, String> headers, boolean encrypted) {
    return name(headers, encrypted) + "=; Max-Age=0" + attributes(encrypted);
  }

  private String attributes(boolean encrypted) {
    return "; Path=/; HttpOnly; SameSite=" + sameSite + (encrypted ? "; Secure" : "");
  }
}
