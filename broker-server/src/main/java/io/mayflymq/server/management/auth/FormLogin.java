package io.mayflymq.server.management.auth;

import io.mayflymq.server.http.BodyLimit;
import io.mayflymq.server.http.RequestBody;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.Response;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A login whose name and password are the fields of a form, as RabbitMQ's own page and scripts for
 * it send them. The answer has what to send as HTTP's basic authentication from then on; no session
 * begins. No page of another site can send the form (CrossSite), and wrong passwords are refused
 * and delayed as those of all other requests.
 *
 * <p>Source: RabbitMQ 4.3.6, rabbit_mgmt_wm_login.
 */
public final class FormLogin {
  /** Names and passwords have at most some hundred bytes. */
  public static final BodyLimit LIMIT = new BodyLimit(16_384, (int) TimeUnit.SECONDS.toMillis(10));

  private static final String TYPE = "application/x-www-form-urlencoded";

  private FormLogin() {}

  /** Returns whether a request to log in has the form. */
  public static boolean isMeant(RequestHead head, String path) {
    String type = head.header("content-type");
    return head.method().equals("POST")
        && (path.equals("login") || path.equals("login/"))
        && type != null
        && type.strip().toLowerCase(Locale.ROOT).startsWith(TYPE);
  }

  /**
   * Returns the request with the name and the password of its form as basic authentication.
   *
   * @throws ApiException 400 if the encoding is malformed, 401 if one of the two is missing
   */
  public static RequestHead withCredentials(RequestHead head, RequestBody form) {
    Map<String, String> fields =
        Request.parseQuery(new String(form.bytes(), StandardCharsets.UTF_8).strip());
    String user = fields.get("username");
    String password = fields.get("password");
    if (user == null || password == null) {
      throw refused();
    }
    byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return head.withHeader("authorization", "Basic " + Base64.getEncoder().encodeToString(both));
  }

  /** Returns the error for wrong credentials. */
  public static ApiException refused() {
    return new ApiException(401, "not_authorized", "Not_Authorized");
  }

  /** Returns the answer to a request {@link #withCredentials}. */
  public static Response accepted(RequestHead head, Principal principal) {
    return Response.ok(
        Json.object(
            "user",
            Json.object(
                "name",
                principal.user(),
                "tags",
                principal.tags(),
                "is_internal_user",
                principal.isInternal()),
            "token",
            Json.object(
                "type",
                "basic",
                "value",
                head.header("authorization").substring("Basic ".length()))));
  }
}
