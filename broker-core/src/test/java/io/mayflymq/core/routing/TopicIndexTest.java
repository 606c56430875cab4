package io.mayflymq.core.routing;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicIndexTest {
  private static TopicIndex<String> index(Iterable<String> patterns) {
    TopicIndex<String> index = TopicIndex.empty();
    for (String pattern : patterns) {
      index = index.with(binding(pattern), new QueueNode<>(pattern, pattern, 0, false));
    }
    return index;
  }

  private static Binding binding(String pattern) {
    return Binding.toQueue("x", pattern, pattern);
  }

  private static List<String> match(TopicIndex<String> index, String key) {
    return index.match(key, MessageProperties.NONE).route().toList();
  }

  @ParameterizedTest
  @CsvSource({
    "a.b, a.b, true",
    "a.b, a, false",
    "a, a.b, false",
    "*, a, true",
    "*, '', false",
    "*, a.b, false",
    "*.*, '.', true",
    "#, '', true",
    "#, a.b.c, true",
    "a.#, a, true",
    "a.#, a.b.c, true",
    "a.#, b, false",
    "#.b, b, true",
    "#.b, a.b, true",
    "#.b, b.a, false",
    "#.b, b.b.a.b, true",
    "a.#.b, a.b, true",
    "a.#.b, a.x.y.b, true",
    "a.#.b, a.x.y, false",
    "*.#, '', false",
    "*.#, a, true",
    "#.*, a, true",
    "#.*.#, '', false",
    "#.#, '', true",
    "'', '', true",
    "'', a, false",
    "a., a., true",
    "a., a, false",
    "a*, ab, false",
    "a.**, a.b, false",
  })
  void topicPatternsMatchLikeRabbitMqs(String pattern, String key, boolean expected) {
    assertThat(match(index(List.of(pattern)), key)).hasSize(expected ? 1 : 0);
    assertThat(NaiveTopic.matches(pattern, key)).isEqualTo(expected);
  }

  @Provide
  Arbitrary<Set<String>> patterns() {
    return keysOf("a", "b", "", "*", "#", "#").set().ofMinSize(1).ofMaxSize(30);
  }

  @Provide
  Arbitrary<String> keys() {
    return keysOf("a", "b", "c", "");
  }

  private static Arbitrary<String> keysOf(String... words) {
    return Arbitraries.of(words).list().ofMaxSize(7).map(list -> String.join(".", list));
  }

  @Property(tries = 1000)
  void topicIndexMatchesLikeTheModel(
      @ForAll("patterns") Set<String> patterns, @ForAll("keys") String key) {
    Set<String> expected =
        patterns.stream().filter(p -> NaiveTopic.matches(p, key)).collect(Collectors.toSet());
    assertThat(match(index(patterns), key)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Property(tries = 300)
  void removalOfATopicPatternKeepsTheOthers(
      @ForAll("patterns") Set<String> kept,
      @ForAll("patterns") Set<String> removed,
      @ForAll("keys") String key) {
    Set<String> all = new HashSet<>(kept);
    all.addAll(removed);
    TopicIndex<String> index = index(all);
    for (String pattern : removed) {
      index = index.without(binding(pattern));
    }
    kept.removeAll(removed);
    assertThat(match(index, key)).hasSameElementsAs(match(index(kept), key));
    assertThat(index.isEmpty()).isEqualTo(kept.isEmpty());
    for (String pattern : all) {
      assertThat(index.contains(binding(pattern))).isEqualTo(kept.contains(pattern));
    }
  }

  @Test
  void queueIsFoundOnceIfSeveralTopicBindingsMatch() {
    QueueNode<String> queue = new QueueNode<>("q", "q", 0, false);
    TopicIndex<String> index = TopicIndex.empty();
    for (String pattern : List.of("a.*", "a.#", "#", "#.b", "a.b")) {
      index = index.with(Binding.toQueue("x", "q", pattern), queue);
    }
    assertThat(match(index, "a.b")).containsExactly("q");
  }

  @Test
  void topicPatternWithManyHashesIsMatchedQuickly() {
    // A search with backtracking would try about 10^30 ways to match these.
    String pattern = "#.a.".repeat(31) + "#.b";
    String key = "a.".repeat(126) + "a";
    TopicIndex<String> index = index(List.of(pattern, "#.*.".repeat(31) + "#"));
    assertTimeoutPreemptively(
        ofSeconds(5), () -> assertThat(match(index, key)).hasSize(1).doesNotContain(pattern));
  }

  @Test
  void wordsThatOneBindingHasAloneAreOneNode() {
    String first = "a.b.c." + "x.*.#.".repeat(40) + "y";
    String second = "a.b.d." + "x.*.#.".repeat(40) + "y";
    TopicIndex<String> one = index(List.of(first));
    assertThat(one.root().branches().word("a").to()).isEqualTo(TopicKey.end(first));
    TopicIndex<String> both = one.with(binding(second), new QueueNode<>(second, second, 0, false));
    TopicNode<String> fork = both.root().branches().word("a");
    assertThat(fork.to()).isEqualTo("a.b.".length());
    assertThat(fork.branches().word("c").to()).isEqualTo(TopicKey.end(first));
    assertThat(fork.branches().word("d").to()).isEqualTo(TopicKey.end(second));
    TopicIndex<String> rest = both.without(binding(second));
    assertThat(rest.root().branches().word("a").to()).isEqualTo(TopicKey.end(first));
    assertThat(match(rest, "a.b.c." + "x.1.".repeat(40) + "y")).containsExactly(first);
    assertThat(match(rest, "a.b.d." + "x.1.".repeat(40) + "y")).isEmpty();
  }

  @Test
  void keyThatEndsWithinTheWordsOfAnotherOneIsANodeOfItsOwn() {
    TopicIndex<String> index = index(List.of("a.b.c", "a.b", "a", "", "a.", "a..b"));
    assertThat(match(index, "a.b")).containsExactly("a.b");
    assertThat(match(index, "a.")).containsExactly("a.");
    assertThat(match(index, "")).containsExactly("");
    assertThat(match(index.without(binding("a.b")), "a.b")).isEmpty();
    assertThat(match(index.without(binding("a.b")), "a.b.c")).containsExactly("a.b.c");
    assertThat(match(index.without(binding("a.b")), "a..b")).containsExactly("a..b");
  }

  @ParameterizedTest
  @CsvSource({
    "#.a, '#.a', 1",
    "x.#.a, 'x.#.b', 0",
    "x.#, 'x.#', 1",
    "x.*, 'x.*', 1",
    "x.a, x.*, 0"
  })
  void wildcardsInARoutingKeyAreOrdinaryWords(String pattern, String key, int matches) {
    assertThat(match(index(List.of(pattern)), key)).hasSize(matches);
  }
}
