package io.mayflymq.core.metadata;

import io.mayflymq.core.metadata.MetadataCommand.Bound;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeDeclared;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeDeleted;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.ParameterCleared;
import io.mayflymq.core.metadata.MetadataCommand.ParameterSet;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsCleared;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.PolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.PolicySet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueForgotten;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.MetadataCommand.QueueReturned;
import io.mayflymq.core.metadata.MetadataCommand.QueueStays;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsCleared;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.Unbound;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.UserDeleted;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.Utf8;
import java.nio.ByteBuffer;

/**
 * The stored form of a command: the key of an object and the value that is set, or no value if the
 * object is removed.
 *
 * @param scope the virtual host that it belongs to; empty if it belongs to none
 * @param key distinguishes it from all others of its kind in the scope
 * @param value null for a removal; read it from a duplicate
 */
record JournalEntry(EntryKind kind, String scope, String key, ByteBuffer value) {
  /** The largest value, in bytes. Reasonable arguments, policies and passwords are far smaller. */
  private static final int MOST_BYTES = 1 << 20;

  private static final int REMOVED = -1;

  JournalEntry {
    if (value != null && value.remaining() > MOST_BYTES) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "definition of %d bytes is too large: expected at most %d"
              .formatted(value.remaining(), MOST_BYTES));
    }
  }

  /**
   * Encodes a command.
   *
   * @throws ChannelException 406 if it is too large
   */
  static JournalEntry of(MetadataCommand command) {
    if (command instanceof MetadataCommand.Administrative administrative) {
      return ofAdministrative(administrative);
    }
    if (command instanceof MetadataCommand.Clustering clustering) {
      return ofClustering(clustering);
    }
    String vhost = command.vhost();
    if (command instanceof ExchangeDeclared set) {
      return new JournalEntry(
          EntryKind.EXCHANGE, vhost, set.exchange().name(), MetadataEntry.encode(set));
    } else if (command instanceof ExchangeDeleted gone) {
      return new JournalEntry(EntryKind.EXCHANGE, vhost, gone.exchange(), null);
    } else if (command instanceof QueueDeclared set) {
      return new JournalEntry(
          EntryKind.QUEUE, vhost, set.queue().name(), MetadataEntry.encode(set));
    } else if (command instanceof QueueDeleted gone) {
      return new JournalEntry(EntryKind.QUEUE, vhost, gone.queue(), null);
    } else if (command instanceof QueueMoving set) {
      return new JournalEntry(EntryKind.QUEUE_MOVE, vhost, set.queue(), MetadataEntry.encode(set));
    } else if (command instanceof QueueStays gone) {
      return new JournalEntry(EntryKind.QUEUE_MOVE, vhost, gone.queue(), null);
    } else if (command instanceof QueueKept set) {
      return new JournalEntry(
          EntryKind.KEPT_QUEUE, vhost, Long.toString(set.queue().id()), MetadataEntry.encode(set));
    } else if (command instanceof QueueForgotten gone) {
      return new JournalEntry(EntryKind.KEPT_QUEUE, vhost, Long.toString(gone.id()), null);
    } else if (command instanceof Bound set) {
      return new JournalEntry(
          EntryKind.BINDING, vhost, MetadataEntry.key(set.binding()), MetadataEntry.encode(set));
    } else if (command instanceof Unbound gone) {
      return new JournalEntry(EntryKind.BINDING, vhost, MetadataEntry.key(gone.binding()), null);
    } else if (command instanceof PolicySet set) {
      return new JournalEntry(
          EntryKind.POLICY,
          vhost,
          PolicyEntry.key(set.policy().kind(), set.policy().name()),
          PolicyEntry.encode(set));
    }
    if (command instanceof MetadataCommand.Expectation || command instanceof QueueReturned) {
      throw notStored(command);
    }
    PolicyCleared gone = (PolicyCleared) command;
    return new JournalEntry(
        EntryKind.POLICY, vhost, PolicyEntry.key(gone.kind(), gone.name()), null);
  }

  private static IllegalArgumentException notStored(MetadataCommand command) {
    return new IllegalArgumentException("nothing to store: " + command);
  }

  private static JournalEntry ofClustering(MetadataCommand.Clustering command) {
    if (command instanceof MetadataCommand.MemberSet set) {
      return new JournalEntry(
          EntryKind.MEMBER, "", Integer.toString(set.member().number()), ClusterEntry.encode(set));
    } else if (command instanceof MetadataCommand.PartitionAssigned set) {
      return new JournalEntry(
          EntryKind.PARTITION, "", Integer.toString(set.partition()), AssignmentEntry.encode(set));
    } else if (command instanceof MetadataCommand.AssignmentChanged) {
      throw notStored(command);
    }
    return new JournalEntry(
        EntryKind.APPLIED, "", "", ClusterEntry.encode((MetadataCommand.Applied) command));
  }

  /** Decodes the command. */
  MetadataCommand command() {
    return value == null ? kind.decodeRemoval(scope, key) : kind.decode(value.duplicate());
  }

  boolean isVhost() {
    return kind == EntryKind.VHOST;
  }

  private static JournalEntry ofAdministrative(MetadataCommand.Administrative command) {
    if (command instanceof VhostDeclared set) {
      return new JournalEntry(EntryKind.VHOST, set.vhost(), "", AdministrativeEntry.encode(set));
    } else if (command instanceof VhostDeleted gone) {
      return new JournalEntry(EntryKind.VHOST, gone.vhost(), "", null);
    } else if (command instanceof UserDeclared set) {
      return new JournalEntry(
          EntryKind.USER, "", set.user().name(), AdministrativeEntry.encode(set));
    } else if (command instanceof UserDeleted gone) {
      return new JournalEntry(EntryKind.USER, "", gone.user(), null);
    } else if (command instanceof PermissionsSet set) {
      return new JournalEntry(
          EntryKind.PERMISSIONS,
          set.vhost(),
          MetadataEntry.part(set.user()),
          AdministrativeEntry.encode(set));
    } else if (command instanceof PermissionsCleared gone) {
      return new JournalEntry(
          EntryKind.PERMISSIONS, gone.vhost(), MetadataEntry.part(gone.user()), null);
    } else if (command instanceof TopicPermissionsSet set) {
      return new JournalEntry(
          EntryKind.TOPIC_PERMISSIONS,
          set.vhost(),
          MetadataEntry.part(set.user()) + set.exchange(),
          AdministrativeEntry.encode(set));
    } else if (command instanceof TopicPermissionsCleared gone) {
      return new JournalEntry(
          EntryKind.TOPIC_PERMISSIONS,
          gone.vhost(),
          MetadataEntry.part(gone.user()) + gone.exchange(),
          null);
    } else if (command instanceof ParameterSet set) {
      return new JournalEntry(
          EntryKind.PARAMETER,
          set.vhost(),
          MetadataEntry.part(set.component()) + set.name(),
          AdministrativeEntry.encode(set));
    } else if (command instanceof ParameterCleared gone) {
      return new JournalEntry(
          EntryKind.PARAMETER,
          gone.vhost(),
          MetadataEntry.part(gone.component()) + gone.name(),
          null);
    } else if (command instanceof VhostPolicySet set) {
      return new JournalEntry(
          EntryKind.VHOST_POLICY,
          "",
          PolicyEntry.key(set.policy().kind(), set.policy().name()),
          PolicyEntry.encode(set));
    } else if (command instanceof VhostPolicyCleared gone) {
      return new JournalEntry(
          EntryKind.VHOST_POLICY, "", PolicyEntry.key(gone.kind(), gone.name()), null);
    } else if (command instanceof GlobalParameterSet set) {
      return new JournalEntry(
          EntryKind.GLOBAL_PARAMETER, "", set.name(), AdministrativeEntry.encode(set));
    }
    GlobalParameterCleared gone = (GlobalParameterCleared) command;
    return new JournalEntry(EntryKind.GLOBAL_PARAMETER, "", gone.name(), null);
  }

  /** Encodes kind, scope, key and value, each but the first preceded by its length. */
  byte[] encode() {
    byte[] scopeBytes = Utf8.encode(scope);
    byte[] keyBytes = Utf8.encode(key);
    int valueLength = value == null ? 0 : value.remaining();
    ByteBuffer buffer =
        ByteBuffer.allocate(
            1 + 3 * Integer.BYTES + scopeBytes.length + keyBytes.length + valueLength);
    buffer.put(kind.code());
    buffer.putInt(scopeBytes.length).put(scopeBytes);
    buffer.putInt(keyBytes.length).put(keyBytes);
    buffer.putInt(value == null ? REMOVED : valueLength);
    if (value != null) {
      buffer.put(value.duplicate());
    }
    return buffer.array();
  }

  static JournalEntry decode(ByteBuffer from) {
    EntryKind kind = EntryKind.ofCode(from.get());
    String scope = text(from);
    String key = text(from);
    int length = from.getInt();
    ByteBuffer value = null;
    if (length != REMOVED) {
      value = from.slice(from.position(), length);
      from.position(from.position() + length);
    }
    return new JournalEntry(kind, scope, key, value);
  }

  private static String text(ByteBuffer from) {
    byte[] bytes = new byte[from.getInt()];
    from.get(bytes);
    return Utf8.decode(bytes, 0, bytes.length);
  }
}
