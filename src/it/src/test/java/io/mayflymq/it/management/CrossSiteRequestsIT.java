package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.RawHttp;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that pages have browsers make. */
@BlackBox
@MayflyOnly("a rule of the API's own")
class CrossSiteRequestsIT {
  private static final String BODY = "{\"value\":1}";

  private static String ask(Target target, String method, String headers) throws IOException {
    String all = RawHttp.guest() + headers + "content-length: " + BODY.length() + "\r\n";
    String path = "/api/global-parameters/cross-site-request";
    try (RawHttp client = new RawHttp(target.httpPort())) {
      return client.send(RawHttp.request(method, path, all + "connection: close\r\n", BODY)).rest();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "origin: http://evil.example~content-type: text/plain",
        "origin: http://evil.example~content-type: application/json",
        "origin: http://127.0.0.1:8080~content-type: application/json",
        "origin: null~content-type: application/json",
        "sec-fetch-site: cross-site~content-type: application/json",
        "sec-fetch-site: same-site~content-type: application/json",
        "sec-fetch-site: same-origin~content-type: text/plain",
        "sec-fetch-site: none",
        "origin: http://127.0.0.1~content-type: text/plain",
      })
  void aChangeFromAnotherSiteIsRefused(String headers, Target target) throws Exception {
    String answer = ask(target, "PUT", headers.replace("~", "\r\n") + "\r\n");
    assertThat(answer).startsWith("HTTP/1.1 403 ").contains("\"forbidden\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "content-type: text/plain",
        "accept: */*",
        "origin: http://127.0.0.1~content-type: application/json",
        "sec-fetch-site: same-origin~content-type: application/json; charset=utf-8",
      })
  void changesFromProgramsAndFromTheSameOriginAreAllowed(String headers, Target target)
      throws Exception {
    String answer = ask(target, "PUT", headers.replace("~", "\r\n") + "\r\n");
    assertThat(answer).startsWith("HTTP/1.1 20");
  }

  @Test
  void readingFromAnotherSiteIsAllowed(Target target) throws Exception {
    assertThat(ask(target, "GET", "origin: http://evil.example\r\n")).doesNotContain(" 403 ");
  }
}
