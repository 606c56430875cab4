package io.mayflymq.server.auth;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A service whose answers a test gives, now or later. */
final class StubService implements AuthService {
  final List<Question> asked = new ArrayList<>();
  final Map<Question, Answer> answers = new HashMap<>();

  /** Questions that were asked and not answered yet. */
  final Map<Question, CompletableFuture<Answer>> open = new HashMap<>();

  /** Whether answers are given by {@link #answer} only. */
  boolean isSlow;

  @Override
  public CompletableFuture<Answer> ask(Question question) {
    asked.add(question);
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    open.put(question, answer);
    if (!isSlow) {
      answer(question);
    }
    return answer;
  }

  /** Answers a question; what the test has said nothing about is a failure. */
  void answer(Question question) {
    open.remove(question).complete(answers.getOrDefault(question, Answer.failed("down")));
  }
}
