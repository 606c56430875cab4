package io.mayflymq.core.queue;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The machine does what a list of messages and the rules of the documentation do. */
class ClassicQueueMachinePropertyTest {
  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void queueBehavesLikeTheModel(
      @ForAll("settings") QueueSettings settings,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commands") List<QueueCommand> commands) {
    run(settings, noRoomForEvery, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void everyMessageExpiresAtItsDeadlineWhereverItStands(
      @ForAll("commandsOfExpiry") List<QueueCommand> commands) {
    run(QueueSettings.DEFAULT, RecordingStore.ROOM_FOR_ALL, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void changedTtlAppliesFromTheArrivalOfEachMessage(
      @ForAll("commandsOfChangingTtl") List<QueueCommand> commands) {
    run(QueueSettings.DEFAULT, RecordingStore.ROOM_FOR_ALL, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void priorityQueueBehavesLikeTheModel(
      @ForAll("settings") QueueSettings settings,
      @ForAll @IntRange(max = 7) int maxPriority,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commands") List<QueueCommand> commands) {
    run(settings.toBuilder().maxPriority(maxPriority).build(), noRoomForEvery, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void quorumQueueDeliversReturnedMessagesFirstUpToTheDeliveryLimit(
      @ForAll("settings") QueueSettings settings,
      @ForAll @IntRange(min = -1, max = 3) int deliveryLimit,
      @ForAll boolean countsEachReturn,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commands") List<QueueCommand> commands) {
    run(
        settings.toBuilder()
            .type(QueueType.QUORUM)
            .deliveryLimit(deliveryLimit)
            .countsEachReturn(countsEachReturn)
            .build(),
        noRoomForEvery,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void quorumQueueWithPrioritiesBehavesLikeTheModel(
      @ForAll("options") QueueSettings settings,
      @ForAll @IntRange(min = -1, max = 3) int deliveryLimit,
      @ForAll boolean retriesCount,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithPriorities") List<QueueCommand> commands) {
    run(
        settings.toBuilder()
            .type(QueueType.QUORUM)
            .maxPriority(QueueSettings.HIGHEST_OF_QUORUM_QUEUES)
            .deliveryLimit(deliveryLimit)
            .retriesCount(retriesCount)
            .build(),
        noRoomForEvery,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void priorityQueueWithExtractionsBehavesLikeTheModel(
      @ForAll("settings") QueueSettings settings,
      @ForAll boolean dropsLowest,
      @ForAll("commandsWithPriorities") List<QueueCommand> commands) {
    run(
        settings.toBuilder().maxPriority(255).lengthDropsLowest(dropsLowest).build(),
        RecordingStore.ROOM_FOR_ALL,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void expiryModesAndLengthModesBehaveLikeTheModel(
      @ForAll("options") QueueSettings settings,
      @ForAll @IntRange(min = -1, max = 7) int maxPriority,
      @ForAll("commandsOfChangingOptions") List<QueueCommand> commands) {
    run(
        settings.toBuilder().maxPriority(maxPriority).build(),
        RecordingStore.ROOM_FOR_ALL,
        commands);
  }

  private static void run(QueueSettings settings, int noRoomForEvery, List<QueueCommand> commands) {
    QueueRig rig = new QueueRig(settings, noRoomForEvery);
    commands.forEach(rig::run);
    rig.finish();
  }

  @Provide
  Arbitrary<QueueSettings> options() {
    return QueueCommand.anyOptions();
  }

  @Provide
  Arbitrary<List<QueueCommand>> commandsOfChangingOptions() {
    return QueueCommand.anyOfChangingOptions().list().ofMinSize(1).ofMaxSize(150);
  }

  @Provide
  Arbitrary<QueueSettings> settings() {
    return QueueCommand.anySettings();
  }

  @Provide
  Arbitrary<List<QueueCommand>> commandsOfExpiry() {
    return QueueCommand.anyOfExpiry().list().ofMinSize(5).ofMaxSize(60);
  }

  @Provide
  Arbitrary<List<QueueCommand>> commandsOfChangingTtl() {
    return QueueCommand.anyOfChangingTtl().list().ofMinSize(5).ofMaxSize(60);
  }

  @Provide
  Arbitrary<List<QueueCommand>> commandsWithPriorities() {
    return QueueCommand.anyWithPriorities().list().ofMinSize(1).ofMaxSize(150);
  }

  @Provide
  Arbitrary<List<QueueCommand>> commands() {
    return QueueCommand.any().list().ofMinSize(1).ofMaxSize(150);
  }
}
