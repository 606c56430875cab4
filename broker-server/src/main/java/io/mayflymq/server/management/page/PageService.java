package io.mayflymq.server.management.page;

import io.mayflymq.server.http.HttpResponse;
import io.mayflymq.server.http.HttpService;
import io.mayflymq.server.http.RequestHead;
import java.util.Map;

/**
 * Serves the files of the management page, which need no login, and passes all other requests on.
 *
 * <p>The files are answered on the event loop, without a worker: that takes no more than a copy of
 * some kilobytes, and a client that only reads them does not count as one that is logged in.
 */
public final class PageService implements HttpService {
  private final HttpService api;
  private final StaticFiles files = StaticFiles.ofJar();

  /**
   * @param api answers all requests but those for files
   */
  public PageService(HttpService api) {
    this.api = api;
  }

  @Override
  public Admission admit(RequestHead head) {
    StaticFile file = files.find(head.path());
    if (file == null) {
      return api.admit(head);
    }
    return switch (head.method()) {
      case "GET", "HEAD" -> new Admission.Refused(file.answer(head));
      default -> new Admission.Refused(HttpResponse.empty(405, Map.of("allow", "GET, HEAD")));
    };
  }

  @Override
  public HttpResponse refusal(int status, String error, String reason) {
    return api.refusal(status, error, reason);
  }

  @Override
  public HttpResponse failure(RequestHead head, Throwable thrown) {
    return api.failure(head, thrown);
  }
}
