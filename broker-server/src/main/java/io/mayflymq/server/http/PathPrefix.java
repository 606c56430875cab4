package io.mayflymq.server.http;

import java.util.Map;

/**
 * Serves another service below a prefix of the path, for a reverse proxy that passes paths on as
 * they came. All other paths are not found. The prefix alone leads to the prefix with a slash, as
 * relative links need that.
 */
public final class PathPrefix implements HttpService {
  private final String prefix;
  private final HttpService service;

  /**
   * @param prefix begins with a slash and does not end with one
   * @param service gets the requests without the prefix
   */
  public PathPrefix(String prefix, HttpService service) {
    this.prefix = prefix;
    this.service = service;
  }

  @Override
  public Admission admit(RequestHead head) {
    String path = head.path();
    if (path.equals(prefix)) {
      return new Admission.Refused(HttpResponse.empty(301, Map.of("location", prefix + "/")));
    }
    if (!path.startsWith(prefix + "/")) {
      return new Admission.Refused(
          refusal(404, "not_found", "the paths of this server begin with " + prefix));
    }
    return service.admit(head.withPath(path.substring(prefix.length())));
  }

  @Override
  public HttpResponse refusal(int status, String error, String reason) {
    return service.refusal(status, error, reason);
  }

  @Override
  public HttpResponse failure(RequestHead head, Throwable thrown) {
    return service.failure(head, thrown);
  }
}
