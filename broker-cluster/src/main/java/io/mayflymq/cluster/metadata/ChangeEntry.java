package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.CommandCodec;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * An entry of the replicated log: changes that one process has proposed together. Each is a unit,
 * carried out or refused as a whole.
 *
 * @param version one that all members know
 * @param process the process that proposed them
 * @param units the changes, in order
 */
record ChangeEntry(int version, UUID process, List<Unit> units) {

  /** A change. */
  static final class Unit {
    private final long serial;
    private final byte[] commands;

    /**
     * @param serial its number, unique in the process
     * @param commands encoded by {@link io.mayflymq.core.metadata.CommandCodec}
     */
    Unit(long serial, byte[] commands) {
      this.serial = serial;
      this.commands = commands;
    }

    long serial() {
      return serial;
    }

    List<MetadataCommand> commands() {
      return CommandCodec.decode(commands);
    }

    int bytes() {
      return Long.BYTES + Integer.BYTES + commands.length;
    }
  }

  byte[] encode() {
    int bytes = 1 + 2 * Long.BYTES + Integer.BYTES;
    for (Unit unit : units) {
      bytes += unit.bytes();
    }
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    buffer.put((byte) version);
    buffer.putLong(process.getMostSignificantBits());
    buffer.putLong(process.getLeastSignificantBits());
    buffer.putInt(units.size());
    for (Unit unit : units) {
      buffer.putLong(unit.serial);
      buffer.putInt(unit.commands.length);
      buffer.put(unit.commands);
    }
    return buffer.array();
  }

  /**
   * Decodes an entry.
   *
   * @throws MetadataException if it is damaged, or of a version that this release does not know
   */
  static ChangeEntry decode(byte[] entry) {
    ByteBuffer buffer = ByteBuffer.wrap(entry);
    try {
      int version = buffer.get();
      if (version < ChangeVersions.lowest() || version > ChangeVersions.highest()) {
        throw new MetadataException(
            "a change has version %d: expected %d to %d"
                .formatted(version, ChangeVersions.lowest(), ChangeVersions.highest()),
            null);
      }
      UUID process = new UUID(buffer.getLong(), buffer.getLong());
      List<Unit> units = new ArrayList<>();
      for (int left = buffer.getInt(); left > 0; left--) {
        long serial = buffer.getLong();
        byte[] commands = new byte[Math.min(buffer.getInt(), entry.length)];
        buffer.get(commands);
        units.add(new Unit(serial, commands));
      }
      return new ChangeEntry(version, process, units);
    } catch (BufferUnderflowException | NegativeArraySizeException e) {
      throw new MetadataException("a change of %d bytes is cut".formatted(entry.length), e);
    }
  }
}
