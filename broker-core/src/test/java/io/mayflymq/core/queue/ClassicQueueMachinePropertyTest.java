package io.mayflymq.core.queue;

import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
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
      @ForAll("settings") QueueValues settings,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commands") List<QueueCommand> commands) {
    run(settings, noRoomForEvery, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void everyMessageExpiresAtItsDeadlineWhereverItStands(
      @ForAll("commandsOfExpiry") List<QueueCommand> commands) {
    run(QueueValues.NONE, RecordingStore.ROOM_FOR_ALL, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void changedTtlAppliesFromTheArrivalOfEachMessage(
      @ForAll("commandsOfChangingTtl") List<QueueCommand> commands) {
    run(QueueValues.NONE, RecordingStore.ROOM_FOR_ALL, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void priorityQueueBehavesLikeTheModel(
      @ForAll("settings") QueueValues settings,
      @ForAll @IntRange(max = 7) int maxPriority,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commands") List<QueueCommand> commands) {
    run(settings.withMaxPriority(maxPriority), noRoomForEvery, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void quorumQueueDeliversReturnedMessagesFirstUpToTheDeliveryLimit(
      @ForAll("settings") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 3) int deliveryLimit,
      @ForAll Dialect dialect,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commands") List<QueueCommand> commands) {
    run(
        settings.of(QueueType.QUORUM).with(PolicyKey.DELIVERY_LIMIT, deliveryLimit).in(dialect),
        noRoomForEvery,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void quorumQueueWithPrioritiesBehavesLikeTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 3) int deliveryLimit,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithPriorities") List<QueueCommand> commands) {
    run(
        settings.of(QueueType.QUORUM).with(PolicyKey.DELIVERY_LIMIT, deliveryLimit),
        noRoomForEvery,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void priorityQueueWithExtractionsBehavesLikeTheModel(
      @ForAll("settings") QueueValues settings,
      @ForAll boolean dropsLowest,
      @ForAll("commandsWithPriorities") List<QueueCommand> commands) {
    run(
        settings
            .withMaxPriority(255)
            .with(PolicyKey.MAX_LENGTH_DROP, dropsLowest ? "lowest-priority" : "highest-priority"),
        RecordingStore.ROOM_FOR_ALL,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void expiryModesAndLengthModesBehaveLikeTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 7) int maxPriority,
      @ForAll("commandsOfChangingOptions") List<QueueCommand> commands) {
    run(settings.withMaxPriority(maxPriority), RecordingStore.ROOM_FOR_ALL, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void deadlinesOfHeadersHoldAsInTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 7) int maxPriority,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithDeadlines") List<QueueCommand> commands) {
    run(
        settings.withMaxPriority(maxPriority).with(PolicyKey.DEADLINE_HEADER, "d"),
        noRoomForEvery,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void whatHasLeftComesBackAsInTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 7) int maxPriority,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithUndo") List<QueueCommand> commands) {
    run(settings.withMaxPriority(maxPriority), noRoomForEvery, commands);
  }

  @Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
  void whatHasLeftQuorumQueueComesBackAsInTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 3) int deliveryLimit,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithUndo") List<QueueCommand> commands) {
    run(
        settings.of(QueueType.QUORUM).with(PolicyKey.DELIVERY_LIMIT, deliveryLimit),
        noRoomForEvery,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void valuesOfHeaderTakeTurnsAsInTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 3) int maxPriority,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithShares") List<QueueCommand> commands) {
    run(
        settings.withMaxPriority(maxPriority).with(PolicyKey.FAIR_BY, "t"),
        noRoomForEvery,
        commands);
  }

  @Property(tries = 2000, edgeCases = EdgeCasesMode.NONE)
  void valuesOfHeaderTakeTurnsInQuorumQueueAsInTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 3) int deliveryLimit,
      @ForAll Dialect dialect,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithShares") List<QueueCommand> commands) {
    run(
        settings
            .of(QueueType.QUORUM)
            .in(dialect)
            .with(PolicyKey.DELIVERY_LIMIT, deliveryLimit)
            .with(PolicyKey.FAIR_BY, "t"),
        noRoomForEvery,
        commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void timeStandsStillAsInTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 7) int maxPriority,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithStops") List<QueueCommand> commands) {
    run(settings.withMaxPriority(maxPriority), noRoomForEvery, commands);
  }

  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void timeOfQuorumQueueStandsStillAsInTheModel(
      @ForAll("options") QueueValues settings,
      @ForAll @IntRange(min = -1, max = 3) int deliveryLimit,
      @ForAll @IntRange(max = 3) int noRoomForEvery,
      @ForAll("commandsWithStops") List<QueueCommand> commands) {
    run(
        settings.of(QueueType.QUORUM).with(PolicyKey.DELIVERY_LIMIT, deliveryLimit),
        noRoomForEvery,
        commands);
  }

  private static void run(QueueValues settings, int noRoomForEvery, List<QueueCommand> commands) {
    QueueRig rig = new QueueRig(settings, noRoomForEvery);
    commands.forEach(rig::run);
    rig.finish();
  }

  @Provide
  Arbitrary<QueueValues> options() {
    return QueueCommand.anyOptions();
  }

  @Provide
  Arbitrary<List<QueueCommand>> commandsOfChangingOptions() {
    return QueueCommand.anyOfChangingOptions().list().ofMinSize(1).ofMaxSize(150);
  }

  @Provide
  Arbitrary<QueueValues> settings() {
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
  Arbitrary<List<QueueCommand>> commandsWithDeadlines() {
    return QueueCommand.anyWithDeadlines().list().ofMinSize(1).ofMaxSize(150);
  }

  @Provide
  Arbitrary<List<QueueCommand>> commandsWithUndo() {
    return QueueCommand.anyWithUndo().list().ofMinSize(1).ofMaxSize(150);
  }

  @Provide
  Arbitrary<List<QueueCommand>> commandsWithStops() {
    return QueueCommand.anyWithStops().list().ofMinSize(1).ofMaxSize(150);
  }

  @Provide
  Arbitrary<List<QueueCommand>> commandsWithShares() {
    return QueueCommand.anyWithShares().list().ofMinSize(1).ofMaxSize(150);
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
