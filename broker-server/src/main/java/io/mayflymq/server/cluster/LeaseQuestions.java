package io.mayflymq.server.cluster;

import io.mayflymq.core.metadata.CommandCodec;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeDeleted;
import io.mayflymq.core.metadata.MetadataCommand.Unbound;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Asks other nodes for how long they would keep exchanges and bindings, before these are deleted
 * since they are unused. Any thread may call.
 *
 * @param calls reach the other nodes
 * @param names the names of the other members that can be reached
 */
record LeaseQuestions(NodeCalls calls, Supplier<Collection<String>> names) {
  private static final long LIMIT_MILLIS = 1_000;

  /** See {@link io.mayflymq.core.vhost.Cluster#leasesElsewhere}. */
  CompletableFuture<long[]> ask(List<MetadataCommand> deletions) {
    byte[] request = CommandCodec.encode(deletions);
    CompletableFuture<long[]> longest =
        CompletableFuture.completedFuture(new long[deletions.size()]);
    for (String node : names.get()) {
      CompletableFuture<byte[]> answer =
          calls.call(node, CallService.LEASES, request, LIMIT_MILLIS);
      longest = longest.thenCombine(answer, LeaseQuestions::longest);
    }
    return longest;
  }

  private static long[] longest(long[] before, byte[] answer) {
    ByteBuffer told = ByteBuffer.wrap(answer);
    if (answer.length != before.length * Long.BYTES) {
      throw new IllegalArgumentException(
          "%d bytes about %d leases".formatted(answer.length, before.length));
    }
    for (int i = 0; i < before.length; i++) {
      before[i] = Math.max(before[i], told.getLong());
    }
    return before;
  }

  /**
   * Answers another node.
   *
   * @param leases how long something lasts on this node
   * @throws IllegalArgumentException if that is no request
   */
  static byte[] answer(byte[] request, ToLongFunction<MetadataCommand> leases) {
    List<MetadataCommand> deletions = CommandCodec.decode(request);
    ByteBuffer answer = ByteBuffer.allocate(deletions.size() * Long.BYTES);
    for (MetadataCommand deletion : deletions) {
      if (!(deletion instanceof ExchangeDeleted) && !(deletion instanceof Unbound)) {
        throw new IllegalArgumentException("a lease of what " + deletion + " deletes");
      }
      answer.putLong(leases.applyAsLong(deletion));
    }
    return answer.array();
  }
}
