package io.mayflymq.server.cluster.consensus.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.core.fault.Faults;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SerialAnswersTest {
  private static final int SECONDS = 60;

  private final ConsensusThreads threads = new ConsensusThreads(new BrokerThreads(Faults.logged()));
  private final SerialAnswers answers = new SerialAnswers(threads);
  private final List<String> begun = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    threads.close();
  }

  private CompletableFuture<String> ask(String name, CompletableFuture<byte[]> result) {
    return answers
        .answer(
            () -> {
              begun.add(name);
              return result;
            })
        .thenApply(bytes -> new String(bytes, UTF_8));
  }

  private static byte[] bytes(String content) {
    return content.getBytes(UTF_8);
  }

  @Test
  void aRequestBeginsWhenTheOneBeforeIsAnswered() throws Exception {
    CompletableFuture<byte[]> first = new CompletableFuture<>();
    CompletableFuture<String> a = ask("a", first);
    CompletableFuture<String> b = ask("b", CompletableFuture.completedFuture(bytes("of b")));
    await().untilAsserted(() -> assertThat(begun).containsExactly("a"));
    assertThat(b).isNotDone();

    first.complete(bytes("of a"));
    assertThat(a.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("of a");
    assertThat(b.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("of b");
    assertThat(begun).containsExactly("a", "b");
  }

  @Test
  void aRequestThatFailsKeepsNoOtherFromBeginning() throws Exception {
    CompletableFuture<byte[]> first = new CompletableFuture<>();
    CompletableFuture<String> a = ask("a", first);
    CompletableFuture<String> b = ask("b", CompletableFuture.completedFuture(bytes("of b")));

    first.completeExceptionally(new IOException("full"));
    assertThat(b.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("of b");
    assertThat(a)
        .failsWithin(SECONDS, TimeUnit.SECONDS)
        .withThrowableThat()
        .havingRootCause()
        .withMessage("full");
  }

  @Test
  void ofThoseThatWaitOnlyTheLastBegins() throws Exception {
    CompletableFuture<byte[]> first = new CompletableFuture<>();
    ask("a", first);
    CompletableFuture<String> b = ask("b", CompletableFuture.completedFuture(bytes("of b")));
    CompletableFuture<String> c = ask("c", CompletableFuture.completedFuture(bytes("of c")));
    assertThat(b).isCompletedExceptionally();

    first.complete(bytes("of a"));
    assertThat(c.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("of c");
    assertThat(begun).containsExactly("a", "c");
  }
}
