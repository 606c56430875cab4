package io.mayflymq.server.management;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.protocol.types.AmqpException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * One address where the API is served, by the HTTP server that comes with the JDK, with TLS or without.
 *
 * What that server does not do by itself is done here: it is told to send small answers at once (its headers and bodies are two writes, and the
 * second would wait for the client's delayed acknowledgement), how long a request may take to arrive, and how many clients there may be.
 * It gives the path as it came, so a name may hold an encoded slash.
 */
final class HttpListener implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(HttpListener.class);
  private static final int LARGEST_BODY = 64 << 20;
  private static final int CLOSE_SECONDS = 1;

  static {
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.maxReqTime", "60");
    System.setProperty("sun.net.httpserver.maxRspTime", "120");
    System.setProperty("jdk.httpserver.maxConnections", "1000");
  }

  private final HttpServer server;
  private final Authenticator authenticator;
  private final Map<String, Router.Handler> served;
  private final AtomicInteger inProgress = new AtomicInteger();

  /**
   * Takes the address; it answers from {@link #start} on.
   *
   * @param tls what makes it speak TLS; null if it does not
   * @param served what answers, by the first part of the path, such as {@code /api/}
   * @throws IOException if the address cannot be had
   */
  HttpListener(
      InetSocketAddress address,
      SSLContext tls,
      Executor threads,
      Authenticator authenticator,
      Map<String, Router.Handler> served)
      throws IOException {
    this.authenticator = authenticator;
    this.served = Map.copyOf(served);
    this.server = tls == null ? HttpServer.create(address, 0) : encrypted(address, tls);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
  }

  private static HttpsServer encrypted(InetSocketAddress address, SSLContext tls)
      throws IOException {
    HttpsServer server = HttpsServer.create(address, 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    return server;
  }

  /** Whether it speaks TLS. */
  boolean isEncrypted() {
    return server instanceof HttpsServer;
  }

  /** Begins to answer. */
  void start() {
    server.start();
  }

  InetSocketAddress address() {
    return server.getAddress();
  }

  private void handle(HttpExchange exchange) throws IOException {
    inProgress.incrementAndGet();
    try (exchange) {
      Encoded response = respond(exchange);
      response.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
      exchange.getResponseHeaders().set("server", "MayflyMQ");
      exchange.getResponseHeaders().set("cache-control", "no-cache");
      byte[] body = response.json();
      if (body.length == 0) {
        exchange.sendResponseHeaders(response.status(), -1);
        return;
      }
      exchange.getResponseHeaders().set("content-type", "application/json");
      if (exchange.getRequestMethod().equals("HEAD")) {
        exchange.getResponseHeaders().set("content-length", Integer.toString(body.length));
        exchange.sendResponseHeaders(response.status(), -1);
      } else {
        exchange.sendResponseHeaders(response.status(), body.length);
        exchange.getResponseBody().write(body);
      }
    } catch (IOException e) {
      LOGGER.debug("HTTP client {}: {}", exchange.getRemoteAddress(), e.toString());
      throw e;
    } finally {
      inProgress.decrementAndGet();
    }
  }

  /** An answer whose body is in JSON already; none if it is empty. */
  private record Encoded(int status, Map<String, String> headers, Body content) {
    static Encoded of(Response response) {
      return new Encoded(
          response.status(),
          response.headers(),
          new Body(response.body() == null ? new byte[0] : Json.encode(response.body())));
    }

    byte[] json() {
      return content.bytes();
    }
  }

  private Encoded respond(HttpExchange exchange) throws IOException {
    try {
      return Encoded.of(route(exchange));
    } catch (ApiException e) {
      return Encoded.of(Response.of(e));
    } catch (AmqpException e) {
      return Encoded.of(Response.of(ApiException.of(e)));
    } catch (AdministrationException e) {
      return Encoded.of(Response.of(ApiException.of(e)));
    } catch (RuntimeException e) {
      LOGGER.error(
          "HTTP {} {}: internal error",
          exchange.getRequestMethod(),
          exchange.getRequestURI().getRawPath(),
          e);
      return Encoded.of(
          Response.of(
              new ApiException(500, "internal_error", "The broker's log tells what happened")));
    }
  }

  private Response route(HttpExchange exchange) throws IOException {
    String rawPath = exchange.getRequestURI().getRawPath();
    for (Map.Entry<String, Router.Handler> part : served.entrySet()) {
      if (rawPath.startsWith(part.getKey())) {
        InetAddress remote = exchange.getRemoteAddress().getAddress();
        Principal principal =
            authenticator.authenticate(
                exchange.getRequestHeaders().getFirst("Authorization"), remote);
        if (principal == null) {
          return Authenticator.challenge();
        }
        principal.requireManagement();
        return part.getValue()
            .handle(request(exchange, rawPath.substring(part.getKey().length()), principal));
      }
    }
    throw ApiException.notFound();
  }

  private static Request request(HttpExchange exchange, String rawPath, Principal principal)
      throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(LARGEST_BODY + 1);
    if (body.length > LARGEST_BODY) {
      throw new ApiException(
          413, "payload_too_large", "Request body exceeds " + LARGEST_BODY + " bytes");
    }
    Map<String, String> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), first(values)));
    return new Request(
        exchange.getRequestMethod(),
        Request.split(rawPath),
        Map.of(),
        Request.parseQuery(exchange.getRequestURI().getRawQuery()),
        headers,
        new Body(body),
        principal);
  }

  private static String first(List<String> values) {
    return values.isEmpty() ? "" : values.get(0);
  }

  /**
   * Closes it, and all connections, when the requests that are being answered are, or a second
   * later.
   */
  @Override
  public void close() {
    // Up to Java 20 the server sits out the whole time if no request ends in it, so none may be
    // given when there is none to wait for.
    server.stop(inProgress.get() == 0 ? 0 : CLOSE_SECONDS);
  }
}
