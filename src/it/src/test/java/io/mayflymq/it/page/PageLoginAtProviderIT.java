package io.mayflymq.it.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OpenIdProvider;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawHttp;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;

/** The login of the management page at a real OpenID provider, in a real browser. */
@BlackBox
@OwnBroker
class PageLoginAtProviderIT {
  private static final String RIGHTS =
      "broker.tag:administrator broker.read:*/* broker.write:*/*/* broker.configure:*/*";
  private static final String CALLBACK = "/js/oidc-oauth/login-callback.html";

  @TempDir static Path directory;

  private static OpenIdProvider provider;
  private static EmbeddedBroker broker;
  private static Browser browser;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    Browser.require();
    port = Broker.freePort();
    Certificate certificate = Certificate.withRsaKey("CN=login");
    provider =
        new OpenIdProvider(
            certificate, directory, RIGHTS, 300, "http://127.0.0.1:" + port + CALLBACK);
    broker =
        EmbeddedBroker.builder()
            .set("auth_backends.1", "oauth2")
            .set("auth_oauth2.resource_server_id", "broker")
            .set("auth_oauth2.issuer", provider.url())
            .set("auth_oauth2.https.cacertfile", directory.resolve("provider.pem"))
            .set("management.tcp.port", port)
            .set("management.oauth_enabled", true)
            .set("management.oauth_client_id", "mayfly-page")
            .set("management.oauth_scopes", "openid " + RIGHTS)
            .start();
    browser = Browser.start(port, "--ignore-certificate-errors");
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
    if (broker != null) {
      broker.close();
    }
    if (provider != null) {
      provider.close();
    }
  }

  @Test
  void aUserLogsInAtTheProviderAndIsOneOfTheBroker() {
    browser.openLoggedOut(By.id("provider"));
    assertThat(browser.has(By.id("password"))).isFalse();
    browser.click(By.id("provider"));
    browser.type("[name=login]", "ann");
    browser.type("[name=password]", "any");
    browser.click(By.cssSelector("button[type=submit]"));
    browser.click(By.cssSelector("button[type=submit]"));
    assertThat(browser.visible(By.cssSelector("header b")).getText()).isEqualTo("ann");
    browser.go("queues");
    browser.openLoggedOut(By.id("provider"));
  }

  @Test
  void whoGivesNoConsentIsBackWithAReason() {
    browser.openLoggedOut(By.id("provider"));
    browser.click(By.id("provider"));
    browser.click(By.linkText("[ Cancel ]"));
    assertThat(browser.visible(By.cssSelector(".trouble")).getText())
        .isEqualTo("The login was refused. The log of the broker says why.");
    broker.awaitLine("no login to the management page: the provider answered access_denied");
  }

  private static String ask(String path, String headers) throws IOException {
    try (RawHttp client = new RawHttp(port)) {
      return client
          .send(RawHttp.request("GET", path, headers + "connection: close\r\n", ""))
          .rest();
    }
  }

  @Test
  void aCodeThatThisBrowserHasNotAskedForBeginsNoSession() throws Exception {
    String begun = ask("/login/oauth2?page=http://127.0.0.1/", "");
    assertThat(begun).startsWith("HTTP/1.1 302 ").contains("SameSite=Lax", "code_challenge=");
    String state = begun.replaceAll("(?s).*[?&]state=([^&\\s]+).*", "$1");
    String cookie = begun.replaceAll("(?s).*set-cookie: ([^;]+);.*", "$1");
    assertThat(ask(CALLBACK + "?code=x&state=" + state, ""))
        .startsWith("HTTP/1.1 302 ")
        .contains("location: ../../?login=over")
        .doesNotContain("mayfly_session");
    // Even the right browser has one try for each.
    assertThat(ask(CALLBACK + "?code=x&state=" + state, "cookie: " + cookie + "\r\n"))
        .contains("?login=over");
  }

  @Test
  void theUrlOfThePageIsOfTheHostThatIsAsked() throws Exception {
    for (String page : new String[] {"", "?page=http://evil.example.com/", "?page=javascript:x"}) {
      assertThat(ask("/login/oauth2" + page, ""))
          .startsWith("HTTP/1.1 400 ")
          .contains("page: expected the URL of the management page on 127.0.0.1, found");
    }
  }

  @Test
  void passwordsAreRefusedAndAnyoneMaySeeWhy() throws Exception {
    Http http = Http.as(port, "guest", "guest");
    assertThat(http.get("whoami").status()).isEqualTo(401);
    assertThat(http.anonymous().get("auth").json().get("oauth_enabled").asBoolean()).isTrue();
    assertThat(http.anonymous().get("auth").json().get("oauth_disable_basic_auth").asBoolean())
        .isTrue();
  }
}
