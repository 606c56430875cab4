package io.mayflymq.server.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpListenerTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private HttpListener listener(Router.Handler handler) throws IOException {
    HttpListener listener =
        new HttpListener(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            null,
            threads,
            (header, remote) -> Principal.CONTROL,
            Map.of("/api/", handler));
    listener.start();
    return listener;
  }

  @Test
  void closesAtOnceWhenNobodyAsks() throws IOException {
    long start = System.nanoTime();
    int rounds = 10;
    for (int i = 0; i < rounds; i++) {
      listener(request -> Response.ok("never")).close();
    }
    // Each of them would take a second if it waited for requests that are not there.
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(rounds));
  }

  @Test
  void answersWhatItWasAskedBeforeItCloses() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    HttpListener listener =
        listener(
            request -> {
              asked.countDown();
              try {
                assertThat(closing.await(10, TimeUnit.SECONDS)).isTrue();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return Response.ok("answer");
            });
    URI uri = URI.create("http://127.0.0.1:" + listener.address().getPort() + "/api/");
    CompletableFuture<HttpResponse<String>> answer =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .build()
            .sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(
            () -> {
              closing.countDown();
              listener.close();
            },
            threads);
    assertThat(answer.get(10, TimeUnit.SECONDS).body()).isEqualTo("\"answer\"");
    closed.get(10, TimeUnit.SECONDS);
  }
}
