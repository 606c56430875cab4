package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.PartitionAssigned;
import io.mayflymq.core.metadata.MetadataCommand.PolicySet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.User;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ChangeProposerTest {
  private final List<ChangeEntry> entries = new ArrayList<>();
  private final List<CompletableFuture<Void>> added = new ArrayList<>();
  private final ChangeProposer proposer =
      new ChangeProposer(
          entry -> {
            entries.add(ChangeEntry.decode(entry));
            added.add(new CompletableFuture<>());
            return added.get(added.size() - 1);
          },
          () -> ChangeVersions.OF_REPLICAS);

  private static PartitionAssigned partition(int number) {
    return new PartitionAssigned(number, Assignment.first(List.of(0, 1, 2), 0));
  }

  private static QueueDeclared queue(String argument, String value) {
    FieldTable arguments = FieldTable.builder().put(argument, value).build();
    QueueArguments.Valid valid = QueueArguments.parse(arguments, "q", "v");
    return new QueueDeclared(
        "v",
        new QueueDefinition("q", true, false, false, valid.table(), valid.settings()),
        0,
        new QueuePlace(0, 0));
  }

  private static PolicySet policy(String key, Object value) {
    return new PolicySet(
        "v", Policy.of(PolicyKind.POLICY, "p", "", "queues", 0, Map.of(key, value)));
  }

  private static Limits limit(Limit limit) {
    return Limits.NONE.with(limit, 5);
  }

  private static UserDeclared user(Limit limit) {
    return new UserDeclared(new User("u", PasswordHash.NONE, List.of(), limit(limit)));
  }

  private static VhostDeclared vhost(Limit limit) {
    return new VhostDeclared(VhostDefinition.of("v").withLimits(limit(limit)));
  }

  /** A node that cannot read a change ends, and so would all of that release. */
  @Test
  void valuesThatNodesOfAnEarlierReleaseCannotReadAreNotProposedToThem() {
    for (MetadataCommand command :
        List.of(
            queue("x-overflow", "block"),
            policy("overflow", "block"),
            policy("block-timeout", 1_000),
            policy("deadline-replies", true),
            policy("deliver-at-header", "at"),
            policy("fair-by", "tenant"),
            policy("lock-renewals-max", 3),
            policy("on-mismatch", "keep"),
            policy("pause-ttl", "stop"),
            user(Limit.PUBLISH_RATE),
            user(Limit.PUBLISH_BURST),
            user(Limit.DELIVERY_RATE),
            user(Limit.DELIVERY_BURST),
            vhost(Limit.PUBLISH_RATE),
            vhost(Limit.PUBLISH_BURST),
            vhost(Limit.DELIVERY_RATE),
            vhost(Limit.DELIVERY_BURST))) {
      assertThat(failure(proposer.propose(List.of(command), this)))
          .as(command.toString())
          .isEqualTo(
              "PRECONDITION_FAILED - this change needs nodes that know it: a node of an earlier"
                  + " release is a member of the cluster");
    }
    assertThat(entries).isEmpty();
  }

  @Test
  void whatNodesOfAnEarlierReleaseKnowOrStoreIsProposedToThem() {
    for (MetadataCommand command :
        List.of(
            queue("x-overflow", "reject-publish"),
            queue("x-fair-by", "tenant"),
            policy("overflow", "reject-publish"),
            user(Limit.MAX_CONNECTIONS),
            vhost(Limit.MAX_QUEUES))) {
      assertThat(proposer.propose(List.of(command), this)).isNotDone();
    }
    assertThat(entries).hasSize(1);
  }

  private List<List<MetadataCommand>> units(int entry) {
    return entries.get(entry).units().stream().map(ChangeEntry.Unit::commands).toList();
  }

  @Test
  void changesThatFallTogetherShareAnEntryAndAreDecidedEachByItself() {
    List<CompletableFuture<Void>> done =
        proposer.proposeEach(List.of(partition(1), partition(2), partition(3)));
    assertThat(entries).hasSize(1);
    assertThat(units(0))
        .containsExactly(List.of(partition(1)), List.of(partition(2)), List.of(partition(3)));
    added.get(0).complete(null);
    PendingChange second = proposer.take(entries.get(0).process(), 1);
    second.done().complete(null);
    assertThat(done.get(0)).isNotDone();
    assertThat(done.get(1)).isCompleted();
    assertThat(done.get(2)).isNotDone();
  }

  @Test
  void changesWaitForTheEntryThatIsUnderWay() {
    proposer.propose(List.of(partition(1)), this);
    proposer.propose(List.of(partition(2)), this);
    proposer.propose(List.of(partition(3)), this);
    assertThat(entries).hasSize(1);
    added.get(0).complete(null);
    assertThat(entries).hasSize(2);
    assertThat(units(1)).containsExactly(List.of(partition(2)), List.of(partition(3)));
  }

  private static String failure(CompletableFuture<Void> change) {
    assertThat(change).as("a change that is not made").isCompletedExceptionally();
    return change.handle((done, failure) -> failure.getMessage()).join();
  }

  @Test
  void whatMayHappenIsNotSaidToBeUndone() {
    CompletableFuture<Void> underWay = proposer.propose(List.of(partition(1)), this);
    CompletableFuture<Void> behind = proposer.propose(List.of(partition(2)), this);
    added.get(0).completeExceptionally(new IllegalStateException("no majority"));
    assertThat(failure(underWay))
        .isEqualTo("INTERNAL_ERROR - it is not known whether the change is made: no majority");
    assertThat(failure(behind)).isEqualTo("INTERNAL_ERROR - the change was not made: no majority");
    assertThat(entries).hasSize(1);
  }

  @Test
  void whatWasNeverAddedIsSaidToBeUndone() {
    CompletableFuture<Void> change = proposer.propose(List.of(partition(1)), this);
    added.get(0).completeExceptionally(new EntryLog.NotAddedException("no leader"));
    assertThat(failure(change)).isEqualTo("INTERNAL_ERROR - the change was not made: no leader");
  }

  /** What is agreed upon does not come to this node any more, so it would be waited for in vain. */
  @Test
  void whatIsOpenFailsWhenNothingIsAppliedAnyMore() {
    CompletableFuture<Void> agreed = proposer.propose(List.of(partition(1)), this);
    added.get(0).complete(null);
    CompletableFuture<Void> underWay = proposer.propose(List.of(partition(2)), this);
    CompletableFuture<Void> behind = proposer.propose(List.of(partition(3)), this);

    proposer.end("the metadata were replaced");

    for (CompletableFuture<Void> open : List.of(agreed, underWay)) {
      assertThat(failure(open))
          .isEqualTo(
              "INTERNAL_ERROR - it is not known whether the change is made: the metadata were replaced");
    }
    for (CompletableFuture<Void> open :
        List.of(behind, proposer.propose(List.of(partition(4)), this))) {
      assertThat(failure(open))
          .isEqualTo("INTERNAL_ERROR - the change was not made: the metadata were replaced");
    }
    assertThat(entries).hasSize(2);
  }

  @Test
  void changesWithoutOrderDoNotWaitForTheEntryThatIsUnderWay() {
    CompletableFuture<Void> first = proposer.propose(List.of(partition(1)), this);
    List<CompletableFuture<Void>> each = proposer.proposeEach(List.of(partition(2), partition(3)));
    CompletableFuture<Void> last = proposer.propose(List.of(partition(4)), this);
    assertThat(entries).hasSize(2);
    assertThat(units(1)).containsExactly(List.of(partition(2)), List.of(partition(3)));
    // Their end ends nothing else, and no other entry is proposed by it.
    added.get(1).completeExceptionally(new IllegalStateException("no majority"));
    assertThat(each).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(entries).hasSize(2);
    assertThat(first).isNotDone();
    assertThat(last).isNotDone();
    assertThat(proposer.take(entries.get(1).process(), 1)).isNull();
    assertThat(proposer.take(entries.get(0).process(), 0)).isNotNull();
    added.get(0).complete(null);
    assertThat(units(2)).containsExactly(List.of(partition(4)));
  }
}
