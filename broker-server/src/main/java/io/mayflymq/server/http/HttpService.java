package io.mayflymq.server.http;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** The service behind an HTTP server. */
public interface HttpService {
  /**
   * Accepts or refuses a request by its headers, before any of its body is read. Called on an event
   * loop, so it must not block. Exceptions are answered with {@link #failure}.
   */
  Admission admit(RequestHead head);

  /**
   * Returns the answer when the server itself refuses a request.
   *
   * @param error a word or two
   * @param reason a sentence for people
   */
  HttpResponse refusal(int status, String error, String reason);

  /** Returns the answer when {@link #admit}, a handler or a body has thrown this exception. */
  HttpResponse failure(RequestHead head, Throwable thrown);

  /** The decision about a request. */
  sealed interface Admission {
    /**
     * The body is read, then the request is handled.
     *
     * @param limit what the body may take
     */
    record Accepted(BodyLimit limit, Handler handler) implements Admission {}

    /**
     * The body is read and dropped, then the answer is waited for; no thread waits meanwhile.
     *
     * @param limit what the body may take
     * @param answer called on the event loop, so it must not block; what it returns is cancelled if
     *     the client disconnects
     */
    record Awaited(BodyLimit limit, Supplier<CompletableFuture<HttpResponse>> answer)
        implements Admission {}

    /**
     * A short body is read, and what is made of it answers, perhaps after a pause. Until then the
     * client counts as one that is not logged in.
     *
     * @param limit what the body may take
     * @param answer called on the event loop, so it must not block; gives {@link Refused}, or
     *     {@link Deferred} with that. Exceptions are answered with {@link #failure}
     */
    record Prompt(BodyLimit limit, Function<RequestBody, Admission> answer) implements Admission {}

    /**
     * The decision is waited for, without a thread. Nothing of the body is read meanwhile, and the
     * client counts as one that is not logged in.
     *
     * @param decision done on any thread; exceptions are answered with {@link #failure}
     */
    record Deferred(CompletableFuture<Admission> decision) implements Admission {}

    /**
     * The request is answered without reading its body.
     *
     * @param pauseMillis how long the answer is held back; mostly 0
     */
    record Refused(HttpResponse response, long pauseMillis) implements Admission {
      /** Answered at once. */
      public Refused(HttpResponse response) {
        this(response, 0);
      }
    }
  }

  /** Answers a request. */
  @FunctionalInterface
  interface Handler {
    /** Answers; called by a worker, and may wait. */
    HttpResponse handle(RequestBody body);
  }
}
