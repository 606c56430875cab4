package io.mayflymq.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerCacheTest {
  private static final long TTL = 15_000;

  private final Question ann = new Question.Login("ann", "secret");
  private final Question orders =
      new Question.Vhost(
          new AuthenticatedUser("ann", List.of(), List.of(), "cache"), "orders", "10.0.0.1");
  private final StubService service = new StubService();
  private long now = 1_000_000;
  private final AnswerCache cache = new AnswerCache(service, TTL, false, () -> now);

  private Answer ask(Question question) {
    return cache.ask(question).join();
  }

  @Test
  void anAnswerIsKeptForItsTimeWhichUseDoesNotProlong() {
    service.answers.put(ann, Answer.allowed(List.of("monitoring")));
    for (int i = 0; i < 5; i++) {
      assertThat(ask(ann).tags()).containsExactly("monitoring");
      now += TTL / 5;
    }
    assertThat(service.asked).hasSize(1);
    assertThat(ask(ann).isAllowed()).isTrue();
    assertThat(service.asked).hasSize(2);
  }

  @Test
  void anotherPasswordIsAnotherQuestion() {
    service.answers.put(ann, Answer.ALLOWED);
    assertThat(ask(ann).isAllowed()).isTrue();
    assertThat(ask(new Question.Login("ann", "wrong")).isAllowed()).isFalse();
    assertThat(ask(new Question.Login("ann", null)).isAllowed()).isFalse();
    assertThat(service.asked).hasSize(3);
  }

  @Test
  void failuresAreNeverKeptAndRefusalsOnlyIfWanted() {
    assertThat(ask(ann).kind()).isEqualTo(Answer.Kind.FAILED);
    service.answers.put(ann, Answer.refused("locked"));
    assertThat(ask(ann).reason()).isEqualTo("locked");
    service.answers.put(ann, Answer.ALLOWED);
    assertThat(ask(ann).isAllowed()).isTrue();

    AnswerCache strict = new AnswerCache(service, TTL, true, () -> now);
    service.answers.put(orders, Answer.refused("closed"));
    assertThat(strict.ask(orders).join().isAllowed()).isFalse();
    service.answers.put(orders, Answer.ALLOWED);
    assertThat(strict.ask(orders).join().isAllowed()).isFalse();
    now += TTL;
    assertThat(strict.ask(orders).join().isAllowed()).isTrue();
  }

  @Test
  void whatIsKeptOfOneUserOrOfAllIsForgotten() {
    Question bob = new Question.Login("bob", "secret");
    service.answers.put(ann, Answer.ALLOWED);
    service.answers.put(orders, Answer.ALLOWED);
    service.answers.put(bob, Answer.ALLOWED);
    List.of(ann, orders, bob).forEach(this::ask);
    cache.clear("ann");
    List.of(ann, orders, bob).forEach(this::ask);
    assertThat(service.asked).containsExactly(ann, orders, bob, ann, orders);
    cache.clear(null);
    ask(bob);
    assertThat(service.asked).hasSize(6);
  }

  @Test
  void anAnswerThatWasAskedForBeforeTheCacheWasClearedIsNotKept() {
    service.isSlow = true;
    service.answers.put(ann, Answer.ALLOWED);
    cache.ask(ann);
    cache.clear(null);
    service.answer(ann);
    assertThat(cache.size()).isZero();
    cache.ask(ann);
    assertThat(service.asked).hasSize(2);
  }

  @Test
  void theNumberOfAnswersIsBounded() {
    for (int i = 0; i < 30_000; i++) {
      Question question = new Question.Login("user" + i, "secret");
      service.answers.put(question, Answer.ALLOWED);
      ask(question);
    }
    assertThat(cache.size()).isLessThanOrEqualTo(10_000);
  }
}
