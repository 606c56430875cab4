package io.mayflymq.server.auth;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** How a backend has answered since the start. Any thread may call. */
public final class AnswerCounts {
  private final Map<Answer.Kind, LongAdder> answers = new EnumMap<>(Answer.Kind.class);
  private final LongAdder nanos = new LongAdder();

  AnswerCounts() {
    Arrays.stream(Answer.Kind.values()).forEach(kind -> answers.put(kind, new LongAdder()));
  }

  /** Notes an answer to what was asked at this time of {@link System#nanoTime}. */
  void add(Answer answer, long askedAtNanos) {
    answers.get(answer.kind()).increment();
    nanos.add(System.nanoTime() - askedAtNanos);
  }

  /** Returns how many answers of a kind there were. */
  public long count(Answer.Kind kind) {
    return answers.get(kind).sum();
  }

  /** Returns how long all answers have taken together, in seconds. */
  public double seconds() {
    return (double) nanos.sum() / TimeUnit.SECONDS.toNanos(1);
  }
}
