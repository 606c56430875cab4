package io.mayflymq.server.cluster.membership;

import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** The end of a node's membership, at its own request. Used by one thread. */
public final class Departure {
  /** A change of members takes half a minute at most. */
  private static final long CALL_MILLIS = 40_000;

  private final NodeCalls calls;
  private final MemberRequest request;

  /**
   * @param self the member that leaves
   */
  public Departure(NodeCalls calls, ClusterMember self) {
    this.calls = calls;
    this.request =
        new MemberRequest(
            MemberRequest.Kind.LEAVE,
            self.name(),
            self.directory(),
            self.address(),
            self.version());
  }

  /**
   * Asks other members to end the membership, one after the other, until one has done it. Waits.
   *
   * @return why none has; empty if one has, or had before
   */
  public Optional<String> ask(Collection<ClusterMember> others) {
    String refusal = "there is no other member";
    for (ClusterMember other : others) {
      try {
        calls.call(other.name(), CallService.MEMBERSHIP, request.encode(), CALL_MILLIS).join();
        return Optional.empty();
      } catch (CompletionException e) {
        refusal = Causes.of(e).getMessage();
        if (KnownNodes.tellsOfEnd(refusal)) {
          return Optional.empty();
        }
      }
    }
    return Optional.of(refusal);
  }
}
