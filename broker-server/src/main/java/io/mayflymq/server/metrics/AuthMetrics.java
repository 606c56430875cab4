package io.mayflymq.server.metrics;

import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.AnswerCounts;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** How the services have answered that are asked about users; nothing if there is none. */
final class AuthMetrics {
  private AuthMetrics() {}

  /**
   * Returns the families.
   *
   * @param answers by the name of the backend
   */
  static Stream<MetricFamily> families(Map<String, AnswerCounts> answers) {
    if (answers.isEmpty()) {
      return Stream.empty();
    }
    return Stream.of(
        Value.counter(
            "mayfly_auth_backend_answers_total",
            "Answers of the services that are asked about users.",
            answers.entrySet().stream()
                .flatMap(
                    backend ->
                        Arrays.stream(Answer.Kind.values())
                            .map(
                                kind ->
                                    new Value(
                                        Labels.of(
                                            "backend",
                                            backend.getKey(),
                                            "answer",
                                            kind.name().toLowerCase(Locale.ROOT)),
                                        backend.getValue().count(kind))))
                .toList()),
        Value.counter(
            "mayfly_auth_backend_answer_seconds_total",
            "How long these answers have taken together.",
            answers.entrySet().stream()
                .map(
                    backend ->
                        new Value(
                            Labels.of("backend", backend.getKey()), backend.getValue().seconds()))
                .toList()));
  }
}
