package io.mayflymq.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.http.BodySource;
import io.mayflymq.server.metrics.Renderings.Answer;
import io.mayflymq.server.metrics.Renderings.Draft;
import io.mayflymq.server.metrics.Renderings.Lane;
import io.mayflymq.server.metrics.Renderings.RefusedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class RenderingsTest {
  private static final long MOST = 10 << 20;

  /** More than what is costly; random, so that it takes as much when it is compressed. */
  private static final int LARGE = 2 << 20;

  private final List<String> made = new ArrayList<>();
  private final Deque<Runnable> work = new ArrayDeque<>();
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final Renderings<String> renderings =
      new Renderings<>(this::draft, MOST, work::add, later::add);

  /** A text of random bytes and the number of texts so far; its key begins with its kind. */
  private Draft draft(String key) {
    return new Draft() {
      @Override
      public long bytes() {
        return key.startsWith("huge") ? MOST + 1 : 1_000;
      }

      @Override
      public String subject() {
        return "7 queues";
      }

      @Override
      public BodySource read() throws RefusedException {
        if (key.startsWith("failing")) {
          throw new RefusedException("the broker does not answer");
        }
        made.add(key);
        return text(key.startsWith("large") ? LARGE : 100, key + " " + made.size());
      }
    };
  }

  private static BodySource text(int bytes, String end) {
    Random random = new Random(17);
    return new BodySource() {
      private int left = bytes;

      @Override
      public boolean appendTo(ByteArrayOutputStream out) {
        byte[] piece = new byte[Math.min(left, 10_000)];
        random.nextBytes(piece);
        out.writeBytes(piece);
        left -= piece.length;
        if (left == 0) {
          out.writeBytes(end.getBytes(StandardCharsets.US_ASCII));
        }
        return left > 0;
      }
    };
  }

  private static String end(String text) {
    return text.substring(text.length() - 7);
  }

  private static byte[] read(BodySource body) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    while (body.appendTo(out)) {
      // the next piece
    }
    body.close();
    return out.toByteArray();
  }

  private static String latin(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private void work() {
    while (!work.isEmpty()) {
      work.poll().run();
    }
  }

  private void aSecondPasses() {
    while (!later.isEmpty()) {
      later.poll().run();
    }
  }

  private CompletableFuture<Answer> get(String key) {
    return renderings.get(key, Lane.FIXED, false);
  }

  @Test
  void allWhoWaitGetOneText() throws Exception {
    List<CompletableFuture<Answer>> answers = List.of(get("small"), get("small"), get("small"));
    work();
    for (CompletableFuture<Answer> answer : answers) {
      assertThat(end(latin(read(answer.get().body())))).isEqualTo("small 1");
    }
    assertThat(renderings.taken()).isZero();
  }

  @Test
  void aTextIsTheSameWithAndWithoutCompression() throws Exception {
    CompletableFuture<Answer> plain = renderings.get("large", Lane.FIXED, false);
    CompletableFuture<Answer> gzip = renderings.get("large", Lane.FIXED, true);
    work();
    byte[] text = read(plain.get().body());
    assertThat(text).hasSize((int) plain.get().rendering().textBytes());
    byte[] compressed = read(gzip.get().body());
    assertThat(new GZIPInputStream(new ByteArrayInputStream(compressed)).readAllBytes())
        .isEqualTo(text);
    assertThat(made).hasSize(1);
  }

  @Test
  void aSmallTextIsMadeAgainForOneWhoAsksLater() throws Exception {
    get("small");
    work();
    CompletableFuture<Answer> second = get("small");
    work();
    assertThat(end(latin(read(second.get().body())))).isEqualTo("small 2");
  }

  @Test
  void aCostlyTextIsGivenToAllWhoAskWithinASecond() throws Exception {
    get("large").thenAccept(answer -> answer.body().close());
    work();
    CompletableFuture<Answer> second = get("large");
    assertThat(end(latin(read(second.get().body())))).isEqualTo("large 1");
    assertThat(renderings.taken()).isPositive();
    aSecondPasses();
    assertThat(renderings.taken()).isZero();
    CompletableFuture<Answer> third = get("large");
    work();
    assertThat(end(latin(read(third.get().body())))).isEqualTo("large 2");
  }

  @Test
  void aTextIsKeptAsLongAsOneReadsIt() throws Exception {
    CompletableFuture<Answer> answer = get("large");
    work();
    BodySource body = answer.get().body();
    body.appendTo(new ByteArrayOutputStream());
    aSecondPasses();
    assertThat(renderings.taken()).isPositive();
    read(body);
    body.close();
    assertThat(renderings.taken()).isZero();
  }

  @Test
  void textsThatAreNotReadAreGivenUpForOthers() throws Exception {
    List<BodySource> bodies = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      CompletableFuture<Answer> answer = get("large" + i);
      work();
      bodies.add(answer.get().body());
      aSecondPasses();
      bodies.get(0).appendTo(new ByteArrayOutputStream());
      assertThat(renderings.taken()).isLessThanOrEqualTo(MOST);
    }
    assertThat(read(bodies.get(9))).hasSizeGreaterThan(LARGE);
    assertThat(read(bodies.get(0))).as("of a client that reads").isNotEmpty();
    assertThatThrownBy(() -> read(bodies.get(1)))
        .isInstanceOf(BodySource.GivenUpException.class)
        .hasMessageContaining("try again later");
    bodies.forEach(BodySource::close);
    assertThat(renderings.taken()).isZero();
  }

  @Test
  void aTextThatTakesTooMuchMemoryIsRefused() {
    CompletableFuture<Answer> answer = get("huge");
    work();
    assertThatThrownBy(answer::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(RefusedException.class)
        .hasMessageContaining("the metrics of 7 queues take 10485761 bytes of memory, more than");
    assertThat(renderings.taken()).isZero();
  }

  @Test
  void aTextThatCannotBeMadeFailsForAllWhoWait() {
    CompletableFuture<Answer> first = get("failing");
    CompletableFuture<Answer> second = get("failing");
    work();
    assertThat(first).isCompletedExceptionally();
    assertThatThrownBy(second::get).hasMessageContaining("the broker does not answer");
    assertThat(renderings.taken()).isZero();
  }

  @Test
  void aTextThatNobodyWaitsForAnyMoreIsNotMade() {
    CompletableFuture<Answer> first = get("small");
    CompletableFuture<Answer> second = get("small");
    CompletableFuture<Answer> other = get("other");
    first.cancel(false);
    second.cancel(false);
    work();
    assertThat(other).isCompleted();
    assertThat(made).containsExactly("other");
  }

  @Test
  void lanesTakeTurnsAndAreLimited() {
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 65; i++) {
      answers.add(renderings.get("filtered" + i, Lane.FILTERED, false));
    }
    get("sums");
    get("objects");
    assertThat(answers.get(64)).isCompletedExceptionally();
    work();
    assertThat(made).startsWith("sums", "filtered0", "objects", "filtered1").hasSize(66);
  }
}
