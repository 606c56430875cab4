package io.mayflymq.core.metadata;

import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeUnused;
import io.mayflymq.core.metadata.MetadataCommand.Expectation;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoveIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoved;
import io.mayflymq.core.metadata.MetadataCommand.QueueRedefined;
import io.mayflymq.core.metadata.MetadataCommand.QueueReturned;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.UserIs;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostIs;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes commands for other nodes: a list with a length of 4 bytes, each command as a byte for its
 * kind and what it has. What is also written to files has the same form there ({@link
 * JournalEntry}).
 */
public final class CommandCodec {
  private static final int STORED = 0;
  private static final int QUEUE_IS = 1;
  private static final int EXCHANGE_UNUSED = 2;
  private static final int USER_IS = 3;
  private static final int VHOST_IS = 4;

  // Of version 2 of changes
  private static final int QUEUE_MOVE_IS = 5;
  private static final int QUEUE_MOVED = 6;

  // Of version 3
  private static final int ASSIGNMENT_CHANGED = 7;

  // Of version 4
  private static final int QUEUE_REDEFINED = 8;
  private static final int QUEUE_RETURNED = 9;

  private CommandCodec() {}

  /**
   * Encodes commands.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 406 if one is too large
   */
  public static byte[] encode(List<? extends MetadataCommand> commands) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(commands.size());
      for (MetadataCommand command : commands) {
        write(out, command);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, MetadataCommand command) throws IOException {
    if (command instanceof QueueMoved moved) {
      out.writeByte(QUEUE_MOVED);
      out.writeUTF(moved.vhost());
      out.writeUTF(moved.queue());
    } else if (command instanceof QueueReturned returned) {
      out.writeByte(QUEUE_RETURNED);
      out.writeUTF(returned.vhost());
      out.writeLong(returned.id());
      out.writeUTF(returned.name());
    } else if (command instanceof AssignmentChanged changed) {
      out.writeByte(ASSIGNMENT_CHANGED);
      AssignmentEntry.write(out, changed);
    } else if (command instanceof QueueRedefined redefined) {
      out.writeByte(QUEUE_REDEFINED);
      writeStored(
          out,
          new QueueDeclared(
              redefined.vhost(), redefined.queue(), redefined.id(), QueuePlace.replicated(0)));
    } else if (!(command instanceof Expectation)) {
      out.writeByte(STORED);
      writeStored(out, command);
    } else if (command instanceof QueueIs expected) {
      out.writeByte(QUEUE_IS);
      out.writeUTF(expected.vhost());
      out.writeUTF(expected.queue());
      out.writeLong(expected.id());
    } else if (command instanceof QueueMoveIs expected) {
      out.writeByte(QUEUE_MOVE_IS);
      out.writeUTF(expected.vhost());
      out.writeUTF(expected.queue());
      out.writeLong(expected.copyId());
    } else if (command instanceof ExchangeUnused expected) {
      out.writeByte(EXCHANGE_UNUSED);
      out.writeUTF(expected.vhost());
      out.writeUTF(expected.exchange());
    } else if (command instanceof UserIs expected) {
      out.writeByte(USER_IS);
      out.writeUTF(expected.user());
      writeStored(out, expected.before() == null ? null : new UserDeclared(expected.before()));
    } else if (command instanceof VhostIs expected) {
      out.writeByte(VHOST_IS);
      out.writeUTF(expected.vhost());
      writeStored(out, expected.before() == null ? null : new VhostDeclared(expected.before()));
    }
  }

  private static void writeStored(DataOutputStream out, MetadataCommand command)
      throws IOException {
    byte[] entry = command == null ? new byte[0] : JournalEntry.of(command).encode();
    out.writeInt(entry.length);
    out.write(entry);
  }

  /**
   * Decodes commands.
   *
   * @throws MetadataException if they are damaged, or of a kind that this release does not know
   */
  public static List<MetadataCommand> decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      List<MetadataCommand> commands = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        commands.add(read(in));
      }
      return commands;
    } catch (IOException | RuntimeException e) {
      throw new MetadataException("commands cannot be read: " + e.getMessage(), e);
    }
  }

  private static MetadataCommand read(DataInputStream in) throws IOException {
    int kind = in.readUnsignedByte();
    return switch (kind) {
      case STORED -> readStored(in);
      case QUEUE_IS -> new QueueIs(in.readUTF(), in.readUTF(), in.readLong());
      case QUEUE_MOVE_IS -> new QueueMoveIs(in.readUTF(), in.readUTF(), in.readLong());
      case QUEUE_MOVED -> new QueueMoved(in.readUTF(), in.readUTF());
      case QUEUE_REDEFINED -> {
        QueueDeclared declared = (QueueDeclared) readStored(in);
        yield new QueueRedefined(declared.vhost(), declared.queue(), declared.id());
      }
      case QUEUE_RETURNED -> new QueueReturned(in.readUTF(), in.readLong(), in.readUTF());
      case ASSIGNMENT_CHANGED -> AssignmentEntry.readChange(in);
      case EXCHANGE_UNUSED -> new ExchangeUnused(in.readUTF(), in.readUTF());
      case USER_IS -> {
        String user = in.readUTF();
        UserDeclared before = (UserDeclared) readStored(in);
        yield new UserIs(user, before == null ? null : before.user());
      }
      case VHOST_IS -> {
        String vhost = in.readUTF();
        VhostDeclared before = (VhostDeclared) readStored(in);
        yield new VhostIs(vhost, before == null ? null : before.definition());
      }
      default -> throw new IOException("a command is of the unknown kind " + kind);
    };
  }

  /** Returns null if there is none. */
  private static MetadataCommand readStored(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("a command of %d bytes is cut".formatted(length));
    }
    byte[] entry = in.readNBytes(length);
    return length == 0 ? null : JournalEntry.decode(ByteBuffer.wrap(entry)).command();
  }
}
