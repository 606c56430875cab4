package io.mayflymq.server.management.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.http.HttpResponse;
import io.mayflymq.server.http.HttpService.Admission;
import io.mayflymq.server.http.RequestHead;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StaticFilesTest {
  private static final long MOST_LIBRARY_BYTES = 100_000;

  private final StaticFiles files = StaticFiles.ofJar();

  private static RequestHead head(String method, String path, Map<String, String> headers) {
    return new RequestHead(
        method,
        path,
        null,
        headers,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
        false);
  }

  private static byte[] body(HttpResponse response) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertThat(response.body().appendTo(out)).isFalse();
    return out.toByteArray();
  }

  private static Path directory() throws URISyntaxException {
    return Path.of(StaticFiles.class.getResource("files.txt").toURI()).getParent();
  }

  @Test
  void theListHasEveryFileOfThePage() throws Exception {
    Path root = directory();
    try (Stream<Path> all = Files.walk(root)) {
      List<String> there =
          all.filter(Files::isRegularFile)
              .map(file -> root.relativize(file).toString().replace('\\', '/'))
              .filter(name -> !name.endsWith(".class") && !name.equals(StaticFiles.LIST))
              .sorted()
              .toList();
      assertThat(files.names().stream().sorted().toList()).isEqualTo(there);
    }
  }

  @Test
  void theLibrariesAreSmall() throws Exception {
    try (Stream<Path> all = Files.list(directory().resolve("lib"))) {
      assertThat(all.mapToLong(file -> file.toFile().length()).sum())
          .isLessThan(MOST_LIBRARY_BYTES);
    }
  }

  @Test
  void everyFileIsServedWithATypeAndThePolicy() throws Exception {
    for (String name : files.names()) {
      HttpResponse answer = files.find("/" + name).answer(head("GET", "/" + name, Map.of()));
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.headers())
          .containsKeys("etag", "content-type")
          .containsEntry("cache-control", "no-cache")
          .containsEntry("x-content-type-options", "nosniff")
          .containsEntry("referrer-policy", "no-referrer")
          .containsEntry("content-security-policy", StaticFile.CONTENT_SECURITY_POLICY);
      assertThat(body(answer)).isNotEmpty();
    }
  }

  @Test
  void noPageHasInlineScriptsOrStyles() throws Exception {
    for (String name : files.names()) {
      if (!name.startsWith("lib/")) {
        String text =
            new String(
                body(files.find("/" + name).answer(head("GET", "/", Map.of()))),
                StandardCharsets.UTF_8);
        assertThat(text).as(name).doesNotContain(" style=", "<style", "javascript:", " onclick=");
      }
    }
  }

  @Test
  void theRootIsThePage() throws Exception {
    HttpResponse answer = files.find("/").answer(head("GET", "/", Map.of()));
    assertThat(answer.headers()).containsEntry("content-type", "text/html; charset=utf-8");
    assertThat(new String(body(answer), StandardCharsets.UTF_8)).startsWith("<!doctype html>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/files.txt",
        "/StaticFiles.class",
        "/lib/",
        "/lib",
        "//index.html",
        "/./index.html",
        "/../page/index.html",
        "/lib/../index.html",
        "/%2e%2e/page/index.html",
        "/..%2f..%2fmayfly.conf",
        "/lib/..\\index.html",
        "/index.html/",
        "/INDEX.HTML",
        "/etc/passwd",
        "/api/overview",
      })
  void noOtherPathFindsAFile(String path) {
    assertThat(files.find(path)).isNull();
  }

  @Test
  void aFileThatTheBrowserHasIsNotSentAgain() throws Exception {
    StaticFile file = files.find("/app.js");
    String tag = file.answer(head("GET", "/app.js", Map.of())).headers().get("etag");
    HttpResponse again = file.answer(head("GET", "/app.js", Map.of("if-none-match", tag)));
    assertThat(again.status()).isEqualTo(304);
    assertThat(again.body()).isNull();
    assertThat(again.headers()).containsEntry("etag", tag).containsKey("content-security-policy");
    HttpResponse other =
        file.answer(head("GET", "/app.js", Map.of("if-none-match", "\"another\"")));
    assertThat(other.status()).isEqualTo(200);
  }

  @Test
  void aFileIsCompressedForABrowserThatAllowsIt() throws Exception {
    StaticFile file = files.find("/app.js");
    byte[] plain = body(file.answer(head("GET", "/app.js", Map.of("accept-encoding", "gzip;q=0"))));
    HttpResponse answer =
        file.answer(head("GET", "/app.js", Map.of("accept-encoding", "br, gzip;q=0.8")));
    assertThat(answer.headers()).containsEntry("content-encoding", "gzip");
    byte[] compressed = body(answer);
    assertThat(compressed).hasSizeLessThan(plain.length);
    assertThat(new GZIPInputStream(new ByteArrayInputStream(compressed)).readAllBytes())
        .isEqualTo(plain);
  }

  @Test
  void onlyReadingIsAllowed() {
    PageService page = new PageService(null);
    Admission post = page.admit(head("POST", "/", Map.of()));
    assertThat(((Admission.Refused) post).response().status()).isEqualTo(405);
    Admission get = page.admit(head("HEAD", "/app.js", Map.of()));
    assertThat(((Admission.Refused) get).response().status()).isEqualTo(200);
  }
}
