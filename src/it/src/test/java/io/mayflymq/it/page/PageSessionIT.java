package io.mayflymq.it.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.RawHttp;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The sessions of the page: what a browser with the cookie may do, and when that ends. */
@BlackBox
@MayflyOnly("RabbitMQ has no sessions")
class PageSessionIT extends AccessFixture {
  private static final String MARK = "x-requested-with: mayfly\r\n";
  private static final Pattern COOKIE = Pattern.compile("set-cookie: (mayfly_session[^;]*);(.*)");

  private String ask(String method, String path, String headers, String body) throws IOException {
    String all = headers + "connection: close\r\ncontent-length: " + body.length() + "\r\n";
    try (RawHttp client = new RawHttp(target.httpPort())) {
      return client.send(RawHttp.request(method, path, all, body)).rest();
    }
  }

  /** Logs in and returns the header with the cookie. */
  private String logIn(String user, String password) throws IOException {
    String answer = ask("POST", "/api/login", MARK + RawHttp.basic(user, password), "");
    assertThat(answer).startsWith("HTTP/1.1 200 ");
    Matcher cookie = COOKIE.matcher(answer);
    assertThat(cookie.find()).isTrue();
    assertThat(cookie.group(2)).contains("HttpOnly", "SameSite=Strict", "Path=/");
    return "cookie: " + cookie.group(1) + "\r\n";
  }

  @Test
  void theAnswerToALoginSaysWhoItIsAndWhatIsPermitted(Amqp amqp) throws Exception {
    String user = user(amqp, "management");
    String vhost = vhost(amqp);
    http.put(
        "permissions/" + vhost + "/" + user,
        "{\"configure\":\"\",\"write\":\"^o\",\"read\":\".*\"}");
    assertThat(ask("POST", "/api/login", MARK + RawHttp.basic(user, "p"), ""))
        .endsWith(
            "{\"name\":\"%s\",\"tags\":[\"management\"],\"permissions\":{\"%s\":"
                    .formatted(user, vhost)
                + "{\"configure\":\"\",\"write\":\"^o\",\"read\":\".*\"}}}");
  }

  @Test
  void aSessionNeedsNoPassword() throws Exception {
    String cookie = logIn("guest", "guest");
    assertThat(ask("GET", "/api/whoami", cookie + MARK, "")).contains("\"guest\"");
    // A link to a file to download has no mark.
    assertThat(ask("GET", "/api/whoami", cookie, "")).contains("\"guest\"");
  }

  @Test
  void aWrongPasswordBeginsNoSessionAndOpensNoDialogOfTheBrowser() throws Exception {
    assertThat(ask("POST", "/api/login", MARK + RawHttp.basic("guest", "wrong"), ""))
        .startsWith("HTTP/1.1 401 ")
        .contains("Login failed")
        .doesNotContainIgnoringCase("set-cookie")
        .doesNotContainIgnoringCase("www-authenticate");
  }

  @Test
  void aRequestOfThePageWithoutASessionOpensNoDialogOfTheBrowser() throws Exception {
    assertThat(ask("GET", "/api/overview", MARK, ""))
        .startsWith("HTTP/1.1 401 ")
        .contains("not_authorized")
        .doesNotContainIgnoringCase("www-authenticate");
    assertThat(ask("GET", "/api/overview", "", "")).containsIgnoringCase("www-authenticate: Basic");
  }

  @Test
  void aPasswordThatTheBrowserRemembersIsNoSessionOfThePage() throws Exception {
    assertThat(ask("GET", "/api/whoami", MARK + RawHttp.guest(), "")).startsWith("HTTP/1.1 401 ");
    assertThat(ask("GET", "/api/whoami", RawHttp.guest(), "")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void aChangeByASessionNeedsTheMark() throws Exception {
    String cookie = logIn("guest", "guest");
    String path = "/api/global-parameters/page-session";
    String json = "content-type: application/json\r\n";
    assertThat(ask("PUT", path, cookie + json, "{\"value\":1}")).startsWith("HTTP/1.1 403 ");
    assertThat(ask("PUT", path, cookie + json + MARK, "{\"value\":1}")).startsWith("HTTP/1.1 20");
    assertThat(ask("DELETE", path, cookie, "")).startsWith("HTTP/1.1 403 ");
    assertThat(ask("DELETE", path, cookie + MARK, "")).startsWith("HTTP/1.1 204 ");
  }

  @Test
  void aChangeFromAnotherSiteIsRefusedAlsoWithASession() throws Exception {
    String cookie = logIn("guest", "guest");
    assertThat(ask("POST", "/api/logout", cookie + MARK + "origin: http://evil.example\r\n", ""))
        .startsWith("HTTP/1.1 403 ");
  }

  @Test
  void aSessionEndsAtTheLogout() throws Exception {
    String cookie = logIn("guest", "guest");
    assertThat(ask("POST", "/api/logout", cookie + MARK, ""))
        .startsWith("HTTP/1.1 204 ")
        .contains("Max-Age=0");
    assertThat(ask("GET", "/api/whoami", cookie + MARK, "")).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void aSessionEndsWithAnotherPassword(Amqp amqp) throws Exception {
    String user = user(amqp, "monitoring");
    String cookie = logIn(user, "p");
    http.put("users/" + user, "{\"password\":\"other\",\"tags\":\"monitoring\"}");
    assertThat(ask("GET", "/api/whoami", cookie + MARK, "")).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void aSessionEndsWithItsUser(Amqp amqp) throws Exception {
    String user = user(amqp, "monitoring");
    String cookie = logIn(user, "p");
    http.delete("users/" + user);
    assertThat(ask("GET", "/api/whoami", cookie + MARK, "")).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void aUserWithoutATagCannotLogIn(Amqp amqp) throws Exception {
    String user = user(amqp, "");
    assertThat(ask("POST", "/api/login", MARK + RawHttp.basic(user, "p"), ""))
        .startsWith("HTTP/1.1 401 ")
        .contains("not_authorised")
        .doesNotContainIgnoringCase("set-cookie");
  }
}
