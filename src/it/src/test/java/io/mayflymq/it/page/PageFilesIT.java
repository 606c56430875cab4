package io.mayflymq.it.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.RawHttp;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the page, which are served without a login. */
@BlackBox
@MayflyOnly("RabbitMQ has another page")
class PageFilesIT {
  private static String ask(Target target, String method, String path, String headers)
      throws IOException {
    try (RawHttp client = new RawHttp(target.httpPort())) {
      return client
          .send(RawHttp.request(method, path, headers + "connection: close\r\n", ""))
          .rest();
    }
  }

  @Test
  void thePageIsServedWithAContentSecurityPolicy(Target target) throws Exception {
    assertThat(ask(target, "GET", "/", ""))
        .startsWith("HTTP/1.1 200 ")
        .contains("content-security-policy: default-src 'none'; script-src 'self'")
        .contains("frame-ancestors 'none'")
        .contains("x-content-type-options: nosniff")
        .contains("referrer-policy: no-referrer")
        .contains("<!doctype html>");
  }

  @Test
  void aFileThatTheBrowserHasIsNotSentAgain(Target target) throws Exception {
    String first = ask(target, "GET", "/app.css", "");
    String tag = first.substring(first.indexOf("etag: ") + 6).split("\r\n", 2)[0];
    assertThat(ask(target, "GET", "/app.css", "if-none-match: " + tag + "\r\n"))
        .startsWith("HTTP/1.1 304 ")
        .endsWith("\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/files.txt",
        "/StaticFiles.class",
        "/lib/",
        "/../page/index.html",
        "/%2e%2e/%2e%2e/logback.xml",
        "/lib/%2e%2e/index.html",
        "//index.html",
      })
  void noOtherFileOfTheJarCanBeRead(String path, Target target) throws Exception {
    assertThat(ask(target, "GET", path, "")).startsWith("HTTP/1.1 404 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/cli", "/cli/", "/cli/index.html", "/cli/rabbitmqadmin"})
  void pageTellsWhereToGetRabbitmqadmin(String path, Target target) throws Exception {
    assertThat(ask(target, "GET", path, ""))
        .startsWith("HTTP/1.1 200 ")
        .contains("content-type: text/html")
        .contains("https://github.com/rabbitmq/rabbitmqadmin-ng/releases");
  }

  @Test
  void aFileCannotBePosted(Target target) throws Exception {
    assertThat(ask(target, "POST", "/", "content-length: 0\r\n")).startsWith("HTTP/1.1 405 ");
  }
}
