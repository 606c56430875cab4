package io.mayflymq.server.cluster.consensus;

import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.cluster.transport.CallService;
import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Brings requests to the leader: here, or on another node. Any thread may call.
 *
 * <p>What has no answer, or comes at a bad time, is repeated with the same number until it has one
 * or its time is over. The leader recognises what it has carried out by the number.
 *
 * <p>Pauses between attempts become longer, as there may be no leader for long. A new leader ends
 * them: what waits is asked at once.
 */
final class Proposals implements ConsensusListener, AutoCloseable {
  /** A request has no answer in time. The message says what was missing last. */
  static final class LateException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean mayHappen;

    private LateException(String reason, boolean mayHappen) {
      super(reason, null, false, false);
      this.mayHappen = mayHappen;
    }

    /** Returns whether a leader was asked, which may carry it out nevertheless. */
    boolean mayHappen() {
      return mayHappen;
    }
  }

  private static final String WHAT = "a proposal to the cluster";
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 200;
  private static final long WATCH_MILLIS = 100;

  private final ServerView view;
  private final Peers peers;
  private final LeaderRequests here;
  private final ConsensusThreads threads;
  private final long attemptMillis;
  private final UUID proposer = UUID.randomUUID();
  private final AtomicLong number = new AtomicLong();
  private final Set<Pending> pending = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile boolean closed;

  /** A request without an answer. Its fields are used by one attempt at a time. */
  private static final class Pending {
    private final LogRequest first;
    private final long since;
    private final long deadlineNanos;
    private final CompletableFuture<Answer> done = new CompletableFuture<>();
    private long pauseMillis = FIRST_PAUSE_MILLIS;
    private int attempts;
    private String hint = "";
    private volatile String reason = "no member leads";

    /** Whether a leader was asked. */
    private volatile boolean asked;

    /** Whether the next attempt is made after a pause. */
    private final AtomicBoolean pauses = new AtomicBoolean();

    Pending(LogRequest first, long since, long limitMillis) {
      this.first = first;
      this.since = since;
      this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
    }

    LogRequest request() {
      return attempts > 1 ? first.again(since) : first;
    }

    /** Returns whether it paused: the caller makes the next attempt. */
    boolean endPause() {
      return pauses.compareAndSet(true, false);
    }

    long leftMillis() {
      return TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    }
  }

  /**
   * Creates an instance.
   *
   * @param attemptMillis how long to wait for a leader's answer before it is asked again
   */
  Proposals(
      ServerView view,
      Peers peers,
      LeaderRequests here,
      ConsensusThreads threads,
      long attemptMillis) {
    this.view = view;
    this.peers = peers;
    this.here = here;
    this.threads = threads;
    this.attemptMillis = attemptMillis;
  }

  /** Returns the next number. */
  ProposalId next() {
    return new ProposalId(proposer, number.incrementAndGet());
  }

  /**
   * Brings a request to the leader.
   *
   * @return the answer that it was done; else fails with {@link ConsensusException} or, when the
   *     time is over, with {@link LateException}
   */
  CompletableFuture<Answer> submit(LogRequest request, long limitMillis) {
    Pending one =
        new Pending(request, view.division().getRaftLog().getLastCommittedIndex(), limitMillis);
    pending.add(one);
    one.done.whenComplete((answer, failure) -> pending.remove(one));
    if (closed) {
      one.done.completeExceptionally(Failures.stopped(false));
    }
    attempt(one);
    watch();
    return one.done;
  }

  /** Looks for late requests as long as there are requests: a timer for each would keep it. */
  private void watch() {
    if (!pending.isEmpty() && watched.compareAndSet(false, true)) {
      threads.after(
          WHAT,
          WATCH_MILLIS,
          () -> {
            watched.set(false);
            pending.forEach(Proposals::endIfLate);
            watch();
          });
    }
  }

  private static void endIfLate(Pending one) {
    if (one.leftMillis() <= 0) {
      one.done.completeExceptionally(new LateException(one.reason, one.asked));
    }
  }

  private void attempt(Pending one) {
    long left = one.leftMillis();
    if (one.done.isDone() || left <= 0) {
      return;
    }
    one.attempts++;
    String leader = one.hint.isEmpty() ? view.leader() : one.hint;
    one.hint = "";
    if (leader == null) {
      later(one, "no member leads");
      return;
    }
    one.reason = leader + " leads, and has not answered";
    one.asked = true;
    asked(one, leader, Math.min(left, attemptMillis))
        .whenComplete((answer, failure) -> answered(one, leader, answer, failure));
  }

  private CompletableFuture<Answer> asked(Pending one, String leader, long limitMillis) {
    if (leader.equals(view.self().name())) {
      return here.carryOut(one.request());
    }
    return peers
        .call(leader, CallService.PROPOSAL, one.request().encode(), limitMillis)
        .thenApply(Proposals::decoded);
  }

  private static Answer decoded(byte[] bytes) {
    try {
      return Answer.decode(bytes);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private void answered(Pending one, String leader, Answer answer, Throwable failure) {
    if (failure != null) {
      String text = Failures.text(Causes.of(failure));
      later(one, leader + " led, and has not answered: " + text);
      return;
    }
    switch (answer.status()) {
      case DONE -> one.done.complete(answer);
      case LATER -> later(one, answer.text());
      case REFUSED -> refused(one, answer);
      case UNKNOWN -> one.done.completeExceptionally(new LateException(answer.text(), true));
      case NOT_LEADER -> {
        one.hint = answer.text().equals(leader) ? "" : answer.text();
        later(one, leader + " has stopped being the leader");
      }
    }
  }

  private static void refused(Pending one, Answer answer) {
    // An earlier attempt without an answer has removed the member.
    boolean removed = one.first.kind() == LogRequest.Kind.REMOVE && one.attempts > 1;
    if (removed && answer.text().endsWith(MemberChanges.NO_MEMBER)) {
      one.done.complete(Answer.done());
    } else {
      one.done.completeExceptionally(new ConsensusException(answer.text()));
    }
  }

  private void later(Pending one, String reason) {
    one.reason = reason;
    long pause = one.pauseMillis;
    one.pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
    one.pauses.set(true);
    threads.after(
        WHAT,
        pause,
        () -> {
          if (one.endPause()) {
            attempt(one);
          }
        });
  }

  @Override
  public void leaderChanged(LeaderChange change) {
    if (change.leader() == null) {
      return;
    }
    for (Pending one : pending) {
      if (one.endPause()) {
        one.pauseMillis = FIRST_PAUSE_MILLIS;
        // Not on this thread, which must not wait for the log.
        threads.after(WHAT, 0, () -> attempt(one));
      }
    }
  }

  /** Fails what is pending. */
  @Override
  public void close() {
    closed = true;
    pending.forEach(one -> one.done.completeExceptionally(Failures.stopped(one.asked)));
  }
}
