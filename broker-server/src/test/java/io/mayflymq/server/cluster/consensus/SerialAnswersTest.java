package io.mayflymq.server.cluster.consensus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class SerialAnswersTest {
  private final SerialAnswers answers = new SerialAnswers(Supplier::get);
  private final List<String> begun = new ArrayList<>();

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
  void aRequestBeginsWhenTheOneBeforeIsAnswered() {
    CompletableFuture<byte[]> first = new CompletableFuture<>();
    CompletableFuture<String> a = ask("a", first);
    CompletableFuture<String> b = ask("b", CompletableFuture.completedFuture(bytes("of b")));
    assertThat(begun).containsExactly("a");
    assertThat(b).isNotDone();

    first.complete(bytes("of a"));
    assertThat(a).isCompletedWithValue("of a");
    assertThat(b).isCompletedWithValue("of b");
    assertThat(begun).containsExactly("a", "b");
  }

  @Test
  void aRequestThatFailsKeepsNoOtherFromBeginning() {
    CompletableFuture<byte[]> first = new CompletableFuture<>();
    CompletableFuture<String> a = ask("a", first);
    CompletableFuture<String> b = ask("b", CompletableFuture.completedFuture(bytes("of b")));

    first.completeExceptionally(new IOException("full"));
    assertThat(b).isCompletedWithValue("of b");
    assertThat(a).isCompletedExceptionally();
  }

  @Test
  void ofThoseThatWaitOnlyTheLastBegins() {
    CompletableFuture<byte[]> first = new CompletableFuture<>();
    ask("a", first);
    CompletableFuture<String> b = ask("b", CompletableFuture.completedFuture(bytes("of b")));
    CompletableFuture<String> c = ask("c", CompletableFuture.completedFuture(bytes("of c")));
    assertThat(b).isCompletedExceptionally();

    first.complete(bytes("of a"));
    assertThat(c).isCompletedWithValue("of c");
    assertThat(begun).containsExactly("a", "c");
  }
}
