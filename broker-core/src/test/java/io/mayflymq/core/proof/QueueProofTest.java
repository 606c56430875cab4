package io.mayflymq.core.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.protocol.types.FieldTable;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueProofTest {
  private static final Pattern COMMAND =
      Pattern.compile(
          "mayflyctl set_policy (\\S+) (\\S+) '(\\{.*\\})' --apply-to (\\S+) --priority (-?\\d+)"
              + " --merge");
  private static final Pattern SETTING = Pattern.compile("\"([^\"]+)\":(\"([^\"]*)\"|[^,}]+)");

  private static List<ClaimId> ids(List<Claim> claims) {
    return claims.stream().map(Claim::id).toList();
  }

  private static Claim claim(List<Claim> claims, ClaimId id) {
    return claims.stream().filter(claim -> claim.id() == id).findFirst().orElseThrow();
  }

  private static QueueFacts declared(PolicyTable policies, FieldTable arguments) {
    return declared(policies, arguments, true);
  }

  private static QueueFacts declared(PolicyTable policies, FieldTable arguments, boolean durable) {
    QueueSettings settings = QueueArguments.parse(arguments, "q", "/").settings();
    return new QueueFacts(
        "/",
        new QueueDefinition("q", durable, false, false, arguments, settings),
        true,
        policies,
        any -> DeadLetterWay.NOWHERE,
        Surroundings.DEFAULT);
  }

  @Test
  void queueWithoutSettings() {
    assertThat(ClaimFacts.ids(QueueValues.NONE))
        .containsExactly(
            ClaimId.UNCONFIRMED_LOST,
            ClaimId.TRANSIENT_LOST,
            ClaimId.CONFIRMED_KEPT,
            ClaimId.DISK_LOST,
            ClaimId.EXPIRED_DROPPED,
            ClaimId.REJECTED_DROPPED,
            ClaimId.DELETED_LOST,
            ClaimId.POLICY_TAKES,
            ClaimId.NO_ACK_LOST,
            ClaimId.HELD_LATE,
            ClaimId.NODE_DOWN_LATE,
            ClaimId.EXPIRED_NOT_DELIVERED,
            ClaimId.RETURNED_OVERTAKEN,
            ClaimId.ORDER_KEPT,
            ClaimId.REDELIVERED,
            ClaimId.PUBLISHED_AGAIN,
            ClaimId.SETTLED_GONE);
  }

  /** Each setting that adds claims, or takes them away. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max-length | 5 | LIMIT_DROPS | RETRY_LATE",
        "expires | 100 | LEASE_DELETES | RETRY_LATE",
        "recoverable | 1h | DELETED_KEPT | RETRY_LATE",
        "recoverable-bytes | 1000 | DELETED_LOST | DELETED_KEPT",
        "deliver-at-header | at | SCHEDULED_LATE | RATE_LATE",
        "pause | both | PAUSED_LATE | RATE_LATE",
        "delivery-rate | 5 | RATE_LATE | PAUSED_LATE",
        "fair-by | tenant | SHARES_OVERTAKE | PRIORITIES_OVERTAKE",
        "max-unacked | 1 | ORDER_KEPT | RETURNED_OVERTAKEN",
        "message-ttl-mode | queue-only | REJECTED_DROPPED | EXPIRED_DROPPED",
        "delivery-limit | 3 | DELIVERY_LIMIT_DROPS | RETRY_LATE",
        "dead-letter-queue | auto | DEAD_LETTERS_KEPT | EXPIRED_DROPPED",
        "dead-letter-queue | auto | DEAD_LETTERS_KEPT | REJECTED_DROPPED",
        "dead-letter-queue | auto | DEAD_LETTERS_KEPT | POLICY_TAKES",
        "dead-letter-queue | auto | DEAD_LETTERS_KEPT | DEAD_LETTER_LOST",
        "dead-letter-exchange | dlx | DEAD_LETTER_LOST | REJECTED_DROPPED",
        "dead-letter-exchange | dlx | DEAD_LETTER_TWICE | REJECTED_DROPPED",
      })
  void settingsDecide(String key, String value, ClaimId there, ClaimId notThere) {
    PolicyKey policyKey = PolicyKey.ofWireName(key).orElseThrow();
    assertThat(ClaimFacts.ids(QueueValues.NONE.with(policyKey, policyKey.parse(value))))
        .contains(there)
        .doesNotContain(notThere);
  }

  @Test
  void originIsTold() {
    List<Claim> claims = ClaimFacts.claims(ClaimFacts.with(PolicyKey.MAX_LENGTH, 5L));
    assertThat(claim(claims, ClaimId.LIMIT_DROPS).from())
        .isEqualTo(
            "max-length = 5 (policy 'p'), overflow = drop-head (default); no dead-letter-exchange");
    assertThat(claim(claims, ClaimId.LIMIT_DROPS).change())
        .isEqualTo(
            "mayflyctl set_policy q-dead-letter-queue '^q$' '{\"dead-letter-queue\":\"auto\"}' --apply-to"
                + " classic_queues --priority 8 --merge");
  }

  @Test
  void whetherTimeStandsStillIsTold() {
    QueueValues paused = QueueValues.NONE.with(PolicyKey.PAUSE, "deliveries");
    assertThat(claim(ClaimFacts.claims(paused), ClaimId.PAUSED_LATE).sentence())
        .endsWith("and expire meanwhile.");
    Claim stopped =
        claim(ClaimFacts.claims(paused.with(PolicyKey.PAUSE_TTL, "stop")), ClaimId.PAUSED_LATE);
    assertThat(stopped.sentence()).endsWith("and their TTL stands still meanwhile.");
    assertThat(stopped.from()).contains("pause-ttl = stop");
  }

  @Test
  void deletionIsLostWithoutRecoverable() {
    Claim lost = claim(ClaimFacts.claims(QueueValues.NONE), ClaimId.DELETED_LOST);
    assertThat(lost.from())
        .isEqualTo("no recoverable; the declaration: durable = true, exclusive = false");
    assertThat(lost.change())
        .isEqualTo(
            "mayflyctl set_policy q-recoverable '^q$' '{\"recoverable\":\"1D\"}' --apply-to"
                + " classic_queues --priority 0 --merge");
    QueueValues recoverable = QueueValues.NONE.with(PolicyKey.RECOVERABLE, 3_600_000L);
    List<Claim> claims = ClaimFacts.claims(recoverable.with(PolicyKey.EXPIRES, 100L));
    assertThat(claim(claims, ClaimId.LEASE_DELETES).sentence())
        .endsWith("For 3600000 ms undelete_queue brings it back.");
    assertThat(claim(claims, ClaimId.DELETED_LOST).change()).isEqualTo("a longer recoverable");
    assertThat(claim(claims, ClaimId.DELETED_KEPT).sentence())
        .contains("no persistent message is lost, if they count 1073741824 bytes")
        .endsWith("mayflyctl undelete_queue q.");
    assertThat(
            ids(
                QueueProof.of(
                    declared(
                        PolicyTable.of(Defaults.NONE),
                        FieldTable.builder().put("x-recoverable", "1h").build(),
                        false))))
        .contains(ClaimId.DELETED_LOST)
        .doesNotContain(ClaimId.DELETED_KEPT);
  }

  @Test
  void renewalsOfALockAreCounted() {
    QueueValues locked = QueueValues.NONE.with(PolicyKey.LOCK_DURATION, 100L);
    Claim twice =
        claim(ClaimFacts.claims(locked.with(PolicyKey.LOCK_RENEWALS_MAX, 2L)), ClaimId.HELD_LATE);
    assertThat(twice.sentence())
        .endsWith(
            "until its lock ends after 100 ms, or longer if its client renews that, 2 times at most.");
    assertThat(twice.from()).contains("lock-duration = 100").contains("lock-renewals-max = 2");
    assertThat(
            claim(
                    ClaimFacts.claims(locked.with(PolicyKey.LOCK_RENEWALS_MAX, 0L)),
                    ClaimId.HELD_LATE)
                .sentence())
        .endsWith("until its lock ends after 100 ms.");
  }

  @Test
  void whatNoPolicyChangesIsToldInWords() {
    FieldTable arguments =
        FieldTable.builder().put("x-max-length", 5).put("x-overflow", "reject-publish").build();
    Claim refuses =
        claim(
            QueueProof.of(declared(PolicyTable.of(Defaults.NONE), arguments)),
            ClaimId.LIMIT_REFUSES);
    assertThat(refuses.from())
        .isEqualTo("max-length = 5 (argument), overflow = reject-publish (argument)");
    assertThat(refuses.change())
        .as("the argument has precedence")
        .isEqualTo("publish with confirms, and publish again what was refused");
  }

  @Test
  void deadLettersOfWhatWasNeverInTheQueueAreNotPromised() {
    QueueValues values =
        QueueValues.NONE
            .with(PolicyKey.DEAD_LETTER_QUEUE, "auto")
            .with(PolicyKey.MAX_LENGTH, 5L)
            .with(PolicyKey.OVERFLOW, Overflow.REJECT_PUBLISH_DLX.wireName());
    assertThat(claim(ClaimFacts.claims(values), ClaimId.DEAD_LETTERS_KEPT).sentence())
        .contains("the reasons rejected, expired, delivery_limit is not lost");
    assertThat(ClaimFacts.ids(values.with(PolicyKey.DEAD_LETTER_ON, "maxlen,queue_expired")))
        .doesNotContain(ClaimId.DEAD_LETTERS_KEPT);
  }

  @Test
  void noPolicyDropsWhatAnArgumentForbids() {
    FieldTable arguments =
        FieldTable.builder()
            .put("x-overflow", "reject-publish")
            .put("x-message-ttl-retroactive", false)
            .build();
    assertThat(ids(QueueProof.of(declared(PolicyTable.of(Defaults.NONE), arguments))))
        .doesNotContain(ClaimId.POLICY_TAKES);
  }

  @Test
  void surroundingsDecide() {
    QueueFacts quorum =
        ClaimFacts.facts(QueueValues.NONE.of(QueueType.QUORUM), new Surroundings(false, 0, 5, 3));
    List<Claim> claims = QueueProof.of(quorum);
    assertThat(ids(claims))
        .contains(ClaimId.POWER_LOSS, ClaimId.REPLICAS_KEEP, ClaimId.DELIVERY_LIMIT_DROPS)
        .doesNotContain(ClaimId.DISK_LOST, ClaimId.TRANSIENT_LOST);
    assertThat(claim(claims, ClaimId.REPLICAS_KEEP).sentence())
        .isEqualTo("Confirmed messages are not lost by the loss of 1 of its 3 nodes.");
    assertThat(claim(claims, ClaimId.NODE_DOWN_LATE).sentence())
        .isEqualTo("While 2 of its 3 nodes are down its messages wait.");
    assertThat(claim(claims, ClaimId.CONFIRMED_KEPT).sentence())
        .isEqualTo("Confirmed messages are not lost by a stop or by kill -9.");
    assertThat(claim(claims, ClaimId.HELD_LATE).sentence()).contains("as long as");
  }

  @Test
  void namesAreQuoted() {
    QueueDefinition definition =
        new QueueDefinition(
            "it's a.b", true, false, false, FieldTable.EMPTY, QueueSettings.DEFAULT);
    List<Claim> claims =
        QueueProof.of(
            new QueueFacts(
                "v w",
                definition,
                true,
                PolicyTable.of(Defaults.NONE),
                any -> DeadLetterWay.NOWHERE,
                Surroundings.DEFAULT));
    assertThat(claim(claims, ClaimId.REJECTED_DROPPED).change())
        .startsWith(
            "mayflyctl set_policy --vhost 'v w' 'it'\\''s a.b-dead-letter-queue' '^it'\\''s a\\.b$' ");
  }

  /** What is offered as a change does change the claim, and others do not contradict each other. */
  @Property(tries = 500)
  void changesChangeTheirClaims(@ForAll long seed) {
    Random random = new Random(seed);
    QueueValues values = any(random);
    QueueFacts facts = ClaimFacts.facts(values, new Surroundings(random.nextBoolean(), 1000, 3, 1));
    List<Claim> claims = QueueProof.of(facts);
    assertThat(new HashSet<>(ids(claims))).hasSameSizeAs(claims);
    for (Claim claim : claims) {
      assertThat(claim.change() != null).as("%s", claim).isEqualTo(claim.id().can());
      assertThat(claim.sentence()).endsWith(".");
      Matcher command = COMMAND.matcher(String.valueOf(claim.change()));
      if (command.matches()) {
        assertThat(QueueProof.of(facts.with(policy(command))))
            .noneMatch(
                other -> other.id() == claim.id() && other.sentence().equals(claim.sentence()));
      } else {
        assertThat(String.valueOf(claim.change())).as("%s", claim).doesNotContain("set_policy");
      }
    }
  }

  private static Policy policy(Matcher command) {
    Map<String, Object> definition = new LinkedHashMap<>();
    Matcher setting = SETTING.matcher(command.group(3));
    while (setting.find()) {
      String text = setting.group(3) == null ? setting.group(2) : setting.group(3);
      PolicyKey key = PolicyKey.ofWireName(setting.group(1)).orElseThrow();
      definition.put(key.wireName(), setting.group(3) == null ? key.parse(text) : text);
    }
    return Policy.of(
            PolicyKind.POLICY,
            command.group(1),
            command.group(2).replace("'", ""),
            command.group(4),
            Integer.parseInt(command.group(5)),
            definition)
        .merging(true);
  }

  private static QueueValues any(Random random) {
    QueueValues values = QueueValues.NONE;
    if (random.nextBoolean()) {
      values = values.of(QueueType.QUORUM);
      if (random.nextInt(3) == 0) {
        values = values.with(PolicyKey.DEAD_LETTER_STRATEGY, "at-least-once");
      }
    } else if (random.nextBoolean()) {
      values = values.withMaxPriority(3);
    }
    Object[][] choices = {
      {PolicyKey.MESSAGE_TTL, 100L},
      {PolicyKey.MESSAGE_TTL_RETROACTIVE, false},
      {PolicyKey.MESSAGE_TTL_MODE, "queue-only"},
      {PolicyKey.EXPIRES, 100L},
      {PolicyKey.EXPIRES_ACTION, "dead-letter"},
      {PolicyKey.RECOVERABLE, 1_000L},
      {PolicyKey.RECOVERABLE_BYTES, 5_000L},
      {PolicyKey.MAX_LENGTH, 5L},
      {PolicyKey.MAX_LENGTH_BYTES, 5L},
      {PolicyKey.OVERFLOW, Overflow.REJECT_PUBLISH.wireName()},
      {PolicyKey.OVERFLOW, Overflow.REJECT_PUBLISH_DLX.wireName()},
      {PolicyKey.DEAD_LETTER_EXCHANGE, "dlx"},
      {PolicyKey.DEAD_LETTER_QUEUE, "auto"},
      {PolicyKey.DEAD_LETTER_ON, "expired"},
      {PolicyKey.DEAD_LETTER_REFUSED, "drop"},
      {PolicyKey.DELIVERY_LIMIT, 3L},
      {PolicyKey.DELAYED_RETRY_MIN, 10L},
      {PolicyKey.MAX_UNACKED, 1L},
      {PolicyKey.FAIR_BY, "tenant"},
      {PolicyKey.LOCK_DURATION, 100L},
      {PolicyKey.LOCK_RENEWALS_MAX, 2L},
      {PolicyKey.CONSUMER_TIMEOUT, 0L},
      {PolicyKey.CONSUMER_TIMEOUT_ACTION, "dead-letter"},
    };
    for (Object[] choice : choices) {
      if (random.nextInt(3) == 0) {
        values = values.with((PolicyKey) choice[0], choice[1]);
      }
    }
    if (values.keys().containsKey(PolicyKey.DELAYED_RETRY_MIN)) {
      values = values.with(PolicyKey.DELAYED_RETRY_TYPE, "all");
    }
    return values;
  }
}
