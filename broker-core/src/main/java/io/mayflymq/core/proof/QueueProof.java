package io.mayflymq.core.proof;

import static io.mayflymq.core.policy.QueueSettings.NONE;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.policy.DeadLetterSettings;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.EffectiveValue;
import io.mayflymq.core.policy.OnMismatch;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.PaceSettings;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.RecoverableSettings;
import io.mayflymq.core.policy.RetrySettings;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.policy.TtlMode;
import io.mayflymq.core.policy.ValueOrigin;
import io.mayflymq.core.proof.DeadLetterWay.State;
import io.mayflymq.core.proof.DeadLetterWay.Target;
import io.mayflymq.core.proof.QueueFacts.Kept;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Tells what can happen to the messages of a queue, and what cannot, each with the settings that it
 * follows from.
 *
 * <p>A change that is a policy was tried: with it the claim is gone, or says something else.
 */
public final class QueueProof {
  private static final String FROM_PUBLISHER = "the publisher: ";
  private static final String FROM_CONSUMER = "the consumer: ";
  private static final String AUTO = "auto";
  private static final String OF_AUTO_QUEUES =
      "have a dead-letter-exchange and a queue for it: nothing can be set for this one, which comes with"
          + " dead-letter-queue = auto";

  /** How long a consumer may hold a message by the change that is proposed, in ms. */
  private static final long LOCK_MILLIS = 60_000;

  /** For how long a deleted queue can be brought back by the change that is proposed. */
  private static final String RECOVERABLE_FOR = "1D";

  /** How many deliveries may fail by the change that is proposed. */
  private static final long DELIVERY_LIMIT = 20;

  private final QueueFacts facts;
  private final Surroundings around;
  private final EffectiveSettings effective;
  private final QueueSettings settings;
  private final DeadLetterSettings dead;
  private final DeadLetterWay way;
  private final Kept kept;

  /** Whether changes are worked out. */
  private final boolean tries;

  private final List<Claim> claims = new ArrayList<>();

  private QueueProof(QueueFacts facts, boolean tries) {
    this.facts = facts;
    this.around = facts.around();
    this.effective = facts.effective();
    this.settings = effective.toQueueSettings(facts.definition().settings());
    this.dead = settings.deadLetters();
    this.way = facts.ways().apply(settings);
    this.kept = facts.kept();
    this.tries = tries;
  }

  /**
   * Returns all claims about a queue, in the order of {@link ClaimId}.
   *
   * @param facts of a classic queue or a quorum queue
   */
  public static List<Claim> of(QueueFacts facts) {
    return new QueueProof(facts, true).claims();
  }

  private List<Claim> claims() {
    endOfTheBroker();
    deaths();
    deadLetters();
    late();
    order();
    twice();
    claims.sort((one, other) -> one.id().compareTo(other.id()));
    return List.copyOf(claims);
  }

  // Lost with a process, a machine or a disk

  private void endOfTheBroker() {
    can(
        ClaimId.UNCONFIRMED_LOST,
        "A message whose publisher has no confirm of it can be lost. Without confirms its publisher"
            + " does not notice.",
        FROM_PUBLISHER + "confirm.select, or not",
        "publish with confirms, and publish again what was not confirmed");
    String goes = goes();
    if (goes != null) {
      can(
          ClaimId.QUEUE_GOES,
          goes + comesBackAfter(),
          "the declaration: durable = %s, exclusive = %s, auto_delete = %s"
              .formatted(
                  facts.definition().durable(),
                  facts.definition().exclusive(),
                  facts.definition().autoDelete()),
          "declare it durable, and neither exclusive nor auto-delete");
    }
    if (kept == Kept.PERSISTENT) {
      can(
          ClaimId.TRANSIENT_LOST,
          "Transient messages are gone.",
          "type classic, and the publisher: delivery_mode other than 2",
          around.nodes() > 1 ? convert() : "publish with delivery_mode = 2");
    }
    if (kept == Kept.NONE) {
      return;
    }
    String messages = kept == Kept.ALL ? "messages" : "persistent messages";
    String of =
        "type %s, durable, durability.sync = %s (configuration)"
            .formatted(settings.type().wireName(), around.forces() ? "always" : "never");
    if (!around.forces()) {
      can(
          ClaimId.POWER_LOSS,
          "Confirmed %s of about the last half minute can be lost: confirms do not wait for the disk."
              .formatted(messages),
          of,
          "durability.sync = always in the configuration, and a restart");
    }
    cannot(
        ClaimId.CONFIRMED_KEPT,
        "Confirmed %s are not lost by a stop%s."
            .formatted(
                messages,
                around.forces() ? ", by kill -9 or by a loss of power" : " or by kill -9"),
        of);
    if (around.members() == 1) {
      can(
          ClaimId.DISK_LOST,
          "All its messages are lost: they are on one node.",
          members(),
          around.nodes() > 1 ? convert() : "join a cluster of three nodes, and " + convert());
    } else {
      cannot(
          ClaimId.REPLICAS_KEEP,
          "Confirmed messages are not lost by the loss of %d of its %d nodes."
              .formatted(around.members() / 2, around.members()),
          members());
    }
  }

  private String goes() {
    if (facts.definition().exclusive()) {
      return "The queue is deleted with all its messages when the connection that declared it ends.";
    } else if (!facts.definition().durable()) {
      return "The queue is gone with all its messages when the broker ends: a stop, kill -9, a loss of"
          + " power"
          + (facts.definition().autoDelete() ? "; or when its last consumer ends." : ".");
    }
    return facts.definition().autoDelete()
        ? "The queue is deleted with all its messages when its last consumer ends."
        : null;
  }

  /** Whether it can be brought back when it was deleted. */
  private boolean comesBack() {
    return facts.definition().durable()
        && !facts.definition().exclusive()
        && facts.takesPolicies()
        && settings.recoverable().isOn();
  }

  /** Returns what a claim about a deletion says besides, if the queue can be brought back. */
  private String comesBackAfter() {
    return comesBack()
        ? " For %d ms undelete_queue brings it back."
            .formatted(settings.recoverable().windowMillis())
        : "";
  }

  private String members() {
    return "type %s, on %d of %d nodes"
        .formatted(settings.type().wireName(), around.members(), around.nodes());
  }

  private String convert() {
    return "mayflyctl convert_queue %s%s --to quorum".formatted(vhostOption(), quotedName());
  }

  // Messages that die

  private void deaths() {
    String ttl = mayExpire();
    if (ttl != null && isDropped(DeathReason.EXPIRED)) {
      canByDeadLetters(
          ClaimId.EXPIRED_DROPPED,
          "A message that is not consumed in time is dropped.",
          ttl,
          DeathReason.EXPIRED);
    }
    if (isDropped(DeathReason.REJECTED)) {
      canByDeadLetters(
          ClaimId.REJECTED_DROPPED,
          "A message that is rejected without requeue is dropped.",
          FROM_CONSUMER + "basic.reject or basic.nack",
          DeathReason.REJECTED);
    }
    limit();
    if (settings.deliveries().limit() != NONE && isDropped(DeathReason.DELIVERY_LIMIT)) {
      canByDeadLetters(
          ClaimId.DELIVERY_LIMIT_DROPS,
          "A message whose delivery fails more than %d times is dropped."
              .formatted(settings.deliveries().limit()),
          value(PolicyKey.DELIVERY_LIMIT),
          DeathReason.DELIVERY_LIMIT);
    }
    lease();
    deletion();
    List<DeathReason> taken = new ArrayList<>();
    if (isTtlOn() && settings.expiry().retroactive()) {
      taken.add(DeathReason.EXPIRED);
    }
    if (mayDropByPolicy()) {
      taken.add(DeathReason.MAXLEN);
    }
    taken.removeIf(reason -> !isDropped(reason));
    if (facts.takesPolicies() && !taken.isEmpty()) {
      canByDeadLetters(
          ClaimId.POLICY_TAKES,
          "A policy that sets %s applies to messages that are in the queue already, and drops them.%s"
              .formatted(
                  taken.stream()
                      .map(
                          reason ->
                              reason == DeathReason.EXPIRED
                                  ? "a lower message-ttl"
                                  : "a lower max-length")
                      .collect(Collectors.joining(" or ")),
                  adopts(taken)
                      ? " So does a client that declares the queue again with such an argument, as"
                          + " on-mismatch adopts it."
                      : ""),
          taken.contains(DeathReason.EXPIRED)
              ? value(PolicyKey.MESSAGE_TTL_RETROACTIVE)
              : "policies",
          taken.toArray(DeathReason[]::new));
    }
    can(
        ClaimId.NO_ACK_LOST,
        "Messages on their way to a consumer without acknowledgements are lost if it ends, or fails"
            + " at its work.",
        FROM_CONSUMER + "basic.consume with no_ack",
        "consume with acknowledgements");
  }

  /** Whether a declaration may change what takes messages away for one of these reasons. */
  private boolean adopts(List<DeathReason> taken) {
    OnMismatch rules = facts.table().onMismatch(facts.subject().type(), facts.definition().name());
    return taken.stream()
        .map(
            reason ->
                reason == DeathReason.EXPIRED
                    ? QueueArguments.MESSAGE_TTL
                    : QueueArguments.MAX_LENGTH)
        .anyMatch(argument -> rules.on(argument) == OnMismatch.Verdict.ADOPT);
  }

  private void limit() {
    if (!settings.length().isLimited()) {
      return;
    }
    String from =
        Stream.of(PolicyKey.MAX_LENGTH, PolicyKey.MAX_LENGTH_BYTES, PolicyKey.OVERFLOW)
            .filter(key -> key == PolicyKey.OVERFLOW || effective.value(key).isPresent())
            .map(this::value)
            .collect(Collectors.joining(", "));
    if (settings.length().overflow() == Overflow.DROP_HEAD) {
      if (isDropped(DeathReason.MAXLEN)) {
        canByDeadLetters(
            ClaimId.LIMIT_DROPS,
            "At its limit the queue drops messages that it has confirmed: %s."
                .formatted(droppedFirst()),
            from,
            DeathReason.MAXLEN);
      }
    } else if (!settings.deadLettersWhatItRefuses()) {
      Map<PolicyKey, Object> keys = deadLetters(DeathReason.MAXLEN);
      keys.put(PolicyKey.OVERFLOW, Overflow.REJECT_PUBLISH_DLX.wireName());
      can(
          ClaimId.LIMIT_REFUSES,
          settings.length().blocks()
              ? "At its limit the queue refuses new messages whose publishers have waited for %d ms:"
                      .formatted(settings.length().blockMillis())
                  + " these get basic.nack, and without confirms no answer."
              : "At its limit the queue refuses new messages: their publishers get basic.nack, and"
                  + " without confirms no answer.",
          settings.length().blocks() ? from + ", " + value(PolicyKey.BLOCK_TIMEOUT) : from,
          keys,
          "publish with confirms, and publish again what was refused");
    }
  }

  private void lease() {
    long expires = settings.lease().expiresMillis();
    boolean keepsThem = settings.lease().deadLetters() && dead.exchange() != null;
    if (expires == NONE || settings.lease().onlyIfEmpty() || keepsThem) {
      return;
    }
    can(
        ClaimId.LEASE_DELETES,
        "After %d ms without use the queue is deleted with its messages, which are not dead-lettered."
                .formatted(expires)
            + comesBackAfter(),
        value(PolicyKey.EXPIRES) + ", " + value(PolicyKey.EXPIRES_CONDITION),
        keys(PolicyKey.EXPIRES_CONDITION, "unused-and-empty"),
        "declare it without x-expires-condition");
  }

  private void deletion() {
    String from =
        "%s; the declaration: durable = %s, exclusive = %s"
            .formatted(
                value(PolicyKey.RECOVERABLE),
                facts.definition().durable(),
                facts.definition().exclusive());
    if (!comesBack()) {
      can(
          ClaimId.DELETED_LOST,
          "When the queue is deleted all its messages are lost.",
          from,
          keys(PolicyKey.RECOVERABLE, RECOVERABLE_FOR),
          "declare it durable, not exclusive, and with x-recoverable = " + RECOVERABLE_FOR);
      return;
    }
    long millis = settings.recoverable().windowMillis();
    can(
        ClaimId.DELETED_LOST,
        "When the queue is deleted and not brought back within %d ms all its messages are lost."
            .formatted(millis),
        from,
        "a longer recoverable");
    cannot(
        ClaimId.DELETED_KEPT,
        "When the queue is deleted alone and brought back within %d ms no %s is lost, if they count %d bytes at"
                .formatted(
                    millis,
                    kept == Kept.ALL ? "message" : "persistent message",
                    settings.recoverable().mostBytes())
            + " most with all that has left, the disk has not run low, and less than 1000 queues of the"
            + " virtual host were deleted after it: mayflyctl undelete_queue %s%s."
                .formatted(vhostOption(), quotedName()),
        value(PolicyKey.RECOVERABLE)
            + ", "
            + (effective.value(PolicyKey.RECOVERABLE_BYTES).isPresent()
                ? value(PolicyKey.RECOVERABLE_BYTES)
                : "%s = %d (default)"
                    .formatted(
                        PolicyKey.RECOVERABLE_BYTES.wireName(), RecoverableSettings.MOST_BYTES)));
  }

  private String droppedFirst() {
    String priority =
        !settings.hasPriorities()
            ? ""
            : settings.length().dropsLowest()
                ? " of the lowest priority"
                : " of the highest priority";
    String fairBy = settings.deliveries().fairBy();
    String share =
        fairBy == null
            ? ""
            : ", of the value of the header %s that has the most,".formatted(fairBy);
    return "the oldest" + priority + share + " first";
  }

  /** Whether a policy may let the queue drop its oldest messages: not if an argument forbids it. */
  private boolean mayDropByPolicy() {
    boolean isByArgument =
        effective
            .value(PolicyKey.OVERFLOW)
            .filter(value -> value.origin() == ValueOrigin.ARGUMENT)
            .isPresent();
    return !isByArgument
        || settings.type() == QueueType.QUORUM
        || settings.length().overflow() == Overflow.DROP_HEAD;
  }

  private boolean isTtlOn() {
    return facts.table().defaults().messageTtl();
  }

  /** Returns by what messages may expire; null if none can. */
  private String mayExpire() {
    if (!isTtlOn()) {
      return null;
    } else if (settings.expiry().messageTtlMillis() != NONE) {
      return value(PolicyKey.MESSAGE_TTL);
    }
    String header = settings.expiry().deadlineHeader();
    return settings.expiry().ttlMode() == TtlMode.QUEUE_ONLY
        ? null
        : FROM_PUBLISHER
            + "the property expiration"
            + (header == null ? "" : ", or the header " + header);
  }

  private boolean isDropped(DeathReason reason) {
    return !dead.areWantedOn(reason);
  }

  private void canByDeadLetters(ClaimId id, String sentence, String from, DeathReason... reasons) {
    String why =
        !facts.table().defaults().deadLettering()
            ? "dead_letter.enabled = false (configuration)"
            : dead.areWanted() ? value(PolicyKey.DEAD_LETTER_ON) : "no dead-letter-exchange";
    can(
        id,
        sentence,
        from + "; " + why,
        deadLetters(reasons),
        facts.table().defaults().deadLettering()
            ? "declare it with x-dead-letter-queue = auto, and without x-dead-letter-on"
            : "dead_letter.enabled = true in the configuration");
  }

  /** Returns what has messages dead-lettered that die for these reasons. */
  private Map<PolicyKey, Object> deadLetters(DeathReason... reasons) {
    Map<PolicyKey, Object> keys = new LinkedHashMap<>();
    if (!dead.areWanted()) {
      keys.put(PolicyKey.DEAD_LETTER_QUEUE, AUTO);
    }
    if (!dead.on().containsAll(List.of(reasons))) {
      keys.put(
          PolicyKey.DEAD_LETTER_ON,
          Stream.concat(dead.on().stream(), Stream.of(reasons))
              .distinct()
              .sorted()
              .map(DeathReason::wireName)
              .collect(Collectors.joining(",")));
    }
    return keys;
  }

  // Dead letters

  private void deadLetters() {
    if (way.state() == State.NONE) {
      return;
    }
    String exchange =
        dead.exchange() == null
            ? value(PolicyKey.DEAD_LETTER_QUEUE)
            : value(PolicyKey.DEAD_LETTER_EXCHANGE);
    Lost lost = lostDeadLetters();
    if (lost != null) {
      can(ClaimId.DEAD_LETTER_LOST, lost.sentence, exchange, lost.keys, lost.otherwise);
    }
    boolean arrives =
        (way.state() == State.OWN || way.state() == State.KNOWN)
            && way.targets().stream().allMatch(Target::keeps)
            && (!way.cycle() || dead.atLeastOnce())
            && (!way.mayBeRefused() || waitsSafely());
    String reasons = keptOn();
    if (kept != Kept.NONE && arrives && !reasons.isEmpty()) {
      cannot(
          ClaimId.DEAD_LETTERS_KEPT,
          "%s that dies for one of the reasons %s is not lost on its way to %s%s%s."
              .formatted(
                  kept == Kept.ALL && way.keepsAll() ? "A message" : "A persistent message",
                  reasons,
                  way.names(),
                  way.targets().size() > 1
                      ? ", one of them at least, unless more than 1000 copies would come of it"
                      : "",
                  way.mayBeRefused() ? ": while these are full it waits" : ""),
          exchange + ", " + value(PolicyKey.DEAD_LETTER_REFUSED));
    }
    boolean far = way.targets().stream().anyMatch(target -> !target.near());
    if (kept != Kept.NONE && far) {
      can(
          ClaimId.DEAD_LETTER_TWICE,
          "A dead letter can be in %s, and its message in this queue again, if they are not in one shard."
              .formatted(way.names()),
          exchange,
          "have dead-letter-queue = auto in place of a dead-letter-exchange: it is in the same shard");
    }
  }

  /**
   * Returns the reasons for which a message waits until another queue has it: not if it was never
   * in this one, or this one is deleted.
   */
  private String keptOn() {
    return dead.on().stream()
        .filter(DeadLetterSettings.ON_DEFAULT::contains)
        .filter(
            reason ->
                reason != DeathReason.MAXLEN
                    || settings.length().overflow() != Overflow.REJECT_PUBLISH_DLX)
        .sorted()
        .map(DeathReason::wireName)
        .collect(Collectors.joining(", "));
  }

  /** Whether what every queue refuses waits, and nothing takes it away. */
  private boolean waitsSafely() {
    boolean dropsWaiting =
        settings.length().isLimited() && settings.length().overflow() == Overflow.DROP_HEAD;
    return (dead.keepsRefused() || dead.atLeastOnce()) && !dropsWaiting;
  }

  /**
   * How dead letters may be lost.
   *
   * @param keys what a policy might change about it
   * @param otherwise what would, if no policy does
   */
  private record Lost(String sentence, Map<PolicyKey, Object> keys, String otherwise) {}

  /** Returns how dead letters may be lost; null if they may not. */
  private Lost lostDeadLetters() {
    if (dead.exchange() == null) {
      return way.state() == State.MISSING
          ? new Lost(
              "Dead letters are dropped: another queue has the name of its dead letter queue.",
              Map.of(),
              "delete that other queue, and set the policy again")
          : null;
    }
    boolean waits = dead.atLeastOnce();
    Map<PolicyKey, Object> atLeastOnce =
        settings.type() == QueueType.QUORUM
            ? keys(
                PolicyKey.DEAD_LETTER_STRATEGY,
                "at-least-once",
                PolicyKey.OVERFLOW,
                Overflow.REJECT_PUBLISH.wireName())
            : Map.of();
    List<Target> forgetful = way.targets().stream().filter(target -> !target.keeps()).toList();
    if (way.state() == State.MISSING && !waits) {
      return new Lost(
          "Dead letters are dropped: the exchange '%s' does not exist.".formatted(dead.exchange()),
          atLeastOnce,
          "declare the exchange");
    } else if (way.state() == State.UNROUTABLE && !waits) {
      return new Lost(
          "Dead letters are dropped: no binding of the exchange '%s' takes them."
              .formatted(dead.exchange()),
          atLeastOnce,
          "bind a queue to it by the routing key of dead letters");
    } else if (!forgetful.isEmpty()) {
      return new Lost(
          "Dead letters are lost when the broker ends: the queue '%s' is not durable."
              .formatted(forgetful.get(0).name()),
          Map.of(),
          "declare that queue durable");
    } else if (way.cycle() && !waits) {
      return new Lost(
          "Dead letters are dropped if they come back to a queue that they died in and no consumer"
              + " rejected them in between.",
          atLeastOnce,
          "send them to a queue that does not lead back");
    } else if (way.mayBeRefused() && !waitsSafely()) {
      return new Lost(
          "Dead letters are dropped while the queues that they go to, %s, are full."
              .formatted(way.names()),
          dead.keepsRefused() || waits
              ? keys(PolicyKey.OVERFLOW, Overflow.REJECT_PUBLISH.wireName())
              : keys(PolicyKey.DEAD_LETTER_REFUSED, "wait"),
          "consume these queues, or let them have no limit");
    } else if (waits) {
      return null;
    }
    return new Lost(
        dropped(way, dead.exchange()),
        atLeastOnce,
        "have dead-letter-queue = auto in place of a dead-letter-exchange: it goes with this queue"
            + " only");
  }

  private static String dropped(DeadLetterWay way, String exchange) {
    boolean byMessage = way.state() == State.BY_MESSAGE;
    if (exchange.isEmpty()) {
      return byMessage
          ? "Dead letters are dropped if no queue has the name of their routing key."
          : "Dead letters are dropped once the queue that they go to, %s, is deleted."
              .formatted(way.names());
    }
    return byMessage
        ? "Dead letters are dropped if no binding of the exchange '%s' takes their routing key."
            .formatted(exchange)
        : "Dead letters are dropped once the exchange '%s' or its bindings are deleted."
            .formatted(exchange);
  }

  // Late

  private void late() {
    held();
    if (kept != Kept.NONE) {
      int down = around.members() - around.members() / 2;
      boolean one = around.members() == 1;
      can(
          ClaimId.NODE_DOWN_LATE,
          one
              ? "While its node is down its messages wait."
              : "While %d of its %d nodes are down its messages wait."
                  .formatted(down, around.members()),
          members(),
          around.members() > 2
              ? "mayflyctl grow_to_count %d all".formatted(around.members() + 2)
              : one
                  ? around.nodes() > 1
                      ? convert()
                      : "join a cluster of three nodes, and " + convert()
                  : "mayflyctl grow_to_count 3 all");
    }
    RetrySettings retry = settings.deliveries().retry();
    if (retry.appliesTo(true) || retry.appliesTo(false)) {
      can(
          ClaimId.RETRY_LATE,
          "A message that is returned waits for its retry, and later ones overtake it.",
          value(PolicyKey.DELAYED_RETRY_TYPE),
          keys(PolicyKey.DELAYED_RETRY_TYPE, "disabled"),
          "declare it without x-delayed-retry-type");
    }
    if (settings.expiry().deliverAtHeader() != null) {
      can(
          ClaimId.SCHEDULED_LATE,
          "A message whose header %s has a later time waits for that, and others overtake it."
              .formatted(settings.expiry().deliverAtHeader()),
          value(PolicyKey.DELIVER_AT_HEADER),
          "publish it without that header");
    }
    PaceSettings pace = settings.pace();
    if (pace.pausesDeliveries()) {
      can(
          ClaimId.PAUSED_LATE,
          pace.stopsTtl()
              ? "Its messages wait until it is resumed, and their TTL stands still meanwhile."
              : "Its messages wait until it is resumed, and expire meanwhile.",
          pace.stopsTtl()
              ? value(PolicyKey.PAUSE) + ", " + value(PolicyKey.PAUSE_TTL)
              : value(PolicyKey.PAUSE),
          "mayflyctl resume_queue %s%s".formatted(vhostOption(), quotedName()));
    }
    if (settings.length().blocks()) {
      can(
          ClaimId.BLOCKED_LATE,
          "While it is full its publishers wait, and their confirms come up to %d ms later."
              .formatted(settings.length().blockMillis()),
          value(PolicyKey.OVERFLOW) + ", " + value(PolicyKey.BLOCK_TIMEOUT),
          keys(PolicyKey.OVERFLOW, Overflow.REJECT_PUBLISH.wireName()),
          "more consumers, or a higher limit");
    }
    if (pace.deliveries() != null) {
      can(
          ClaimId.RATE_LATE,
          "All consumers together get %d messages a second at most; others wait."
              .formatted(pace.deliveries().perSecond()),
          value(PolicyKey.DELIVERY_RATE),
          "a higher delivery-rate");
    }
    String ttl = mayExpire();
    if (ttl != null) {
      cannot(
          ClaimId.EXPIRED_NOT_DELIVERED,
          "No message is handed out after its deadline%s."
              .formatted(around.nodes() > 1 ? ", but to consumers without acknowledgements" : ""),
          ttl + ", " + value(PolicyKey.EXPIRY_MODE));
    }
  }

  private void held() {
    TimeoutAction action = settings.deliveries().timeoutAction();
    long own = settings.deliveries().timeoutMillis();
    long millis = own == NONE ? around.consumerTimeoutMillis() : own;
    boolean unlimited = action == TimeoutAction.NONE || millis == 0;
    String from =
        effective.value(PolicyKey.LOCK_DURATION).isPresent()
            ? value(PolicyKey.LOCK_DURATION)
            : own != NONE
                ? value(PolicyKey.CONSUMER_TIMEOUT)
                : "consumer_timeout = %d (configuration)".formatted(millis);
    long renewals = settings.deliveries().renewalsMax();
    String longer =
        renewals == 0
            ? ""
            : ", or longer if its client renews that"
                + (renewals == NONE ? "" : ", %d times at most".formatted(renewals));
    String after =
        switch (action) {
          case CLOSE_CHANNEL -> "until its channel is closed after %d ms";
          case CANCEL -> "until it is cancelled after %d ms";
          case REQUEUE -> "until its lock ends after %d ms";
          case DEAD_LETTER -> "until the message is taken from it after %d ms, and dies";
          case NONE -> "";
        };
    can(
        ClaimId.HELD_LATE,
        "A message waits with a consumer that does not acknowledge it, %s."
            .formatted(
                unlimited ? "as long as that is connected" : after.formatted(millis) + longer),
        renewals == NONE || unlimited ? from : from + ", " + value(PolicyKey.LOCK_RENEWALS_MAX),
        unlimited || millis > LOCK_MILLIS ? keys(PolicyKey.LOCK_DURATION, LOCK_MILLIS) : Map.of(),
        "a lower lock-duration");
  }

  // Order

  private void order() {
    RetrySettings retry = settings.deliveries().retry();
    boolean waits = retry.appliesTo(true) || retry.appliesTo(false);
    boolean oneByOne = settings.deliveries().unackedMax() == 1;
    if (!oneByOne) {
      can(
          ClaimId.RETURNED_OVERTAKEN,
          settings.singleActiveConsumer()
              ? "A message that is returned comes again behind later ones that its consumer has already."
              : "A message that is returned comes again behind later ones that consumers have already;"
                  + " and of several consumers one may be done with a later message first.",
          value(PolicyKey.MAX_UNACKED),
          keys(PolicyKey.MAX_UNACKED, 1L),
          "consume with one consumer and basic.qos 1");
    }
    String fairBy = settings.deliveries().fairBy();
    String ofPriority =
        (settings.hasPriorities() ? " of one priority" : "")
            + (fairBy == null
                ? ""
                : (settings.hasPriorities() ? " and" : " of")
                    + " one value of the header %s".formatted(fairBy));
    if (fairBy != null) {
      can(
          ClaimId.SHARES_OVERTAKE,
          "A message comes before older ones with another value of the header %s: values take turns."
              .formatted(fairBy),
          value(PolicyKey.FAIR_BY),
          "take fair-by out of the policy or the arguments");
    }
    if (settings.hasPriorities()) {
      can(
          ClaimId.PRIORITIES_OVERTAKE,
          "A message of a higher priority comes first; as long as such arrive, one of a lower priority"
              + " waits.",
          settings.type() == QueueType.QUORUM
              ? "type quorum"
              : "x-max-priority = %d (argument)".formatted(settings.maxPriority()),
          "publish with one priority");
    }
    cannot(
        ClaimId.ORDER_KEPT,
        oneByOne && !waits
            ? "Consumers get messages%s one at a time in the order in which they arrived: each until it is settled."
                .formatted(ofPriority)
            : "Messages%s that were not returned leave the queue in the order in which they arrived."
                .formatted(ofPriority),
        value(PolicyKey.MAX_UNACKED)
            + ", "
            + value(PolicyKey.DELAYED_RETRY_TYPE)
            + (fairBy == null ? "" : ", " + value(PolicyKey.FAIR_BY)));
  }

  // Twice

  private void twice() {
    long limit = settings.deliveries().limit();
    Map<PolicyKey, Object> keys = deadLetters(DeathReason.DELIVERY_LIMIT);
    keys.put(PolicyKey.DELIVERY_LIMIT, DELIVERY_LIMIT);
    can(
        ClaimId.REDELIVERED,
        "A message that was handed out, and whose acknowledgement the broker does not have, comes again,"
            + " marked as redelivered%s."
                .formatted(
                    limit == NONE
                        ? ", any number of times"
                        : ", until more than %d of its deliveries have failed".formatted(limit)),
        limit == NONE ? "no delivery-limit" : value(PolicyKey.DELIVERY_LIMIT),
        limit == NONE ? keys : Map.of(),
        "have consumers expect messages twice");
    can(
        ClaimId.PUBLISHED_AGAIN,
        "A message that is published again is there twice: the broker does not compare messages.",
        FROM_PUBLISHER + "publishing again",
        "have consumers tell messages apart by message_id");
    if (kept != Kept.NONE) {
      cannot(
          ClaimId.SETTLED_GONE,
          "A message that was acknowledged more than a second before does not come again, also not after"
              + " kill -9%s.".formatted(around.forces() ? " or a loss of power" : ""),
          "durability.sync = %s (configuration)".formatted(around.forces() ? "always" : "never"));
    }
  }

  // Sentences and changes

  private void cannot(ClaimId id, String sentence, String from) {
    claims.add(new Claim(id, sentence, from, null));
  }

  private void can(ClaimId id, String sentence, String from, String change) {
    claims.add(new Claim(id, sentence, from, change));
  }

  /**
   * Adds a claim that a policy may change.
   *
   * @param keys what it would set; empty if there is none
   * @param otherwise what would change the claim if no policy does, as other settings have
   *     precedence
   */
  private void can(
      ClaimId id, String sentence, String from, Map<PolicyKey, Object> keys, String otherwise) {
    String command = tries && !keys.isEmpty() ? byPolicy(id, sentence, keys) : null;
    String words = keys.isEmpty() || facts.takesPolicies() ? otherwise : OF_AUTO_QUEUES;
    claims.add(new Claim(id, sentence, from, command == null ? words : command));
  }

  private static Map<PolicyKey, Object> keys(PolicyKey key, Object value) {
    return Map.of(key, value);
  }

  private static Map<PolicyKey, Object> keys(
      PolicyKey key, Object value, PolicyKey other, Object otherValue) {
    Map<PolicyKey, Object> keys = new LinkedHashMap<>();
    keys.put(key, value);
    keys.put(other, otherValue);
    return keys;
  }

  /** Returns the command that sets a policy by which the claim does not hold as it does now. */
  private String byPolicy(ClaimId id, String sentence, Map<PolicyKey, Object> keys) {
    try {
      PolicyChange change = PolicyChange.of(facts, effective, keys);
      boolean stays =
          new QueueProof(facts.with(change.policy()), false)
              .claims().stream()
                  .anyMatch(claim -> claim.id() == id && claim.sentence().equals(sentence));
      return stays ? null : change.command();
    } catch (PolicyException e) {
      return null; // The name of the queue is too long for a pattern.
    }
  }

  private String vhostOption() {
    return facts.vhost().equals("/") ? "" : "--vhost " + PolicyChange.quoted(facts.vhost()) + " ";
  }

  private String quotedName() {
    return PolicyChange.quoted(facts.definition().name());
  }

  /** Returns a setting with its value and where it comes from. */
  private String value(PolicyKey key) {
    EffectiveValue value = effective.value(key).orElse(null);
    if (value == null) {
      return key.byDefault() == null
          ? "no " + key.wireName()
          : "%s = %s (default)".formatted(key.wireName(), key.byDefault());
    }
    return "%s = %s (%s)"
        .formatted(
            key.wireName(),
            value.value() instanceof List<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(","))
                : value.value(),
            value.policy() == null
                ? value.origin().inWords()
                : "%s '%s'".formatted(value.origin().inWords(), value.policy()));
  }
}
