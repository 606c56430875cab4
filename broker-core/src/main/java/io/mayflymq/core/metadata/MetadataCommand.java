package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.core.security.User;
import java.util.List;

/**
 * A change of metadata. What is durable is written; carrying out the written commands in order
 * restores the state.
 */
public sealed interface MetadataCommand {
  /** Returns the virtual host that it affects; null if it affects the whole broker. */
  String vhost();

  /** A durable exchange was declared. */
  record ExchangeDeclared(String vhost, ExchangeDefinition exchange) implements MetadataCommand {}

  /** A durable exchange was deleted, with its bindings. */
  record ExchangeDeleted(String vhost, String exchange) implements MetadataCommand {}

  /**
   * A durable queue was declared, or has moved to another partition.
   *
   * @param id the id under which its messages are stored; an id is never reused
   * @param place the partition that it belongs to
   */
  record QueueDeclared(String vhost, QueueDefinition queue, long id, QueuePlace place)
      implements MetadataCommand {}

  /**
   * A queue has other arguments from here on. It is written as {@link QueueDeclared}.
   *
   * @param queue what it is then
   * @param id the id of the queue that is meant
   */
  record QueueRedefined(String vhost, QueueDefinition queue, long id) implements MetadataCommand {}

  /** A durable queue was deleted, with its bindings. */
  record QueueDeleted(String vhost, String queue) implements MetadataCommand {}

  /**
   * A queue is being deleted and can be brought back until {@link QueueForgotten} or {@link
   * QueueReturned}. It comes before the {@link QueueDeleted} of the queue.
   *
   * @param queue the declaration that it had; its messages stay where they are, under its id
   * @param bindings the bindings to it; as a request they are empty, and found when the change is
   *     made
   * @param lostBindings how many of its bindings are not among them, as they were too many
   * @param deletedAtMillis when it was deleted, in ms since the epoch, by the time of its partition
   * @param deletedBy who deleted it
   */
  record QueueKept(
      QueueDeclared queue,
      List<Binding> bindings,
      int lostBindings,
      long deletedAtMillis,
      String deletedBy)
      implements MetadataCommand {
    @Override
    public String vhost() {
      return queue.vhost();
    }
  }

  /** A deleted queue cannot be brought back any more. */
  record QueueForgotten(String vhost, long id) implements MetadataCommand {}

  /**
   * A deleted queue is back, under its id and at its place.
   *
   * @param name the name that it has from now on
   */
  record QueueReturned(String vhost, long id, String name) implements MetadataCommand {}

  /**
   * A queue is being moved: its messages are copied to another place. It stays where it is until
   * {@link QueueMoved} or {@link QueueStays}.
   *
   * @param to the place that it moves to. A queue that moves to a replicated partition becomes a
   *     quorum queue, unless it is the own dead letter queue of one
   * @param copyId the id under which its messages are stored there. Each attempt has its own, so
   *     what an earlier one has left in a log is never taken for this one's
   */
  record QueueMoving(String vhost, String queue, QueuePlace to, long copyId)
      implements MetadataCommand {}

  /** A queue that was being moved has its new place from here on. */
  record QueueMoved(String vhost, String queue) implements MetadataCommand {}

  /** A queue that was being moved stays where it is. */
  record QueueStays(String vhost, String queue) implements MetadataCommand {}

  /**
   * What has to hold before the commands that follow, or none of them is carried out. A single
   * broker has made sure of that before it writes; nodes of a cluster decide it when the order of
   * all changes is known.
   */
  sealed interface Expectation extends MetadataCommand {}

  /** The queue of this name is still the one with this id. */
  record QueueIs(String vhost, String queue, long id) implements Expectation {}

  /** The queue of this name is being moved, and its copy has this id. */
  record QueueMoveIs(String vhost, String queue, long copyId) implements Expectation {}

  /** No binding leads from the exchange. */
  record ExchangeUnused(String vhost, String exchange) implements Expectation {}

  /** A binding between durable objects was added. */
  record Bound(String vhost, Binding binding) implements MetadataCommand {}

  /** Such a binding was removed. */
  record Unbound(String vhost, Binding binding) implements MetadataCommand {}

  /** A policy or operator policy was set, perhaps in place of one with the same name. */
  record PolicySet(String vhost, Policy policy) implements MetadataCommand {}

  /** A policy or operator policy was cleared. */
  record PolicyCleared(String vhost, PolicyKind kind, String name) implements MetadataCommand {}

  /**
   * A user is still what he was.
   *
   * @param before null if there was none of this name
   */
  record UserIs(String user, User before) implements Expectation {
    @Override
    public String vhost() {
      return null;
    }
  }

  /**
   * A virtual host is still what it was.
   *
   * @param before null if there was none of this name
   */
  record VhostIs(String vhost, VhostDefinition before) implements Expectation {}

  /** A change of administrative definitions: virtual hosts, users and their permissions. */
  sealed interface Administrative extends MetadataCommand {}

  /** A virtual host was added or changed. */
  record VhostDeclared(VhostDefinition definition) implements Administrative {
    @Override
    public String vhost() {
      return definition.name();
    }
  }

  /** A virtual host was deleted, with its contents and all permissions for it. */
  record VhostDeleted(String vhost) implements Administrative {}

  /** A user was added or changed. */
  record UserDeclared(User user) implements Administrative {
    @Override
    public String vhost() {
      return null;
    }
  }

  /** A user was deleted, with his permissions. */
  record UserDeleted(String user) implements Administrative {
    @Override
    public String vhost() {
      return null;
    }
  }

  /** The permissions of a user in a virtual host were set. */
  record PermissionsSet(String user, String vhost, Permissions permissions)
      implements Administrative {}

  /** The permissions of a user in a virtual host were cleared. */
  record PermissionsCleared(String user, String vhost) implements Administrative {}

  /** The permissions of a user for a topic exchange were set. */
  record TopicPermissionsSet(
      String user, String vhost, String exchange, TopicPermissions permissions)
      implements Administrative {}

  /** The permissions of a user for a topic exchange were cleared: all keys are allowed. */
  record TopicPermissionsCleared(String user, String vhost, String exchange)
      implements Administrative {}

  /** A parameter of a component in a virtual host was set to a value, which is JSON. */
  record ParameterSet(String vhost, String component, String name, String json)
      implements Administrative {}

  /** A parameter of a component in a virtual host was removed. */
  record ParameterCleared(String vhost, String component, String name) implements Administrative {}

  /** A global parameter was set to a value, which is JSON. */
  record GlobalParameterSet(String name, String json) implements Administrative {
    @Override
    public String vhost() {
      return null;
    }
  }

  /** A global parameter was removed. */
  record GlobalParameterCleared(String name) implements Administrative {
    @Override
    public String vhost() {
      return null;
    }
  }

  /**
   * A policy or operator policy for many virtual hosts was set, perhaps in place of another one.
   */
  record VhostPolicySet(Policy policy) implements Administrative {
    @Override
    public String vhost() {
      return null;
    }
  }

  /** A policy or operator policy for many virtual hosts was cleared. */
  record VhostPolicyCleared(PolicyKind kind, String name) implements Administrative {
    @Override
    public String vhost() {
      return null;
    }
  }

  /** A change of the cluster itself. */
  sealed interface Clustering extends MetadataCommand {
    @Override
    default String vhost() {
      return null;
    }
  }

  /** A node has joined the cluster, or was forgotten. Its number is never given to another one. */
  record MemberSet(ClusterMember member) implements Clustering {}

  /** A change of replicated partitions. */
  sealed interface Assigning extends Clustering {}

  /**
   * A replicated partition has this assignment. As a change it creates the partition; what is kept
   * of a partition has this form as well.
   *
   * @param partition its number, the same on all nodes; never given to another one
   */
  record PartitionAssigned(int partition, Assignment assignment) implements Assigning {}

  /** The assignment of a replicated partition is changed, if it is the one that this changes. */
  record AssignmentChanged(int partition, AssignmentChange change) implements Assigning {}

  /**
   * The last entry of the replicated log that these metadata contain.
   *
   * @param term the term of the leader that added it
   * @param index its place in the log
   * @param queueIds the last number that a queue was given
   */
  record Applied(long term, long index, long queueIds) implements Clustering {}
}
