package io.mayflymq.server.management;

import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.http.HttpResponse;
import io.mayflymq.server.http.HttpService;
import io.mayflymq.server.http.RequestBody;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.BinaryBody;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.api.TextBody;
import io.mayflymq.server.management.auth.Authenticator;
import io.mayflymq.server.management.auth.CrossSite;
import io.mayflymq.server.management.auth.FormLogin;
import io.mayflymq.server.management.json.JsonBody;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The API as the HTTP server sees it: finds the handler of a request by its headers, and writes the
 * handler's answer or exception as JSON.
 *
 * <p>A request is refused before its body is read unless it comes from a user who may use the API,
 * does not come from a page of another site, and has a known path and method. Exceptions are a form
 * with which a user logs in, and paths that need no login.
 */
final class ApiService implements HttpService {
  private final Authenticator authenticator;
  private final Map<String, Part> served;
  private final Faults faults;

  /**
   * A part of the paths.
   *
   * @param router of what is behind the first part of a path
   * @param forAdministrators whether all of it is for administrators only
   */
  record Part(Supplier<RequestRouter> router, boolean forAdministrators) {
    void require(Principal principal) {
      if (forAdministrators) {
        principal.requireAdministrator();
      } else {
        principal.requireManagement();
      }
    }
  }

  /**
   * @param served by the first part of the path, such as {@code /api/}
   * @param faults gets exceptions that are defects
   */
  ApiService(Authenticator authenticator, Map<String, Part> served, Faults faults) {
    this.authenticator = authenticator;
    this.faults = faults;
    this.served = Map.copyOf(served);
  }

  @Override
  public Admission admit(RequestHead head) {
    for (Map.Entry<String, Part> part : served.entrySet()) {
      if (head.path().startsWith(part.getKey())) {
        CrossSite.check(head);
        return admit(head, head.path().substring(part.getKey().length()), part.getValue());
      }
    }
    throw ApiException.notFound(Missing.other("path", head.path()));
  }

  private Admission admit(RequestHead head, String path, Part part) {
    if (FormLogin.isMeant(head, path)) {
      return new Admission.Prompt(FormLogin.LIMIT, form -> login(head, form, part));
    }
    Response open = openly(head, path, part);
    if (open != null) {
      return new Admission.Refused(encode(open));
    }
    return admit(head, path, part, authenticator.authenticate(head));
  }

  private static Admission admit(
      RequestHead head, String path, Part part, Authenticator.Login login) {
    if (login instanceof Authenticator.Login.Awaited awaited) {
      return new Admission.Deferred(
          awaited.result().thenApply(later -> admit(head, path, part, later)));
    }
    if (login instanceof Authenticator.Login.Accepted accepted) {
      part.require(accepted.principal());
      return admit(head, path, part, accepted.principal());
    }
    return login instanceof Authenticator.Login.Refused refused
        ? new Admission.Refused(encode(Response.of(Authenticator.failed())), refused.pauseMillis())
        : new Admission.Refused(encode(Authenticator.challenge(head)));
  }

  private static Response openly(RequestHead head, String path, Part part) {
    boolean reads = head.method().equals("GET") || head.method().equals("HEAD");
    return reads && !part.forAdministrators()
        ? part.router().get().openly(path).orElse(null)
        : null;
  }

  private Admission login(RequestHead head, RequestBody form, Part part) {
    RequestHead given = FormLogin.withCredentials(head, form);
    return answer(given, part, authenticator.authenticate(given));
  }

  private static Admission answer(RequestHead given, Part part, Authenticator.Login login) {
    if (login instanceof Authenticator.Login.Awaited awaited) {
      return new Admission.Deferred(
          awaited.result().thenApply(later -> answer(given, part, later)));
    }
    if (login instanceof Authenticator.Login.Accepted accepted) {
      part.require(accepted.principal());
      return new Admission.Refused(encode(FormLogin.accepted(given, accepted.principal())));
    }
    long pauseMillis =
        login instanceof Authenticator.Login.Refused refused ? refused.pauseMillis() : 0;
    return new Admission.Refused(encode(Response.of(FormLogin.refused())), pauseMillis);
  }

  private static Admission admit(RequestHead head, String path, Part part, Principal principal) {
    Request request =
        new Request(
            head.method(),
            Request.split(path),
            Map.of(),
            Request.parseQuery(head.query()),
            head.headers(),
            head.encrypted(),
            Body.EMPTY,
            principal);
    RequestRouter.Found found = part.router().get().find(request.method(), request.path());
    if (found instanceof RequestRouter.Found.Handled route) {
      return new Admission.Accepted(
          route.limit(),
          body -> {
            Response response =
                route.handler().handle(request.with(route.parameters(), new Body(body)));
            AuditLog.changed(head, request.path(), part.forAdministrators(), principal, response);
            return encode(response);
          });
    }
    return new Admission.Refused(encode(((RequestRouter.Found.Answered) found).response()));
  }

  private static HttpResponse encode(Response response) {
    Map<String, String> headers = new HashMap<>(response.headers());
    headers.put("server", "MayflyMQ");
    // Answers have hashes of passwords, messages and tokens: no cache keeps them, and none is a
    // page.
    headers.put("cache-control", "no-store");
    headers.put("x-content-type-options", "nosniff");
    headers.put("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
    if (response.body() == null) {
      return HttpResponse.empty(response.status(), headers);
    }
    if (response.body() instanceof TextBody text) {
      headers.put("content-type", "text/plain; charset=utf-8");
      return HttpResponse.text(response.status(), headers, text.lines());
    }
    if (response.body() instanceof BinaryBody binary) {
      headers.put("content-type", "application/octet-stream");
      return HttpResponse.bytes(response.status(), headers, binary.bytes());
    }
    headers.put("content-type", "application/json");
    return new HttpResponse(
        response.status(), headers, new JsonBody(response.body(), response.messages()));
  }

  @Override
  public HttpResponse refusal(int status, String error, String reason) {
    return encode(Response.of(new ApiException(status, error, reason)));
  }

  @Override
  public HttpResponse failure(RequestHead head, Throwable thrown) {
    return Response.refusal(thrown)
        .map(ApiService::encode)
        .orElseGet(
            () -> {
              faults.report("an HTTP request", head, thrown);
              return refusal(500, "internal_error", "The broker's log tells what happened");
            });
  }
}
