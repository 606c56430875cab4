package io.mayflymq.core.metadata.journal;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataException;
import java.nio.ByteBuffer;

/**
 * What an entry of the metadata is. Recovery follows this order, in which each finds what it needs:
 * permissions need their user, bindings their exchange and queue.
 */
enum EntryKind {
  VHOST(1, "vhosts"),
  USER(2, "users"),
  PERMISSIONS(3, "permissions"),
  TOPIC_PERMISSIONS(4, "topic_permissions"),
  GLOBAL_PARAMETER(5, "global_parameters"),
  POLICY(6, "policies"),
  EXCHANGE(7, "exchanges"),
  QUEUE(8, "queues"),
  BINDING(9, "bindings");

  private final byte code;
  private final String plural;

  EntryKind(int code, String plural) {
    this.code = (byte) code;
    this.plural = plural;
  }

  /** How it is written; never changes. */
  byte code() {
    return code;
  }

  /** What several of them are called. */
  String plural() {
    return plural;
  }

  MetadataCommand decode(ByteBuffer value) {
    return switch (this) {
      case VHOST -> AdministrativeEntry.decodeVhost(value);
      case USER -> AdministrativeEntry.decodeUser(value);
      case PERMISSIONS -> AdministrativeEntry.decodePermissions(value);
      case TOPIC_PERMISSIONS -> AdministrativeEntry.decodeTopicPermissions(value);
      case GLOBAL_PARAMETER -> AdministrativeEntry.decodeGlobalParameter(value);
      case POLICY -> PolicyEntry.decode(value);
      case EXCHANGE -> MetadataEntry.decodeExchange(value);
      case QUEUE -> MetadataEntry.decodeQueue(value);
      case BINDING -> MetadataEntry.decodeBinding(value);
    };
  }

  static EntryKind ofCode(byte code) {
    for (EntryKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    throw new MetadataException("an entry is of the unknown kind " + code, null);
  }
}
