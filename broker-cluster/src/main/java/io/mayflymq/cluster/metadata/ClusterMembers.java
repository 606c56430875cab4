package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.CommittedState;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.metadata.MetadataLog;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The nodes that are, or were, members of the cluster. Those that were forgotten stay on the list,
 * so that neither their numbers nor their data directories are taken for a member's again. Any
 * thread may call.
 */
public final class ClusterMembers {
  private final Object lock = new Object();
  private final CommittedState<SortedMap<Integer, ClusterMember>> members;

  /**
   * Creates the list.
   *
   * @param log where changes are written
   * @param kept what was kept before this process
   */
  public ClusterMembers(MetadataLog log, Collection<MetadataCommand> kept) {
    this.members = new CommittedState<>(lock, log, of(kept));
  }

  /** Returns the members and former members that metadata have, by number. */
  public static SortedMap<Integer, ClusterMember> of(Collection<MetadataCommand> kept) {
    SortedMap<Integer, ClusterMember> found = new TreeMap<>();
    for (MetadataCommand command : kept) {
      if (command instanceof MemberSet set) {
        found.put(set.member().number(), set.member());
      }
    }
    return found;
  }

  /** Returns the members, in the order of their numbers. */
  public List<ClusterMember> all() {
    return members.current().values().stream().filter(ClusterMember::isMember).toList();
  }

  /** Returns all that are or were members, in the order of their numbers. */
  public Collection<ClusterMember> everKnown() {
    return members.current().values();
  }

  /** Returns the member of this number, also one that was forgotten; null if there was none. */
  public ClusterMember ofNumber(int number) {
    return members.current().get(number);
  }

  /** Returns the member of this name. */
  public Optional<ClusterMember> named(String name) {
    return all().stream().filter(member -> member.name().equals(name)).findFirst();
  }

  /** Returns the node that has, or had, this data directory. */
  public Optional<ClusterMember> ofDirectory(UUID directory) {
    return members.current().values().stream()
        .filter(member -> member.directory().equals(directory))
        .findFirst();
  }

  /** Returns the number for the next node that joins. */
  public int nextNumber() {
    SortedMap<Integer, ClusterMember> known = members.current();
    return known.isEmpty() ? 0 : known.lastKey() + 1;
  }

  /** Returns the version of changes that all members know. */
  public int version() {
    return version(members.current().values());
  }

  /** Returns the version of changes that these nodes know, as far as they are members. */
  public static int version(Collection<ClusterMember> nodes) {
    return nodes.stream()
        .filter(ClusterMember::isMember)
        .mapToInt(ClusterMember::version)
        .min()
        .orElse(ChangeVersions.highest());
  }

  CompletableFuture<Void> apply(List<MetadataCommand> commands) {
    synchronized (lock) {
      SortedMap<Integer, ClusterMember> next = new TreeMap<>(members.proposed());
      for (MetadataCommand command : commands) {
        ClusterMember member = ((MemberSet) command).member();
        if (!fits(member, next)) {
          return CompletableFuture.failedFuture(
              new UndoneException("a change that came first excludes " + command));
        }
        next.put(member.number(), member);
      }
      return members.propose(next, commands, () -> {});
    }
  }

  /**
   * A number belongs to one data directory for ever, a name to one member at a time. A member that
   * was forgotten does not become one again, and one that was lost stays lost. Once all members
   * know a version of changes, each of them has to, as others may be writing it.
   */
  private static boolean fits(ClusterMember member, SortedMap<Integer, ClusterMember> known) {
    ClusterMember before = known.get(member.number());
    boolean isItsNumber =
        before == null
            || (before.directory().equals(member.directory())
                && (before.isMember() || (!member.isMember() && !before.isLost())));
    boolean readsChanges = !member.isMember() || member.version() >= version(known.values());
    return isItsNumber
        && (readsChanges || known.isEmpty())
        && known.values().stream()
            .filter(other -> other.number() != member.number())
            .noneMatch(
                other ->
                    other.directory().equals(member.directory())
                        || (other.isMember()
                            && member.isMember()
                            && other.name().equals(member.name())));
  }
}
