package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.consensus.RpcMessage.Kind;
import io.mayflymq.server.cluster.transport.CallService;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Finds out which members are reachable, for the text of an error. Any thread may call. */
final class Majority {
  private static final long PING_MILLIS = 1_000;

  private final ServerView view;
  private final Peers peers;

  Majority(ServerView view, Peers peers) {
    this.view = view;
    this.peers = peers;
  }

  /** Returns the error of a request that has no answer. Never fails. */
  CompletableFuture<NoMajorityException> missing(long limitMillis, Proposals.LateException late) {
    List<Member> members = view.members();
    Map<String, CompletableFuture<Boolean>> answers = new TreeMap<>();
    members.forEach(member -> answers.put(member.name(), isThere(member)));
    return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
        .thenApply(
            all ->
                new NoMajorityException(
                    text(answers, limitMillis, late.getMessage()), late.mayHappen()));
  }

  private CompletableFuture<Boolean> isThere(Member member) {
    if (member.equals(view.self())) {
      return CompletableFuture.completedFuture(true);
    }
    return peers
        .call(member.name(), CallService.CONSENSUS, RpcMessage.encode(Kind.PING), PING_MILLIS)
        .handle((answer, failure) -> failure == null);
  }

  private static String text(
      Map<String, CompletableFuture<Boolean>> answers, long limitMillis, String reason) {
    long reachable = answers.values().stream().filter(CompletableFuture::join).count();
    String missing =
        answers.entrySet().stream()
            .filter(answer -> !answer.getValue().join())
            .map(Map.Entry::getKey)
            .collect(Collectors.joining(", "));
    return "no majority of the cluster's nodes has confirmed the change within %d ms: %d of %d %s reachable%s (%s)"
        .formatted(
            limitMillis,
            reachable,
            answers.size(),
            reachable == 1 ? "is" : "are",
            missing.isEmpty() ? "" : ", not " + missing,
            reason);
  }
}
