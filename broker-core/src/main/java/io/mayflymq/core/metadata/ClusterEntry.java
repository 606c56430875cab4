package io.mayflymq.core.metadata;

import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

/** Encodes the members of a cluster, and how much of its log is in the metadata. */
final class ClusterEntry {
  private ClusterEntry() {}

  static ByteBuffer encode(MemberSet set) {
    ClusterMember member = set.member();
    return MetadataEntry.write(
        out -> {
          out.writeInt(member.number());
          out.writeLong(member.directory().getMostSignificantBits());
          out.writeLong(member.directory().getLeastSignificantBits());
          out.text(member.name());
          out.text(member.address());
          out.writeByte(number(member.state()));
          out.writeByte(member.version());
        });
  }

  static MemberSet decodeMember(ByteBuffer value) {
    return MetadataEntry.read(
        value,
        in ->
            new MemberSet(
                new ClusterMember(
                    in.readInt(),
                    new UUID(in.readLong(), in.readLong()),
                    in.text(),
                    in.text(),
                    state(in.readByte()),
                    in.readByte())));
  }

  private static int number(ClusterMember.State state) {
    return switch (state) {
      case FORGOTTEN -> 0;
      case SERVING -> 1;
      case DRAINED -> 2;
      case LOST -> 3;
    };
  }

  private static ClusterMember.State state(int number) throws IOException {
    return switch (number) {
      case 0 -> ClusterMember.State.FORGOTTEN;
      case 1 -> ClusterMember.State.SERVING;
      case 2 -> ClusterMember.State.DRAINED;
      case 3 -> ClusterMember.State.LOST;
      default -> throw new IOException("unknown state %d of a member".formatted(number));
    };
  }

  static ByteBuffer encode(Applied applied) {
    return MetadataEntry.write(
        out -> {
          out.writeLong(applied.term());
          out.writeLong(applied.index());
          out.writeLong(applied.queueIds());
        });
  }

  static Applied decodeApplied(ByteBuffer value) {
    return MetadataEntry.read(
        value, in -> new Applied(in.readLong(), in.readLong(), in.readLong()));
  }
}
