package io.mayflymq.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a connection does with what a client sends and does not send. */
class HttpConnectionTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private final HttpRig rig = new HttpRig();
  private final EmbeddedChannel client = rig.connect();

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nhost: h\r\n\r\n";
  }

  private static String post(String path, String headers, String body) {
    return "POST %s HTTP/1.1\r\nhost: h\r\n%s\r\n%s".formatted(path, headers, body);
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
  }

  private static String body(String answer) {
    return answer.substring(answer.indexOf("\r\n\r\n") + 4);
  }

  @Test
  void requestsOnOneConnectionAreAnsweredInOrder() {
    String answer = rig.send(client, get("/a"));
    assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").contains("content-length: 2\r\n");
    assertThat(body(answer)).isEqualTo("ok");
    assertThat(rig.send(client, post("/b", "content-length: 3\r\n", "xyz"))).endsWith("ok");
    assertThat(rig.seen).containsExactly("GET /a", "", "POST /b", "xyz");
    assertThat(client.isActive()).isTrue();
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() {
    AtomicInteger serial = new AtomicInteger();
    rig.answer =
        out -> {
          out.writeBytes(("answer " + serial.incrementAndGet()).getBytes(StandardCharsets.UTF_8));
          return false;
        };
    String answers = rig.send(client, get("/1") + get("/2") + get("/3"));
    assertThat(answers).containsSubsequence("answer 1", "answer 2", "answer 3");
    assertThat(rig.seen).containsExactly("GET /1", "", "GET /2", "", "GET /3", "");
  }

  @Test
  void nextRequestIsNotReadBeforeTheFirstIsAnswered() {
    client.writeInbound(Unpooled.copiedBuffer(get("/1") + get("/2"), StandardCharsets.US_ASCII));
    assertThat(rig.seen).containsExactly("GET /1");
    rig.work();
    assertThat(rig.seen).containsExactly("GET /1", "", "GET /2", "");
  }

  @Test
  void headRequestIsAnsweredWithTheLengthOnly() {
    rig.answer = pieces(new AtomicInteger(), 100_000, 3);
    String answer = rig.send(client, get("/a").replace("GET", "HEAD"));
    assertThat(answer).contains("content-length: 300000\r\n").doesNotContain("chunked");
    assertThat(body(answer)).isEmpty();
    rig.answer = null;
    assertThat(body(rig.send(client, get("/a")))).isEqualTo("ok");
  }

  @Test
  void incompleteRequestTimesOut() {
    assertThat(rig.send(client, "GET /a HTTP/1.1\r\nhost:")).isEmpty();
    HttpRig.pass(client, 9_999);
    assertThat(client.isActive()).isTrue();
    HttpRig.pass(client, 1);
    assertThat(status(HttpRig.read(client))).isEqualTo(408);
    HttpRig.pass(client, 2_000);
    assertThat(client.isActive()).isFalse();
  }

  /** Headers that trickle in do not start the clock again. */
  @Test
  void slowlySentHeadersTimeOut() {
    rig.send(client, "GET /a HTTP/1.1\r\n");
    for (int i = 0; i < 9; i++) {
      HttpRig.pass(client, 1_000);
      assertThat(rig.send(client, "a" + i + ": b\r\n")).isEmpty();
    }
    HttpRig.pass(client, 1_000);
    assertThat(status(HttpRig.read(client))).isEqualTo(408);
  }

  @Test
  void connectionThatSendsNothingIsClosedWithoutAnAnswer() {
    HttpRig.pass(client, 10_000);
    assertThat(client.isActive()).isFalse();
    assertThat(HttpRig.read(client)).isEmpty();
  }

  @Test
  void idleConnectionIsClosed() {
    rig.send(client, get("/a"));
    HttpRig.pass(client, 59_999);
    assertThat(client.isActive()).isTrue();
    HttpRig.pass(client, 1);
    assertThat(client.isActive()).isFalse();
  }

  @Test
  void requestWithoutItsBodyTimesOut() {
    rig.send(client, post("/a", "content-length: 3\r\n", "x"));
    HttpRig.pass(client, 19_999);
    assertThat(client.isActive()).isTrue();
    HttpRig.pass(client, 1);
    assertThat(status(HttpRig.read(client))).isEqualTo(408);
    assertThat(rig.bodies().taken()).isZero();
  }

  @Test
  void bodyIsNotReadBeforeItsRequestIsAdmitted() {
    String answer = rig.send(client, post("/refused", "content-length: 1000000\r\n", "x"));
    assertThat(status(answer)).isEqualTo(401);
    assertThat(answer).contains("connection: close\r\n");
    assertThat(rig.seen).containsExactly("POST /refused");
  }

  @Test
  void connectionStaysOpenAfterARefusedShortBody() {
    String answer = rig.send(client, post("/refused", "content-length: 3\r\n", "x"));
    assertThat(status(answer)).isEqualTo(401);
    assertThat(answer).doesNotContain("connection: close");
    assertThat(rig.send(client, "yz" + get("/a"))).endsWith("ok");
  }

  @Test
  void refusalIsDelayedByItsPause() {
    assertThat(rig.send(client, get("/paused") + get("/a"))).isEmpty();
    HttpRig.pass(client, 4_999);
    assertThat(HttpRig.read(client)).isEmpty();
    HttpRig.pass(client, 1);
    rig.work();
    assertThat(HttpRig.read(client)).startsWith("HTTP/1.1 401 ").endsWith("ok");
  }

  @Test
  void expect100ContinueIsAnsweredForAnAdmittedRequest() {
    String headers = "content-length: 3\r\nexpect: 100-continue\r\n";
    assertThat(rig.send(client, post("/a", headers, ""))).startsWith("HTTP/1.1 100 Continue\r\n");
    assertThat(rig.send(client, "xyz")).startsWith("HTTP/1.1 200 ");
    assertThat(rig.seen).endsWith("xyz");
  }

  @Test
  void expect100ContinueIsNotAnsweredForARefusedRequest() {
    String headers = "content-length: 3\r\nexpect: 100-continue\r\n";
    String answer = rig.send(client, post("/refused", headers, ""));
    assertThat(answer).startsWith("HTTP/1.1 401 ").contains("connection: close\r\n");
  }

  @Test
  void tooLongBodyIsRefusedByItsContentLength() {
    String answer = rig.send(client, post("/a", "content-length: 1001\r\n", ""));
    assertThat(status(answer)).isEqualTo(413);
    assertThat(body(answer)).contains("exceeds 1000 bytes");
  }

  @Test
  void tooLongChunkedBodyIsRefusedWhileReceived() {
    rig.send(client, post("/a", "transfer-encoding: chunked\r\n", ""));
    String chunk = "1f4\r\n" + "x".repeat(500) + "\r\n";
    assertThat(rig.send(client, chunk)).isEmpty();
    assertThat(rig.send(client, chunk)).isEmpty();
    assertThat(status(rig.send(client, "1\r\nx\r\n"))).isEqualTo(413);
    assertThat(rig.bodies().taken()).isZero();
  }

  @Test
  void bodiesOfAllRequestsTogetherAreLimited() {
    String most = "content-length: 100000\r\n";
    assertThat(rig.send(client, post("/large", most, "x".repeat(99_999)))).isEmpty();
    EmbeddedChannel other = rig.connect();
    String answer = rig.send(other, post("/a", "content-length: 900\r\n", "x".repeat(900)));
    assertThat(status(answer)).isEqualTo(503);
    assertThat(rig.send(client, "x")).startsWith("HTTP/1.1 200 ");
    assertThat(rig.bodies().taken()).isZero();
  }

  @Test
  void chunkedBodyIsAccepted() {
    String chunks = "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\ntrailer: t\r\n\r\n";
    assertThat(rig.send(client, post("/a", "transfer-encoding: chunked\r\n", chunks)))
        .startsWith("HTTP/1.1 200 ");
    assertThat(rig.seen).endsWith("abcde");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST /a HTTP/1.1\\nhost: h\\ncontent-length: 3\\ncontent-length: 3 | 400",
        "POST /a HTTP/1.1\\nhost: h\\ncontent-length: 3\\ncontent-length: 4 | 400",
        "POST /a HTTP/1.1\\nhost: h\\ncontent-length: 3, 3 | 400",
        "POST /a HTTP/1.1\\nhost: h\\ncontent-length: -3 | 400",
        "POST /a HTTP/1.1\\nhost: h\\ncontent-length: 3\\ntransfer-encoding: chunked | 400",
        "POST /a HTTP/1.1\\nhost: h\\ntransfer-encoding: chunked\\ntransfer-encoding: x | 400",
        "POST /a HTTP/1.1\\nhost: h\\ntransfer-encoding: gzip, chunked | 501",
        "POST /a HTTP/1.1\\nhost: h\\ntransfer-encoding: xchunked | 400",
        "POST /a HTTP/1.0\\nhost: h\\ntransfer-encoding: chunked | 400",
        "GET /a HTTP/1.1\\nhost: h\\nhost: i | 400",
        "GET /a HTTP/1.1 | 400",
        "GET /a HTTP/2.0\\nhost: h | 505",
        "GET a HTTP/1.1\\nhost: h | 400",
        "GET /\u00e4 HTTP/1.1\\nhost: h | 400",
        "POST /a HTTP/1.1\\nhost: h\\nexpect: tea\\ncontent-length: 3 | 417",
        "nonsense | 400",
      })
  void ambiguousRequestIsRefused(String request, int status) {
    String answer = rig.send(client, request.replace("\\n", "\r\n") + "\r\n\r\n");
    assertThat(status(answer)).isEqualTo(status);
    assertThat(answer).contains("connection: close\r\n");
    assertThat(rig.seen).isEmpty();
  }

  @Test
  void tooLongHeadersAreRefused() {
    String headers = "a: " + "b".repeat(100) + "\r\n";
    String answer = rig.send(client, "GET /a HTTP/1.1\r\nhost: h\r\n" + headers.repeat(30));
    assertThat(status(answer)).isEqualTo(431);
  }

  /** Each line takes four bytes from the client, and many more here. */
  @Test
  void tooManyHeadersAreRefused() {
    String answer = rig.send(client, "GET /a HTTP/1.1\r\nhost: h\r\n" + "a:\r\n".repeat(101));
    assertThat(status(answer)).isEqualTo(431);
    assertThat(body(answer)).contains("100");
    EmbeddedChannel other = rig.connect();
    String chunked = "GET /a HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n0\r\n";
    assertThat(status(rig.send(other, chunked + "a:\r\n".repeat(102)))).isEqualTo(431);
  }

  @Test
  void tooLongRequestTargetIsRefused() {
    assertThat(status(rig.send(client, get("/" + "a".repeat(1_000))))).isEqualTo(414);
  }

  @Test
  void absoluteUrlIsReducedToItsPath() {
    rig.send(client, get("http://h:15672/api?x"));
    assertThat(rig.seen).startsWith("GET /api");
  }

  @Test
  void tlsOnAPlainPortIsAnsweredWithAnExplanation() {
    String answer = rig.send(client, "\u0016\u0003\u0001\u0002\u0000");
    assertThat(status(answer)).isEqualTo(400);
    assertThat(body(answer)).contains("plain HTTP", "TLS");
  }

  @Test
  void http10ConnectionIsClosedUnlessKeepAliveIsRequested() {
    assertThat(rig.send(client, "GET /a HTTP/1.0\r\nconnection: keep-alive\r\n\r\n"))
        .contains("connection: keep-alive\r\n");
    assertThat(rig.send(client, "GET /a HTTP/1.0\r\n\r\n")).contains("connection: close\r\n");
  }

  @Test
  void connectionIsClosedAfterItsMaximumOfRequests() {
    HttpRig few =
        new HttpRig(new HttpLimits(3, 2, 1_000, 2_000, 1_000, 1_000_000, 2, 1, 1, 100, 100, 100));
    EmbeddedChannel channel = few.connect();
    assertThat(few.send(channel, get("/a"))).doesNotContain("connection: close");
    assertThat(few.send(channel, get("/a"))).contains("connection: close\r\n");
  }

  @Test
  void requestIsAnsweredWith503WhenAllWorkersAreBusy() {
    HttpRig roomy =
        new HttpRig(new HttpLimits(9, 9, 1_000, 2_000, 1_000, 1_000_000, 2, 1, 1, 100, 100, 100));
    for (int i = 0; i < 3; i++) {
      roomy.connect().writeInbound(Unpooled.copiedBuffer(get("/a"), StandardCharsets.US_ASCII));
    }
    EmbeddedChannel more = roomy.connect();
    more.writeInbound(Unpooled.copiedBuffer(get("/a"), StandardCharsets.US_ASCII));
    String answer = HttpRig.read(more);
    assertThat(status(answer)).isEqualTo(503);
    assertThat(body(answer)).contains("Too many requests");
  }

  @Test
  void newConnectionAboveTheLimitClosesTheLongestIdleOne() {
    EmbeddedChannel known = rig.connect();
    rig.send(known, get("/a"));
    EmbeddedChannel half = rig.connect();
    rig.send(half, "GET");
    HttpRig.pass(client, 1_000);
    HttpRig.pass(half, 1_000);
    EmbeddedChannel fourth = rig.connect();
    assertThat(client.isActive()).as("has sent nothing for longest").isFalse();
    EmbeddedChannel fifth = rig.connect();
    assertThat(half.isActive()).isFalse();
    assertThat(known.isActive()).as("has been let in before").isTrue();
    assertThat(rig.send(fifth, get("/a"))).endsWith("ok");
    assertThat(fourth.isActive()).isTrue();
  }

  @Test
  void newConnectionsDoNotDisplaceOneAnotherWhileThereIsAnIdleOne() {
    EmbeddedChannel idle = rig.connect();
    rig.send(client, get("/a"));
    rig.send(idle, get("/a"));
    EmbeddedChannel third = rig.connect();
    EmbeddedChannel fourth = rig.connect();
    EmbeddedChannel fifth = rig.connect();
    assertThat(client.isActive()).isFalse();
    assertThat(idle.isActive()).isFalse();
    assertThat(rig.send(third, get("/a"))).endsWith("ok");
    assertThat(rig.send(fourth, get("/a"))).endsWith("ok");
    assertThat(rig.send(fifth, get("/a"))).endsWith("ok");
    EmbeddedChannel sixth = rig.connect();
    assertThat(third.isActive()).isFalse();
    rig.send(fourth, get("/awaited"));
    rig.send(fifth, get("/awaited"));
    rig.connect();
    assertThat(sixth.isActive()).as("the others are being answered").isFalse();
  }

  @Test
  void awaitedResponseIsSentWhenItIsThere() {
    assertThat(rig.send(client, get("/awaited"))).isEmpty();
    assertThat(rig.work).as("no worker waits").isEmpty();
    rig.awaited.complete(HttpResponse.text(200, "there"));
    rig.work();
    assertThat(body(HttpRig.read(client))).isEqualTo("there");
    assertThat(rig.send(client, get("/a"))).endsWith("ok");
  }

  @Test
  void awaitedResponseThatFailsIsReportedAsAnError() {
    rig.send(client, get("/awaited"));
    rig.awaited.completeExceptionally(new IOException("no such thing"));
    rig.work();
    assertThat(status(HttpRig.read(client))).isEqualTo(500);
  }

  @Test
  void awaitedResponseIsCancelledWhenTheClientDisconnects() {
    rig.send(client, get("/awaited"));
    client.close();
    rig.work();
    assertThat(rig.awaited).isCancelled();
  }

  @Test
  void longResponseIsProducedAsTheClientReadsIt() {
    AtomicInteger made = new AtomicInteger();
    rig.answer = pieces(made, 10_000, 1_000);
    String answer = rig.send(client, get("/a"));
    assertThat(answer).contains("transfer-encoding: chunked\r\n").endsWith("\r\n0\r\n\r\n");
    assertThat(made).hasValue(1_000);
  }

  @Test
  void failedResponseIsReportedAsAnError() {
    rig.answer =
        out -> {
          throw new IOException("no such thing");
        };
    String answer = rig.send(client, get("/a"));
    assertThat(status(answer)).isEqualTo(500);
    assertThat(body(answer)).isEqualTo("no such thing");
  }

  @Test
  void partlySentResponseThatFailsIsNotTerminated() {
    BodySource good = pieces(new AtomicInteger(), 10_000, 1_000);
    AtomicInteger made = new AtomicInteger();
    rig.answer =
        out -> {
          if (made.incrementAndGet() > 20) {
            throw new IOException("no such thing");
          }
          return good.appendTo(out);
        };
    assertThat(rig.send(client, get("/a"))).doesNotEndWith("0\r\n\r\n");
    assertThat(client.isActive()).isFalse();
  }

  @Test
  void responseBodyIsClosedAfterItIsSent() {
    Closeable answer = new Closeable(1_000, 1_000);
    rig.answer = answer;
    rig.send(client, get("/a"));
    assertThat(answer.closed).isEqualTo(1);
  }

  @Test
  void responseBodyIsClosedWhenItFails() {
    Closeable broken = new Closeable(20, 100);
    rig.answer = broken;
    rig.send(client, get("/a"));
    assertThat(client.isActive()).isFalse();
    assertThat(broken.closed).isEqualTo(1);
    Closeable never = new Closeable(0, 100);
    rig.answer = never;
    assertThat(status(rig.send(rig.connect(), get("/a")))).isEqualTo(500);
    assertThat(never.closed).isEqualTo(1);
  }

  @Test
  void responseBodyIsClosedWhenTheClientDisconnects() {
    Closeable answer = new Closeable(1_000, 1_000);
    rig.answer = answer;
    client.writeInbound(Unpooled.copiedBuffer(get("/a"), StandardCharsets.US_ASCII));
    client.close();
    rig.work();
    assertThat(answer.closed).isEqualTo(1);
  }

  private static final HttpLimits ROOM_FOR_ONE =
      new HttpLimits(9, 100, 1_000, 2_000, 100_000, 200_000, 9, 1, 1, 10_000, 60_000, 30_000);

  private static BodySource large() {
    return pieces(new AtomicInteger(), 70_000, 3);
  }

  /** An answer that is never at its end: it is sent as long as its client takes it. */
  private static BodySource endless() {
    return pieces(new AtomicInteger(), 70_000, Integer.MAX_VALUE);
  }

  @Test
  void longResponseWaitsUntilThereIsRoom() {
    PendingResponses<String> answers =
        new PendingResponses<>(100, client -> !client.startsWith("server"));
    answers.begin("sent", 60, false, 0);
    assertThat(answers.hasRoomFor(60)).isFalse();
    assertThat(answers.await("waits", 60)).isTrue();
    assertThat(answers.await("waits too", 40)).isTrue();
    assertThat(answers.await("as much waits already", 1)).isFalse();
    assertThat(answers.hasRoomFor(1)).as("it would overtake").isFalse();
    assertThat(answers.next(0)).isNull();
    answers.end("sent");
    assertThat(answers.next(0)).isEqualTo("waits");
    assertThat(answers.next(0)).isEqualTo("waits too");
    assertThat(answers.next(0)).isNull();
    answers.end("waits");
    answers.end("waits too");
    assertThat(answers.hasRoomFor(1_000)).as("one alone may take more").isTrue();
  }

  @Test
  void whoReadsNothingMakesRoomForWhatWaits() {
    PendingResponses<String> answers =
        new PendingResponses<>(100, client -> !client.startsWith("server"));
    answers.begin("reads nothing", 60, false, 0);
    answers.begin("reads", 40, false, 0);
    assertThat(answers.displaced(SECOND)).as("nobody needs the room").isNull();
    answers.await("waits", 60);
    answers.goesOn("reads", SECOND / 2);
    assertThat(answers.displaced(SECOND - 1)).isNull();
    assertThat(answers.displaced(SECOND)).isEqualTo("reads nothing");
    answers.end("reads nothing");
    assertThat(answers.next(SECOND)).isEqualTo("waits");
    answers.await("waits too", 60);
    for (int i = 1; i < 30; i++) {
      answers.goesOn("reads", i * SECOND);
      answers.goesOn("waits", i * SECOND);
    }
    assertThat(answers.displaced(29 * SECOND)).isNull();
    answers.goesOn("reads", 30 * SECOND);
    answers.goesOn("waits", 30 * SECOND);
    assertThat(answers.displaced(30 * SECOND)).as("very slow").isEqualTo("reads");
  }

  @Test
  void nobodyIsTooSlowWhileTheServerMakesTheNextPart() {
    PendingResponses<String> answers =
        new PendingResponses<>(100, client -> !client.startsWith("server"));
    answers.begin("server is slow", 60, false, 0);
    answers.begin("client is slow", 40, false, 0);
    answers.await("waits", 60);
    assertThat(answers.displaced(60 * SECOND)).isEqualTo("client is slow");
    answers.end("client is slow");
    assertThat(answers.displaced(60 * SECOND)).isNull();
  }

  @Test
  void shortResponsesPushOutOneAnotherAndNotLongOnes() {
    PendingResponses<String> answers =
        new PendingResponses<>(100, client -> !client.startsWith("server"));
    answers.begin("long", 60, false, 0);
    answers.begin("short", 40, true, 0);
    assertThat(answers.displaced(0)).isNull();
    answers.begin("newest", 40, true, 0);
    assertThat(answers.displaced(0)).isEqualTo("short");
    answers.end("short");
    assertThat(answers.displaced(0)).isNull();
    answers.begin("a change that was made", 1_000, false, 0);
    assertThat(answers.displaced(0)).as("twice the room").isEqualTo("long");
    answers.end("long");
    answers.end("newest");
    assertThat(answers.displaced(0)).as("one alone may take more").isNull();
  }

  @Test
  void waitingResponseIsSentAsAWholeOrRefusedBeforeItsFirstByte() {
    HttpRig server = new HttpRig(ROOM_FOR_ONE);
    server.answer = endless();
    EmbeddedChannel first = server.connect();
    first.writeInbound(Unpooled.copiedBuffer(get("/long"), StandardCharsets.ISO_8859_1));
    server.answer = large();
    EmbeddedChannel second = server.connect();
    EmbeddedChannel third = server.connect();
    EmbeddedChannel fourth = server.connect();
    for (EmbeddedChannel client : List.of(second, third, fourth)) {
      client.writeInbound(Unpooled.copiedBuffer(get("/long"), StandardCharsets.ISO_8859_1));
    }
    for (int i = 0; i < 4; i++) {
      server.work.poll().run();
      List.of(first, second, third, fourth).forEach(EmbeddedChannel::runPendingTasks);
    }
    assertThat(HttpRig.read(first)).startsWith("HTTP/1.1 200");
    assertThat(HttpRig.read(second)).isEmpty();
    assertThat(HttpRig.read(third)).startsWith("HTTP/1.1 503").contains("overloaded");
    first.close();
    assertThat(HttpRig.read(second)).startsWith("HTTP/1.1 200");
  }

  /** A body that fails behind some of its pieces. */
  private static final class Closeable implements BodySource {
    private final int pieces;
    private final int count;
    private int made;
    private int closed;

    Closeable(int pieces, int count) {
      this.pieces = pieces;
      this.count = count;
    }

    @Override
    public boolean appendTo(ByteArrayOutputStream out) throws IOException {
      if (made == pieces) {
        throw new IOException("no such thing");
      }
      out.writeBytes(new byte[10_000]);
      return ++made < count;
    }

    @Override
    public void close() {
      closed++;
    }
  }

  private static BodySource pieces(AtomicInteger made, int bytes, int count) {
    return out -> {
      out.writeBytes(new byte[bytes]);
      return made.incrementAndGet() < count;
    };
  }
}
