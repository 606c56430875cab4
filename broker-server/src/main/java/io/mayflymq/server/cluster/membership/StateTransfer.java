package io.mayflymq.server.cluster.membership;

import io.mayflymq.core.metadata.CommandCodec;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends and fetches the metadata of a node. Any thread may call.
 *
 * <p>How a node gets all metadata of another one: when it joins, or was away for so long that the
 * replicated log does not reach back to what it has.
 *
 * <p>The state of one moment is sent in parts. A request has the number of the state, 0 for a new
 * one, and where the part begins; an answer has the number, the length of the whole, and the part.
 * The last state that was asked for is kept until its last part was sent; a node that asks for one
 * that is gone begins anew.
 */
public final class StateTransfer {
  private static final int PART_BYTES = 4 << 20;
  private static final long CALL_MILLIS = 30_000;
  private static final int ATTEMPTS = 3;
  private static final byte[] NONE = {};

  private final MetadataJournal journal;
  private byte[] state = NONE;
  private long number;

  /** Sends what a journal has. */
  public StateTransfer(MetadataJournal journal) {
    this.journal = journal;
  }

  /** Answers a request for a part. */
  public CompletableFuture<byte[]> answer(byte[] request) {
    ByteBuffer asked = ByteBuffer.wrap(request);
    long wanted = asked.getLong();
    int from = asked.getInt();
    if (wanted != 0) {
      return CompletableFuture.completedFuture(part(wanted, from));
    }
    return journal
        .contents()
        .thenApply(
            commands -> {
              keep(CommandCodec.encode(commands));
              return part(number, 0);
            });
  }

  private synchronized void keep(byte[] encoded) {
    state = encoded;
    number++;
  }

  private synchronized byte[] part(long wanted, int from) {
    if (wanted != number || from < 0 || from >= state.length) {
      throw new IllegalArgumentException("this state is no longer kept");
    }
    int length = state.length;
    byte[] part = Arrays.copyOfRange(state, from, Math.min(length, from + PART_BYTES));
    if (from + part.length == length) {
      state = NONE;
    }
    return ByteBuffer.allocate(Long.BYTES + Integer.BYTES + part.length)
        .putLong(number)
        .putInt(length)
        .put(part)
        .array();
  }

  /** Fetches the metadata of a node. */
  public static CompletableFuture<List<MetadataCommand>> fetch(NodeCalls calls, String node) {
    return fetch(calls, node, ATTEMPTS);
  }

  private static CompletableFuture<List<MetadataCommand>> fetch(
      NodeCalls calls, String node, int attempts) {
    CompletableFuture<List<MetadataCommand>> fetched =
        fetchPart(calls, node, 0, new ByteArrayOutputStream())
            .thenApply(state -> CommandCodec.decode(state.toByteArray()));
    return attempts == 1
        ? fetched
        : fetched.exceptionallyCompose(failure -> fetch(calls, node, attempts - 1));
  }

  private static CompletableFuture<ByteArrayOutputStream> fetchPart(
      NodeCalls calls, String node, long wanted, ByteArrayOutputStream state) {
    byte[] request =
        ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
            .putLong(wanted)
            .putInt(state.size())
            .array();
    return calls
        .call(node, CallService.STATE, request, CALL_MILLIS)
        .thenCompose(
            answer -> {
              ByteBuffer part = ByteBuffer.wrap(answer);
              long given = part.getLong();
              int length = part.getInt();
              state.write(answer, part.position(), part.remaining());
              return state.size() < length
                  ? fetchPart(calls, node, given, state)
                  : CompletableFuture.completedFuture(state);
            });
  }
}
