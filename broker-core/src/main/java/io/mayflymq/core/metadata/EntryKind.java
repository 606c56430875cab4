package io.mayflymq.core.metadata;

import java.nio.ByteBuffer;

/**
 * The kinds of metadata entries. Recovery follows this order, so that each entry finds the objects
 * it depends on: permissions need their user, bindings their exchange and queue. Virtual hosts
 * begin with the policies for many of them.
 */
enum EntryKind {
  MEMBER(11, "members"),
  PARTITION(14, "replicated_partitions"),
  APPLIED(12, "positions"),
  VHOST_POLICY(15, "vhost_policies"),
  VHOST(1, "vhosts"),
  USER(2, "users"),
  PERMISSIONS(3, "permissions"),
  TOPIC_PERMISSIONS(4, "topic_permissions"),
  GLOBAL_PARAMETER(5, "global_parameters"),
  PARAMETER(10, "parameters"),
  POLICY(6, "policies"),
  EXCHANGE(7, "exchanges"),
  QUEUE(8, "queues"),
  QUEUE_MOVE(13, "queue_moves"),
  KEPT_QUEUE(16, "deleted_queues"),
  BINDING(9, "bindings");

  private final byte code;
  private final String plural;

  EntryKind(int code, String plural) {
    this.code = (byte) code;
    this.plural = plural;
  }

  /** Returns its code in files, which never changes. */
  byte code() {
    return code;
  }

  /** Returns the word for several of them. */
  String plural() {
    return plural;
  }

  MetadataCommand decode(ByteBuffer value) {
    return switch (this) {
      case MEMBER -> ClusterEntry.decodeMember(value);
      case PARTITION -> AssignmentEntry.decode(value);
      case APPLIED -> ClusterEntry.decodeApplied(value);
      case VHOST_POLICY -> PolicyEntry.decodeForVhosts(value);
      case VHOST -> AdministrativeEntry.decodeVhost(value);
      case USER -> AdministrativeEntry.decodeUser(value);
      case PERMISSIONS -> AdministrativeEntry.decodePermissions(value);
      case TOPIC_PERMISSIONS -> AdministrativeEntry.decodeTopicPermissions(value);
      case GLOBAL_PARAMETER -> AdministrativeEntry.decodeGlobalParameter(value);
      case PARAMETER -> AdministrativeEntry.decodeParameter(value);
      case POLICY -> PolicyEntry.decode(value);
      case EXCHANGE -> MetadataEntry.decodeExchange(value);
      case QUEUE -> MetadataEntry.decodeQueue(value);
      case QUEUE_MOVE -> MetadataEntry.decodeMove(value);
      case KEPT_QUEUE -> MetadataEntry.decodeKept(value);
      case BINDING -> MetadataEntry.decodeBinding(value);
    };
  }

  /** Decodes the removal of an object. */
  MetadataCommand decodeRemoval(String scope, String key) {
    EntryKey parts = new EntryKey(key);
    return switch (this) {
      case VHOST_POLICY ->
          new MetadataCommand.VhostPolicyCleared(PolicyEntry.kind(parts.part()), parts.rest());
      case VHOST -> new MetadataCommand.VhostDeleted(scope);
      case USER -> new MetadataCommand.UserDeleted(key);
      case PERMISSIONS -> new MetadataCommand.PermissionsCleared(parts.part(), scope);
      case TOPIC_PERMISSIONS ->
          new MetadataCommand.TopicPermissionsCleared(parts.part(), scope, parts.rest());
      case GLOBAL_PARAMETER -> new MetadataCommand.GlobalParameterCleared(key);
      case PARAMETER -> new MetadataCommand.ParameterCleared(scope, parts.part(), parts.rest());
      case POLICY ->
          new MetadataCommand.PolicyCleared(scope, PolicyEntry.kind(parts.part()), parts.rest());
      case EXCHANGE -> new MetadataCommand.ExchangeDeleted(scope, key);
      case QUEUE -> new MetadataCommand.QueueDeleted(scope, key);
      case QUEUE_MOVE -> new MetadataCommand.QueueStays(scope, key);
      case KEPT_QUEUE -> new MetadataCommand.QueueForgotten(scope, Long.parseLong(key));
      case BINDING -> new MetadataCommand.Unbound(scope, parts.binding());
      case MEMBER, PARTITION, APPLIED ->
          throw new MetadataException(plural + " are never removed", null);
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
