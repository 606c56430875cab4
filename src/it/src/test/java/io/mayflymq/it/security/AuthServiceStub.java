package io.mayflymq.it.security;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** A service that answers whether users may log in and what they may do. Thread-safe. */
final class AuthServiceStub implements AutoCloseable {
  private static final int BACKLOG = 500;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final AtomicInteger held = new AtomicInteger();
  private volatile Function<Asked, Reply> replies = question -> Reply.text("deny");

  /** What answers wait for; null for nothing. */
  private volatile CountDownLatch gate;

  private volatile int pauseMillis;

  /**
   * A question.
   *
   * @param path the last part of the path: user, vhost, resource, topic
   * @param port of the client
   */
  record Asked(String method, String path, Map<String, String> fields, int port) {
    String field(String name) {
      return fields.get(name);
    }

    boolean isAbout(String wantedPath, String user) {
      return path.equals(wantedPath) && user.equals(field("username"));
    }
  }

  /**
   * A reply.
   *
   * @param location where to go on, with a redirect; else null
   */
  record Reply(int status, String body, String location) {
    static Reply text(String body) {
      return new Reply(200, body, null);
    }
  }

  AuthServiceStub() throws IOException {
    this(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG));
  }

  private AuthServiceStub(HttpServer server) {
    this.server = server;
    server.createContext("/auth/", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  /** Returns one that speaks TLS, and wants a certificate of its clients that it trusts. */
  static AuthServiceStub encrypted(SSLContext tls) throws IOException {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    server.setHttpsConfigurator(
        new HttpsConfigurator(tls) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters wanted = tls.getDefaultSSLParameters();
            wanted.setNeedClientAuth(true);
            parameters.setSSLParameters(wanted);
          }
        });
    return new AuthServiceStub(server);
  }

  int port() {
    return server.getAddress().getPort();
  }

  String url(String path) {
    return "http://127.0.0.1:%d/auth/%s".formatted(port(), path);
  }

  void replies(Function<Asked, Reply> wanted) {
    replies = wanted;
  }

  void pause(int millis) {
    pauseMillis = millis;
  }

  /** Holds all answers back until {@link #letGo}. */
  void hold() {
    gate = new CountDownLatch(1);
  }

  void letGo() {
    CountDownLatch closed = gate;
    gate = null;
    if (closed != null) {
      closed.countDown();
    }
  }

  /** How many answers are held back at the moment. */
  int held() {
    return held.get();
  }

  List<Asked> asked() {
    return List.copyOf(asked);
  }

  List<Asked> asked(String path, String user) {
    return asked.stream().filter(each -> each.isAbout(path, user)).toList();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String query = exchange.getRequestURI().getRawQuery();
      Asked question =
          new Asked(
              exchange.getRequestMethod(),
              exchange.getRequestURI().getPath().substring("/auth/".length()),
              fields(query == null ? body : query),
              exchange.getRemoteAddress().getPort());
      asked.add(question);
      CountDownLatch closed = gate;
      if (closed != null) {
        held.incrementAndGet();
        closed.await();
        held.decrementAndGet();
      }
      if (pauseMillis > 0) {
        Thread.sleep(pauseMillis);
      }
      Reply reply = replies.apply(question);
      if (reply.location() != null) {
        exchange.getResponseHeaders().set("Location", reply.location());
      }
      byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Map<String, String> fields(String form) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String pair : form.split("&")) {
      String[] parts = pair.split("=", 2);
      fields.put(
          URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
          parts.length == 1 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return fields;
  }

  @Override
  public void close() {
    letGo();
    server.stop(0);
    threads.shutdownNow();
  }
}
