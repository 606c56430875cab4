package io.mayflymq.server.cluster.consensus;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The replicated log on Apache Ratis. */
final class RatisLog implements ReplicatedLog {
  /** A new member may have to catch up first. */
  private static final int MEMBER_LIMIT_FACTOR = 3;

  private final ConsensusSettings settings;
  private final OpenedLog opened;
  private final Proposals proposals;
  private final StatusReader status;
  private final Majority majority;
  private final EndedLeader endedLeader;

  RatisLog(ConsensusSettings settings, OpenedLog opened, LeaderRequests requests) {
    this.settings = settings;
    this.opened = opened;
    long electionMillis = settings.times().electionMaxMillis();
    proposals =
        new Proposals(
            opened.view(), opened.peers(), requests, opened.threads(), 2 * electionMillis);
    opened.watcher().listen(proposals);
    status = new StatusReader(opened.view(), opened.peers(), opened.applied(), 2 * electionMillis);
    majority = new Majority(opened.view(), opened.peers());
    endedLeader = new EndedLeader(opened.view(), opened.threads());
  }

  @Override
  public CompletableFuture<LogPosition> propose(byte[] entry) {
    int most = settings.limits().maxEntryBytes();
    if (entry.length > most) {
      return CompletableFuture.failedFuture(
          new ConsensusException(
              "a change of %d bytes is too large for the cluster's log: at most %d bytes"
                  .formatted(entry.length, most)));
    }
    LogRequest request = new LogRequest(LogRequest.Kind.ENTRY, proposals.next(), entry);
    return submit(request, settings.times().proposalMillis(), Answer::position);
  }

  @Override
  public CompletableFuture<Void> addMember(Member member) {
    return change(LogRequest.add(proposals.next(), member));
  }

  @Override
  public CompletableFuture<Void> removeMember(String name) {
    return change(LogRequest.named(LogRequest.Kind.REMOVE, proposals.next(), name));
  }

  @Override
  public CompletableFuture<Void> transferLeadership(String name) {
    return change(LogRequest.named(LogRequest.Kind.LEAD, proposals.next(), name));
  }

  private CompletableFuture<Void> change(LogRequest request) {
    int limitMillis = MEMBER_LIMIT_FACTOR * settings.times().proposalMillis();
    return submit(request, limitMillis, answer -> null);
  }

  private <T> CompletableFuture<T> submit(
      LogRequest request, int limitMillis, Function<Answer, T> result) {
    CompletableFuture<T> done = new CompletableFuture<>();
    proposals
        .submit(request, limitMillis)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                done.complete(result.apply(answer));
              } else if (failure instanceof Proposals.LateException late) {
                majority.missing(limitMillis, late).thenAccept(done::completeExceptionally);
              } else {
                done.completeExceptionally(failure);
              }
            });
    return done;
  }

  @Override
  public ConsensusStatus status() {
    return status.read();
  }

  @Override
  public boolean leads() {
    return opened.view().leads(opened.peers(), settings.times().electionMinMillis());
  }

  @Override
  public boolean ended(String node) {
    return endedLeader.ended(node);
  }

  @Override
  public void listen(ConsensusListener listener) {
    opened.watcher().listen(listener);
  }

  @Override
  public void close() {
    proposals.close();
    opened.close();
  }
}
