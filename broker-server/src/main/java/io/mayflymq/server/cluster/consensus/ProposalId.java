package io.mayflymq.server.cluster.consensus;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;

/**
 * What a proposal is recognised by when it is repeated.
 *
 * @param proposer drawn by the proposing node at its start
 * @param number the number of the proposal, counted by the proposer
 */
record ProposalId(UUID proposer, long number) {
  /** The length of the encoded form. */
  static final int BYTES = 3 * Long.BYTES;

  static ProposalId of(LogEntryProto entry) {
    StateMachineLogEntryProto body = entry.getStateMachineLogEntry();
    return new ProposalId(ClientId.valueOf(body.getClientId()).getUuid(), body.getCallId());
  }

  void encode(ByteBuffer out) {
    out.putLong(proposer.getMostSignificantBits())
        .putLong(proposer.getLeastSignificantBits())
        .putLong(number);
  }

  static ProposalId decode(ByteBuffer in) {
    return new ProposalId(new UUID(in.getLong(), in.getLong()), in.getLong());
  }
}
