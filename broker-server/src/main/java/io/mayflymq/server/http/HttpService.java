package io.mayflymq.server.http;

/** What a server serves. */
public interface HttpService {
  /**
   * Decides about a request whose headers have come, before anything of its body is read. Called on
   * an event loop, so it must not wait. What it throws is answered with {@link #failure}.
   */
  Admission admit(RequestHead head);

  /**
   * What to answer when the server itself refuses a request.
   *
   * @param error a word or two
   * @param reason a sentence for people
   */
  HttpResponse refusal(int status, String error, String reason);

  /** What to answer when {@link #admit}, a handler or a body has thrown this. */
  HttpResponse failure(RequestHead head, Throwable thrown);

  /** What becomes of a request. */
  sealed interface Admission {
    /**
     * Its body is read, then it is handled.
     *
     * @param limit what the body may take
     */
    record Accepted(BodyLimit limit, Handler handler) implements Admission {}

    /**
     * It is answered without its body being read.
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
