package io.mayflymq.server.auth.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.Question;
import io.mayflymq.server.config.Configuration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpAuthServiceTest {
  private static final int SECONDS = 60;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Semaphore received = new Semaphore(0);
  private final AtomicInteger requests = new AtomicInteger();
  private final CountDownLatch gate = new CountDownLatch(1);
  private HttpServer server;
  private HttpAuthService service;

  @BeforeEach
  void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 500);
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
    service = service(server.getAddress().getPort(), 60_000);
  }

  private static HttpAuthService service(int port, int timeoutMillis) throws Exception {
    List<String> sets =
        List.of(
            "auth_backends.1.authn=http",
            "auth_backends.1.authz=internal",
            "auth_http.http_method=post",
            "auth_http.request_timeout=" + timeoutMillis,
            "auth_http.user_path=http://127.0.0.1:" + port + "/user");
    return HttpAuthService.start(
        Configuration.load(Optional.empty(), Map.of(), sets).settings().auth().http(),
        new BrokerThreads(Faults.logged()));
  }

  @AfterEach
  void stop() {
    gate.countDown();
    service.close();
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      requests.incrementAndGet();
      received.release();
      gate.await();
      byte[] body = "allow".getBytes(StandardCharsets.US_ASCII);
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Question login(String user) {
    return new Question.Login(user, "secret");
  }

  private static Answer get(CompletableFuture<Answer> answer) throws Exception {
    return answer.get(SECONDS, TimeUnit.SECONDS);
  }

  private void awaitRequests(int count) throws InterruptedException {
    assertThat(received.tryAcquire(count, SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void equalQuestionsOfTheSameMomentAreOneRequest() throws Exception {
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.add(service.ask(login("ann")));
    }
    CompletableFuture<Answer> other = service.ask(login("bob"));
    awaitRequests(2);
    gate.countDown();
    for (CompletableFuture<Answer> each : answers) {
      assertThat(get(each).isAllowed()).isTrue();
    }
    get(other);
    assertThat(requests).hasValue(2);
    get(service.ask(login("ann")));
    assertThat(requests).hasValue(3);
  }

  @Test
  void furtherQuestionsWaitForAConnection() throws Exception {
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      answers.add(service.ask(login("user" + i)));
    }
    awaitRequests(64);
    assertThat(requests).hasValue(64);
    gate.countDown();
    for (CompletableFuture<Answer> each : answers) {
      assertThat(get(each).isAllowed()).isTrue();
    }
    assertThat(requests).hasValue(200);
  }

  @Test
  void anAnswerThatDoesNotComeInTimeIsAFailureAndItsConnectionIsFree() throws Exception {
    HttpAuthService hasty = service(server.getAddress().getPort(), 300);
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      answers.add(hasty.ask(login("user" + i)));
    }
    for (CompletableFuture<Answer> each : answers) {
      assertThat(get(each)).isEqualTo(Answer.failed("no answer within 300 ms"));
    }
    gate.countDown();
    // On a busy machine an answer may take longer than that, but not always.
    Answer later = Answer.failed("");
    for (int i = 0; i < 100 && !later.isAllowed(); i++) {
      later = get(hasty.ask(login("later" + i)));
    }
    assertThat(later.isAllowed()).isTrue();
    hasty.close();
  }

  @Test
  void aConnectionThatEndsWithoutAnAnswerIsTriedOnceMore() throws Exception {
    try (ServerSocket broken = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      AtomicInteger connections = new AtomicInteger();
      threads.submit(
          () -> {
            while (true) {
              try (Socket socket = broken.accept()) {
                socket.getInputStream().read(new byte[8192]);
                if (connections.incrementAndGet() == 2) {
                  socket
                      .getOutputStream()
                      .write(
                          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nallow"
                              .getBytes(StandardCharsets.US_ASCII));
                }
              }
            }
          });
      HttpAuthService client = service(broken.getLocalPort(), 60_000);
      assertThat(get(client.ask(login("ann"))).isAllowed()).isTrue();
      assertThat(connections).hasValue(2);
      assertThat(get(client.ask(login("ann"))).kind()).isEqualTo(Answer.Kind.FAILED);
      assertThat(connections).hasValue(4);
      client.close();
    }
  }

  @Test
  void nothingWaitsForAServiceThatIsClosed() throws Exception {
    CompletableFuture<Answer> before = service.ask(login("ann"));
    awaitRequests(1);
    service.close();
    assertThat(before).isDone();
    assertThat(service.ask(login("bob")).join()).isEqualTo(Answer.failed("the broker is stopping"));
  }
}
