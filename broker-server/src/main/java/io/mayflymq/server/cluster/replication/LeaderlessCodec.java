package io.mayflymq.server.cluster.replication;

import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.store.BurstId;
import java.util.Arrays;

/** Reports as they are sent. What follows is ignored, so that a later release can add to it. */
final class LeaderlessCodec {
  private LeaderlessCodec() {}

  static byte[] encode(Leaderless report) {
    ByteWriter out =
        new ByteWriter()
            .number(report.partition())
            .number(report.replica())
            .number(report.epoch())
            .number(report.last().epoch())
            .number(report.last().number())
            .bit(report.isCandidate());
    return Arrays.copyOf(out.bytes(), out.size());
  }

  /**
   * Reads a report.
   *
   * @throws IllegalArgumentException if that is none
   * @throws io.mayflymq.core.codec.ByteFormatException if it is cut
   */
  static Leaderless decode(byte[] request) {
    ByteReader in = new ByteReader(request, request.length);
    int partition = index(in, "partition");
    int replica = index(in, "replica");
    return new Leaderless(
        partition, replica, in.number(), new BurstId(in.number(), in.number()), in.bit());
  }

  private static int index(ByteReader in, String what) {
    long number = in.number();
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "number %d of a %s: expected 0 to %d".formatted(number, what, Integer.MAX_VALUE));
    }
    return (int) number;
  }
}
