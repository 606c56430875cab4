package io.mayflymq.server.management.auth;

import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.ApiException;
import java.util.Locale;
import java.util.Set;

/**
 * Refuses changes that a page of another site has a browser make.
 *
 * <p>A browser sends a user's credentials with every request that a page makes, and states where
 * the page came from: in Origin, and newer browsers in Sec-Fetch-Site (W3C, "Fetch Metadata Request
 * Headers"), which no page can set. Programs other than browsers send neither, and are not
 * affected. As a second check, the content type of a request from a browser must be JSON: a form
 * cannot set it, and scripts that can are subject to the browser's own check of cross-site
 * requests.
 */
public final class CrossSite {
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private CrossSite() {}

  /**
   * Checks a request.
   *
   * @throws ApiException 403 if it would change something and comes from another site
   */
  public static void check(RequestHead head) {
    String site = head.header("sec-fetch-site");
    String origin = head.header("origin");
    boolean fromBrowser = site != null || origin != null || head.header("sec-fetch-mode") != null;
    if (!fromBrowser || isReading(head.method())) {
      return;
    }
    if (site != null && !OWN_SITES.contains(site)) {
      throw forbidden(
          "requests from another site may not change anything: Sec-Fetch-Site should be"
              + " same-origin, actually was "
              + site);
    }
    // A proxy may have changed the host; a browser that says same-origin knows better.
    if (site == null && origin != null && !isOwn(origin, head.header("host"))) {
      throw forbidden(
          "requests from another site may not change anything: Origin should be that of this API,"
              + " actually was "
              + origin);
    }
    if (head.hasBody() && !isJson(head.header("content-type"))) {
      throw forbidden(
          "the Content-Type of what a browser sends should be application/json, actually was "
              + head.header("content-type"));
    }
  }

  /** Returns whether requests of a method change nothing. */
  public static boolean isReading(String method) {
    return READING.contains(method);
  }

  private static ApiException forbidden(String reason) {
    return new ApiException(403, "forbidden", reason);
  }

  private static boolean isOwn(String origin, String host) {
    int colon = origin.indexOf("://");
    if (colon < 0 || host == null) {
      return false;
    }
    String usualPort = origin.startsWith("https:") ? ":443" : ":80";
    return without(usualPort, origin.substring(colon + 3)).equals(without(usualPort, host));
  }

  private static String without(String port, String host) {
    String lower = host.strip().toLowerCase(Locale.ROOT);
    return lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
  }

  private static boolean isJson(String contentType) {
    if (contentType == null) {
      return false;
    }
    int parameters = contentType.indexOf(';');
    String type = parameters < 0 ? contentType : contentType.substring(0, parameters);
    return type.strip().equalsIgnoreCase("application/json");
  }
}
