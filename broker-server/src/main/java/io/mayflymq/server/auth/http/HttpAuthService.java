package io.mayflymq.server.auth.http;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.AuthService;
import io.mayflymq.server.auth.OpenQuestions;
import io.mayflymq.server.auth.Question;
import io.mayflymq.server.config.AuthHttpSettings;
import io.mayflymq.server.tls.ClientTls;
import io.mayflymq.server.tls.TlsException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * The service, asked by Java's HTTP client. Connections are kept open and used again; their number
 * is bounded, further requests wait in order, and the number of these is bounded too. Equal
 * questions of the same moment are one request. An answer is there within the time limit of a
 * request, with all waiting, or the question has failed. Redirects are not followed, and no proxy
 * is used.
 */
public final class HttpAuthService implements AuthService {
  private static final int MOST_BYTES = 64 * 1024;
  private static final int MOST_OPEN = 64;
  private static final int MOST_WAITING = 10_000;

  /** They look up names, and hand on what the client's own thread has received. */
  private static final int THREADS = 4;

  private final AuthHttpSettings settings;
  private final ExecutorService threads;
  private final HttpClient client;
  private final OpenQuestions questions;

  /** Guarded by itself, as is {@link #open}. */
  private final ArrayDeque<Exchange> waiting = new ArrayDeque<>();

  private int open;

  private HttpAuthService(AuthHttpSettings settings, ExecutorService threads, HttpClient client) {
    this.settings = settings;
    this.threads = threads;
    this.client = client;
    this.questions = new OpenQuestions(settings.requestTimeoutMillis(), 0);
  }

  /**
   * Makes a client of the service. Nothing is sent before the first question.
   *
   * @param factory makes its threads
   * @throws TlsException if a certificate or a key cannot be used
   */
  public static HttpAuthService start(AuthHttpSettings settings, BrokerThreads factory)
      throws TlsException {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(Duration.ofMillis(settings.connectionTimeoutMillis()));
    if (settings.isEncrypted()) {
      builder
          .sslContext(ClientTls.context(settings.tls()))
          .sslParameters(new SSLParameters(null, settings.tls().versions().toArray(String[]::new)));
    }
    ExecutorService threads = factory.auxiliaryPool("auth-http", THREADS);
    return new HttpAuthService(settings, threads, builder.executor(threads).build());
  }

  @Override
  public CompletableFuture<Answer> ask(Question question) {
    return questions.ask(question, answer -> begin(new Exchange(question, answer)));
  }

  private void begin(Exchange exchange) {
    synchronized (waiting) {
      if (open >= MOST_OPEN) {
        if (waiting.size() < MOST_WAITING) {
          waiting.add(exchange);
          return;
        }
      } else {
        open++;
        exchange.isOpen = true;
      }
    }
    if (exchange.isOpen) {
      exchange.send();
    } else {
      exchange.answer.complete(
          Answer.failed("%d questions wait for the service already".formatted(MOST_WAITING)));
    }
  }

  /** A request has ended: its connection is for the next one. */
  private void next() {
    Exchange next;
    synchronized (waiting) {
      do {
        next = waiting.poll();
      } while (next != null && next.answer.isDone());
      if (next == null) {
        open--;
        return;
      }
    }
    next.send();
  }

  /** One question on its way. */
  private final class Exchange {
    final Question question;
    final CompletableFuture<Answer> answer;
    boolean isOpen;
    private boolean repeated;

    Exchange(Question question, CompletableFuture<Answer> answer) {
      this.question = question;
      this.answer = answer;
    }

    void send() {
      CompletableFuture<HttpResponse<byte[]>> sent;
      try {
        sent = client.sendAsync(request(question), head -> new LimitedBody(MOST_BYTES));
      } catch (RuntimeException e) {
        answer.complete(Answer.failed(e.getClass().getSimpleName()));
        next();
        return;
      }
      // A question whose time is over gives its connection up.
      answer.whenComplete((done, error) -> sent.cancel(true));
      sent.whenComplete(
          (response, error) -> {
            if (error != null && mayRepeat(Causes.of(error))) {
              repeated = true;
              send();
              return;
            }
            try {
              answer.complete(
                  error == null
                      ? HttpReply.read(question, response.statusCode(), response.body())
                      : Answer.failed(reason(path(question), Causes.of(error))));
            } finally {
              next();
            }
          });
    }

    /**
     * A server may close a connection in the moment in which it is used again. Java repeats GET
     * then, and a question is as harmless.
     */
    private boolean mayRepeat(Throwable error) {
      return !repeated
          && !answer.isDone()
          && error instanceof IOException
          && !(error instanceof HttpTimeoutException
              || error instanceof ConnectException
              || error instanceof ProtocolException
              || error instanceof SSLException);
    }
  }

  private HttpRequest request(Question question) {
    String form = HttpForm.of(question);
    URI at = path(question);
    HttpRequest.Builder request =
        settings.posts()
            ? HttpRequest.newBuilder(at)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form))
            : HttpRequest.newBuilder(withQuery(at, form)).GET();
    return request.header("User-Agent", "MayflyMQ").build();
  }

  /** The configuration was checked: it has the URL of every question that is asked. */
  private URI path(Question question) {
    Optional<URI> path;
    if (question instanceof Question.Login) {
      path = settings.userPath();
    } else if (question instanceof Question.Vhost) {
      path = settings.vhostPath();
    } else if (question instanceof Question.Resource) {
      path = settings.resourcePath();
    } else {
      path = settings.topicPath();
    }
    return path.orElseThrow();
  }

  private static URI withQuery(URI at, String query) {
    String path = at.getRawPath() == null || at.getRawPath().isEmpty() ? "/" : at.getRawPath();
    String before = at.getRawQuery() == null ? "" : at.getRawQuery() + "&";
    return URI.create(
        "%s://%s%s?%s%s".formatted(at.getScheme(), at.getRawAuthority(), path, before, query));
  }

  /** Returns why there is no answer, without what was asked: that may have a password in it. */
  private static String reason(URI at, Throwable error) {
    if (error instanceof ConnectException) {
      return "cannot connect to " + at.getRawAuthority();
    }
    if (error instanceof SSLException) {
      return "no TLS with %s: %s".formatted(at.getRawAuthority(), error.getMessage());
    }
    if (error instanceof IOException && error.getMessage() != null) {
      return error.getMessage();
    }
    return error.getClass().getSimpleName();
  }

  @Override
  public void close() {
    questions.close();
    threads.shutdown();
  }
}
