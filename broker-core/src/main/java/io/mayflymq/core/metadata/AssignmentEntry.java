package io.mayflymq.core.metadata;

import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import io.mayflymq.core.metadata.MetadataCommand.PartitionAssigned;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Encodes the assignments of replicated partitions, and changes of them. */
final class AssignmentEntry {
  private static final int ELECTED = 0;
  private static final int IN_SYNC = 1;
  private static final int REPLICAS = 2;
  private static final int ALONE = 3;

  private AssignmentEntry() {}

  static ByteBuffer encode(PartitionAssigned assigned) {
    Assignment assignment = assigned.assignment();
    return MetadataEntry.write(
        out -> {
          out.writeInt(assigned.partition());
          writeNumbers(out, assignment.replicas());
          out.writeInt(assignment.leader());
          out.writeLong(assignment.epoch());
          writeNumbers(out, assignment.inSync());
          out.writeLong(assignment.revision());
        });
  }

  static PartitionAssigned decode(ByteBuffer value) {
    return MetadataEntry.read(
        value,
        in ->
            new PartitionAssigned(
                in.readInt(),
                new Assignment(
                    readNumbers(in),
                    in.readInt(),
                    in.readLong(),
                    Set.copyOf(readNumbers(in)),
                    in.readLong())));
  }

  static void write(DataOutputStream out, AssignmentChanged changed) throws IOException {
    AssignmentChange change = changed.change();
    out.writeInt(changed.partition());
    out.writeLong(change.revision());
    if (change instanceof AssignmentChange.Elected elected) {
      out.writeByte(ELECTED);
      out.writeInt(elected.leader());
      writeNumbers(out, elected.inSync());
    } else if (change instanceof AssignmentChange.InSync inSync) {
      out.writeByte(IN_SYNC);
      writeNumbers(out, inSync.inSync());
    } else if (change instanceof AssignmentChange.Replicas moved) {
      out.writeByte(REPLICAS);
      writeNumbers(out, moved.replicas());
    } else if (change instanceof AssignmentChange.Alone alone) {
      out.writeByte(ALONE);
      out.writeInt(alone.replica());
    }
  }

  static AssignmentChanged readChange(DataInputStream in) throws IOException {
    int partition = in.readInt();
    long revision = in.readLong();
    int kind = in.readUnsignedByte();
    AssignmentChange change =
        switch (kind) {
          case ELECTED ->
              new AssignmentChange.Elected(revision, in.readInt(), Set.copyOf(readNumbers(in)));
          case IN_SYNC -> new AssignmentChange.InSync(revision, Set.copyOf(readNumbers(in)));
          case REPLICAS -> new AssignmentChange.Replicas(revision, readNumbers(in));
          case ALONE -> new AssignmentChange.Alone(revision, in.readInt());
          default ->
              throw new IOException(
                  "a change of replicas is of the unknown kind %d".formatted(kind));
        };
    return new AssignmentChanged(partition, change);
  }

  private static void writeNumbers(DataOutputStream out, Collection<Integer> nodes)
      throws IOException {
    out.writeShort(nodes.size());
    for (int node : nodes) {
      out.writeInt(node);
    }
  }

  private static List<Integer> readNumbers(DataInputStream in) throws IOException {
    List<Integer> nodes = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      nodes.add(in.readInt());
    }
    return nodes;
  }
}
