package io.mayflymq.core.policy;

import static io.mayflymq.core.policy.PolicyKeyRow.row;
import static io.mayflymq.core.policy.QueueType.CLASSIC;
import static io.mayflymq.core.policy.QueueType.QUORUM;
import static io.mayflymq.core.policy.QueueType.STREAM;
import static io.mayflymq.core.policy.ValueValidator.bool;
import static io.mayflymq.core.policy.ValueValidator.integer;
import static io.mayflymq.core.policy.ValueValidator.matching;
import static io.mayflymq.core.policy.ValueValidator.nonEmpty;
import static io.mayflymq.core.policy.ValueValidator.numbers;
import static io.mayflymq.core.policy.ValueValidator.oneOf;
import static io.mayflymq.core.policy.ValueValidator.someOf;
import static io.mayflymq.core.policy.ValueValidator.text;
import static io.mayflymq.core.policy.ValueValidator.time;
import static io.mayflymq.core.policy.ValueValidator.wordFor;

import io.mayflymq.core.message.DeathReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Every key that the definition of a policy may have, in alphabetical order: its values, whether an
 * operator policy may set it, which types of queue support it, how it is merged. A new key is a
 * row.
 *
 * <p>A key that a type of queue does not support excludes queues of that type from the whole
 * policy, as in RabbitMQ. A key that is {@linkplain #hasEffect without effect} is accepted, shown
 * and exported, so that definitions of other brokers can be imported; it does nothing.
 *
 * <p>Source: RabbitMQ 3.13 {@code rabbit_policies}, {@code rabbit_policy} and {@code
 * rabbit_mirror_queue_misc}, and what 4.x added.
 */
public enum PolicyKey {
  ALTERNATE_EXCHANGE(
      row("alternate-exchange", text("is not a valid alternate exchange name"))
          .doc("a name")
          .ofExchanges("alternate-exchange")),
  /** MayflyMQ's own: how long a binding may stay unused, in ms. */
  BINDING_EXPIRES(
      row("binding-expires", integer(1, Long.MAX_VALUE, "is not a valid binding expiry"))
          .doc("ms, 1 or more: [leases](queue-leases.md#exchanges-and-bindings)")
          .ofExchanges("x-binding-expires")
          .of(CLASSIC, QUORUM)
          .extension()),
  /** MayflyMQ's own: how long publishers wait at the length limit. */
  BLOCK_TIMEOUT(
      row("block-timeout", time("is not a time such as 30000 (ms) or 30s"))
          .doc(
              "ms, 1 or more, or as in `30s` (`Y`, `M`, `D`, `h`, `m`, `s`): how long publishers"
                  + " wait with `overflow` [`block`](length-limits.md#publishers-that-wait)")
          .byDefault(30_000L)
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  CONSUMER_DISCONNECTED_TIMEOUT(
      row(
              "consumer-disconnected-timeout",
              integer(0, Long.MAX_VALUE, "is not a valid consumer disconnected timeout"))
          .doc(
              "ms, 0 or more: [when the node of a consumer is"
                  + " gone](consumers.md#when-the-node-of-a-consumer-is-gone); for quorum queues")
          .withArgument(Merge.LOWEST)),
  /** MayflyMQ's own: the most that a consumer may have unacknowledged. */
  CONSUMER_PREFETCH_MAX(
      row(
              "consumer-prefetch-max",
              integer(1, Integer.MAX_VALUE, "is not a valid consumer prefetch limit"))
          .doc(
              "messages, 1 or more: [the most that each consumer may have"
                  + " unacknowledged](consumers.md#limits-of-a-queue)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  CONSUMER_TIMEOUT(
      row("consumer-timeout", integer(0, Long.MAX_VALUE, "is not a valid consumer timeout"))
          .doc(
              "ms, 0 or more: [how long a delivery may stay"
                  + " unacknowledged](consumers.md#acknowledgement-timeout)")
          .withArgument(Merge.LOWEST)),
  /** MayflyMQ's own; see {@link TimeoutAction}. */
  CONSUMER_TIMEOUT_ACTION(
      row("consumer-timeout-action", wordFor(TimeoutAction.class))
          .doc(
              "`close-channel`, `cancel`, `requeue`, `dead-letter`, `none`:"
                  + " [locks](consumers.md#other-timeout-actions)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  DEAD_LETTER_EXCHANGE(
      row("dead-letter-exchange", text("is not a valid dead letter exchange name"))
          .doc("a name, may be empty: [where dead messages go](dead-lettering.md)")
          .of(CLASSIC, QUORUM)),
  /** MayflyMQ's own: which headers dead letters get. */
  DEAD_LETTER_HEADERS(
      row("dead-letter-headers", someOf(List.of("x-death", "service-bus")))
          .doc("`x-death`, `x-death,service-bus`: the headers of dead letters")
          .byDefault("x-death")
          .of(CLASSIC, QUORUM)
          .extension()),
  /** MayflyMQ's own: which deaths make dead letters. */
  DEAD_LETTER_ON(
      row(
              "dead-letter-on",
              someOf(Arrays.stream(DeathReason.values()).map(DeathReason::wireName).toList()))
          .doc(
              "comma-separated reasons, or `none`: [which reasons are"
                  + " dead-lettered](dead-lettering.md#which-reasons-are-dead-lettered)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: whether the queue has a dead letter queue of its own. */
  DEAD_LETTER_QUEUE(
      row("dead-letter-queue", oneOf("is not one of: none, auto", "none", "auto"))
          .doc(
              "`none`, `auto`: [an automatic dead letter"
                  + " queue](dead-lettering.md#automatic-dead-letter-queue)")
          .byDefault("none")
          .of(CLASSIC, QUORUM)
          .extension()),
  /** MayflyMQ's own: what becomes of a dead letter that no queue takes. */
  DEAD_LETTER_REFUSED(
      row("dead-letter-refused", oneOf("is not one of: wait, drop", "wait", "drop"))
          .doc(
              "`wait`, `drop`: [dead letters that no queue"
                  + " takes](dead-lettering.md#dead-letters-that-no-queue-takes)")
          .byDefault("wait")
          .of(CLASSIC, QUORUM)
          .extension()),
  DEAD_LETTER_ROUTING_KEY(
      row("dead-letter-routing-key", text("is not a valid dead letter routing key"))
          .doc("a routing key for all of them")
          .of(CLASSIC, QUORUM)),
  /** MayflyMQ's own, as all that begin so: the routing key after certain deaths. */
  DEAD_LETTER_ROUTING_KEY_DELIVERY_LIMIT(
      row("dead-letter-routing-key-delivery-limit", routingKey())
          .doc("a routing key for the reason `delivery_limit`")
          .of(CLASSIC, QUORUM)
          .extension()),
  DEAD_LETTER_ROUTING_KEY_EXPIRED(
      row("dead-letter-routing-key-expired", routingKey())
          .doc("a routing key for the reason `expired`")
          .of(CLASSIC, QUORUM)
          .extension()),
  DEAD_LETTER_ROUTING_KEY_MAXLEN(
      row("dead-letter-routing-key-maxlen", routingKey())
          .doc("a routing key for the reason `maxlen`")
          .of(CLASSIC, QUORUM)
          .extension()),
  DEAD_LETTER_ROUTING_KEY_QUEUE_DELETED(
      row("dead-letter-routing-key-queue-deleted", routingKey())
          .doc("a routing key for the reason `queue_deleted`")
          .of(CLASSIC, QUORUM)
          .extension()),
  DEAD_LETTER_ROUTING_KEY_QUEUE_EXPIRED(
      row("dead-letter-routing-key-queue-expired", routingKey())
          .doc("a routing key for the reason `queue_expired`")
          .of(CLASSIC, QUORUM)
          .extension()),
  DEAD_LETTER_ROUTING_KEY_REJECTED(
      row("dead-letter-routing-key-rejected", routingKey())
          .doc("a routing key for the reason `rejected`")
          .of(CLASSIC, QUORUM)
          .extension()),
  DEAD_LETTER_STRATEGY(
      row(
              "dead-letter-strategy",
              oneOf("is not a valid dead letter strategy", "at-most-once", "at-least-once"))
          .doc("`at-most-once`, `at-least-once`: [at least once](quorum-queues.md#at-least-once)")
          .of(QUORUM)),
  /** MayflyMQ's own: a header that has the deadline of a message. */
  DEADLINE_HEADER(
      row("deadline-header", nonEmpty("is not a valid name of a header"))
          .doc("a name, such as `x-deadline`: [the header with a deadline](deadlines.md)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: who is told of messages whose deadline is over. */
  DEADLINE_NOTIFY(
      row("deadline-notify", nonEmpty("is not a valid name of an exchange"))
          .doc("`reply-to`, or an exchange: [who is told](deadlines.md#who-is-told)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: whether a reply has the deadline of its request. */
  DEADLINE_REPLIES(
      row("deadline-replies", bool("is not true or false: deadline-replies"))
          .doc(
              "`true`, `false`: [replies have the deadline of their request](deadlines.md#replies)")
          .byDefault(false)
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own; see {@link Backoff}. */
  DELAYED_RETRY_BACKOFF(
      row("delayed-retry-backoff", wordFor(Backoff.class))
          .doc("`linear`, `exponential`: see [retry](retry.md)")
          .byDefault("linear")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: how long a message waits after each return, in ms. */
  DELAYED_RETRY_DELAYS(
      row("delayed-retry-delays", numbers("is not a list of delays in ms: 1000,5000,60000"))
          .doc("a list of ms: see [retry](retry.md)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: by how much the wait varies by chance, in percent. */
  DELAYED_RETRY_JITTER(
      row("delayed-retry-jitter", integer(0, 100, "is not a percentage from 0 to 100"))
          .doc("0 to 100 percent: see [retry](retry.md)")
          .byDefault(0L)
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  DELAYED_RETRY_MAX(
      row(
              "delayed-retry-max",
              integer(
                  1,
                  Long.MAX_VALUE,
                  "is not a valid delayed retry maximum delay. Must be a positive integer"))
          .doc("ms, 1 or more: see [retry](retry.md)")
          .of(CLASSIC, QUORUM)
          .newArgument()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)),
  DELAYED_RETRY_MIN(
      row(
              "delayed-retry-min",
              integer(
                  1,
                  Long.MAX_VALUE,
                  "is not a valid delayed retry minimum delay. Must be a positive integer"))
          .doc("ms, 1 or more: see [retry](retry.md)")
          .of(CLASSIC, QUORUM)
          .newArgument()
          .forOperators()
          .withOperatorPolicy(Merge.HIGHEST)),
  DELAYED_RETRY_TYPE(
      row(
              "delayed-retry-type",
              oneOf(
                  "is not a valid delayed retry type. Must be one of: all, failed, returned,"
                      + " disabled",
                  "all",
                  "failed",
                  "returned",
                  "disabled"))
          .doc("`all`, `failed`, `returned`, `disabled`: [which messages wait](retry.md)")
          .byDefault("disabled")
          .of(CLASSIC, QUORUM)
          .newArgument()
          .forOperators()
          .overArgumentOfQuorumQueues()),
  /** MayflyMQ's own: a header that has the time from which a message is handed out. */
  DELIVER_AT_HEADER(
      row("deliver-at-header", nonEmpty("is not a valid name of a header"))
          .doc(
              "a name, such as `x-deliver-at`: [the header with a time to"
                  + " deliver](scheduled-messages.md#in-any-queue)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: how many messages may be handed out at once. */
  DELIVERY_BURST(
      row(
              "delivery-burst",
              integer(1, Integer.MAX_VALUE, "is not a valid number of deliveries at once"))
          .doc(
              "messages, 1 or more: [how many of `delivery-rate` leave at"
                  + " once](consumers.md#rates-of-a-queue)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  DELIVERY_LIMIT(
      row(
              "delivery-limit",
              integer(Long.MIN_VALUE, Long.MAX_VALUE, "is not a valid delivery limit"))
          .doc(
              "a number; a negative one is no limit. For classic queues by"
                  + " [`apply-to`](dead-lettering.md#delivery-limit)")
          .of(QUORUM)
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST_LIMIT)
          .withArgument(Merge.LOWEST_LIMIT)),
  /** MayflyMQ's own: how many messages are handed out within a second. */
  DELIVERY_RATE(
      row("delivery-rate", integer(1, Integer.MAX_VALUE, "is not a valid rate of deliveries"))
          .doc(
              "messages a second, 1 or more: [how many consumers get within any"
                  + " second](consumers.md#rates-of-a-queue)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  /** MayflyMQ's own: how long an exchange may stay unused, in ms. */
  EXCHANGE_EXPIRES(
      row("exchange-expires", integer(1, Long.MAX_VALUE, "is not a valid exchange expiry"))
          .doc("ms, 1 or more: [leases](queue-leases.md#exchanges-and-bindings)")
          .ofExchanges("x-expires")
          .of(CLASSIC, QUORUM)
          .extension()),
  EXPIRES(
      row("expires", integer(1, Long.MAX_VALUE, "is not a valid queue expiry"))
          .doc("ms, 1 or more: [how long the queue may stay unused](queue-leases.md)")
          .of(CLASSIC, QUORUM)
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  /** MayflyMQ's own: what becomes of the messages of a queue that expires. */
  EXPIRES_ACTION(
      row("expires-action", oneOf("is not one of: drop, dead-letter", "drop", "dead-letter"))
          .doc("`drop`, `dead-letter`: [what becomes of its messages](queue-leases.md#other-rules)")
          .byDefault("drop")
          .formerly("on-expire")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: what counts as use of a queue; see {@link LeaseUse}. */
  EXPIRES_ACTIVITY(
      row("expires-activity", someOf(leaseUses()))
          .doc("a list: [what counts as use](queue-leases.md#other-rules)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: whether a queue that holds messages may expire. */
  EXPIRES_CONDITION(
      row(
              "expires-condition",
              oneOf("is not one of: unused, unused-and-empty", "unused", "unused-and-empty"))
          .doc(
              "`unused`, `unused-and-empty`: [whether a queue with messages may"
                  + " expire](queue-leases.md#other-rules)")
          .byDefault("unused")
          .formerly("expires-if")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own; see {@link ExpiryMode}. */
  EXPIRY_MODE(
      row("expiry-mode", wordFor(ExpiryMode.class))
          .doc("`exact`, `head`, `lazy`: [when expired messages are removed](ttl.md#other-rules)")
          .byDefault("exact")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: a header whose values take turns. */
  FAIR_BY(
      row("fair-by", nonEmpty("is not a valid name of a header"))
          .doc(
              "a name, such as `tenant`: [the header whose values take turns](consumers.md#fair-shares)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  FEDERATION_UPSTREAM(
      row("federation-upstream", text("is not a valid federation upstream name"))
          .doc("the name of an upstream of [federation](federation.md); not for streams")
          .ofBoth()),
  FEDERATION_UPSTREAM_PATTERN(
      row("federation-upstream-pattern", text("is not a valid federation upstream pattern name"))
          .doc(
              "a regular expression for names of upstreams of [federation](federation.md); not for"
                  + " streams")
          .ofBoth()),
  FEDERATION_UPSTREAM_SET(
      row("federation-upstream-set", text("is not a valid federation upstream set name"))
          .doc(
              "the name of a set of upstreams of [federation](federation.md), or `all`; not for"
                  + " streams")
          .ofBoth()),
  HA_MODE(
      row("ha-mode", oneOf("is not a valid ha-mode value", "all", "exactly", "nodes"))
          .withoutEffect()
          .of(CLASSIC)
          .forOperators()
          .withOperatorPolicy(Merge.MORE_MIRRORS)),
  HA_PARAMS(
      row("ha-params", ValueValidator.HA_PARAMS)
          .withoutEffect()
          .of(CLASSIC)
          .forOperators()
          .withOperatorPolicy(Merge.MORE_MIRRORS)),
  HA_PROMOTE_ON_FAILURE(
      row(
              "ha-promote-on-failure",
              ValueValidator.oneOfTwo("ha-promote-on-failure", "always", "when-synced"))
          .withoutEffect()
          .of(CLASSIC)),
  HA_PROMOTE_ON_SHUTDOWN(
      row(
              "ha-promote-on-shutdown",
              ValueValidator.oneOfTwo("ha-promote-on-shutdown", "always", "when-synced"))
          .withoutEffect()
          .of(CLASSIC)),
  HA_SYNC_BATCH_SIZE(
      row("ha-sync-batch-size", ValueValidator.HA_SYNC_BATCH_SIZE).withoutEffect().of(CLASSIC)),
  HA_SYNC_MODE(
      row("ha-sync-mode", ValueValidator.oneOfTwo("ha-sync-mode", "manual", "automatic"))
          .withoutEffect()
          .of(CLASSIC)
          .forOperators()),
  INITIAL_CLUSTER_SIZE(
      row("initial-cluster-size", integer(0, Long.MAX_VALUE, "is not a valid cluster size"))
          .withoutEffect()
          .of(STREAM)),
  /** MayflyMQ's own: how long a delivery may stay unacknowledged until it returns, in ms. */
  LOCK_DURATION(
      row("lock-duration", integer(1, Long.MAX_VALUE, "is not a valid lock duration"))
          .doc("ms, 1 or more: `consumer-timeout` with `requeue`")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  /** MayflyMQ's own: how often the lock of a delivery may be renewed. */
  LOCK_RENEWALS_MAX(
      row(
              "lock-renewals-max",
              integer(0, Long.MAX_VALUE, "is not a valid number of renewals of a lock"))
          .doc(
              "0 or more: [how often the lock of a delivery may be"
                  + " renewed](consumers.md#renewing-a-lock)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  MAX_AGE(
      row("max-age", matching(MaxAge.PATTERN, "is not a valid max age"))
          .doc(
              "a number and one of `Y`, `M`, `D`, `h`, `m`, `s`: [how old messages may"
                  + " be](streams.md)")
          .of(STREAM)),
  MAX_IN_MEMORY_BYTES(
      row(
              "max-in-memory-bytes",
              integer(0, Long.MAX_VALUE, "is not a valid maximum memory in bytes"))
          .withoutEffect()
          .of(QUORUM)
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)),
  MAX_IN_MEMORY_LENGTH(
      row(
              "max-in-memory-length",
              integer(0, Long.MAX_VALUE, "is not a valid maximum memory in bytes"))
          .withoutEffect()
          .of(QUORUM)
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)),
  MAX_LENGTH(
      row("max-length", integer(0, Long.MAX_VALUE, "is not a valid maximum length"))
          .doc("messages, 0 or more: [the length limit](length-limits.md)")
          .of(CLASSIC, QUORUM)
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  MAX_LENGTH_BYTES(
      row("max-length-bytes", integer(0, Long.MAX_VALUE, "is not a valid maximum length in bytes"))
          .doc("bytes, 0 or more: the same of message bodies")
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  /** MayflyMQ's own: which message is dropped where a queue has priorities. */
  MAX_LENGTH_DROP(
      row(
              "max-length-drop",
              oneOf(
                  "is not one of: highest-priority, lowest-priority",
                  "highest-priority",
                  "lowest-priority"))
          .doc(
              "`highest-priority`, `lowest-priority`: [which message is"
                  + " dropped](length-limits.md#which-message-is-dropped)")
          .byDefault("highest-priority")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: which messages length limits count. */
  MAX_LENGTH_SCOPE(
      row("max-length-scope", oneOf("is not one of: ready, total", "ready", "total"))
          .doc(
              "`ready`, `total`: [which messages"
                  + " count](length-limits.md#counting-unacknowledged-messages)")
          .byDefault("ready")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: the most that all consumers together may have unacknowledged. */
  MAX_UNACKED(
      row(
              "max-unacked",
              integer(1, Long.MAX_VALUE, "is not a valid limit of unacknowledged messages"))
          .doc(
              "messages, 1 or more: [the most that all consumers together may have"
                  + " unacknowledged](consumers.md#limits-of-a-queue)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  MESSAGE_TTL(
      row("message-ttl", integer(0, Long.MAX_VALUE, "is not a valid message TTL"))
          .doc("ms, 0 or more: [how long messages may stay](ttl.md)")
          .of(CLASSIC, QUORUM)
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  /** MayflyMQ's own: what shorter times to live are raised to, in ms. */
  MESSAGE_TTL_FLOOR(
      row("message-ttl-floor", integer(0, Long.MAX_VALUE, "is not a valid message TTL floor"))
          .doc("ms, 0 or more: [shorter TTLs are raised to it](ttl.md#other-rules)")
          .byDefault(0L)
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.HIGHEST)
          .withArgument(Merge.HIGHEST)),
  /** MayflyMQ's own; see {@link TtlMode}. */
  MESSAGE_TTL_MODE(
      row("message-ttl-mode", wordFor(TtlMode.class))
          .doc("`min`, `message-first`, `queue-only`: [which TTL applies](ttl.md#other-rules)")
          .byDefault("min")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: whether another TTL also counts for messages that are in the queue already. */
  MESSAGE_TTL_RETROACTIVE(
      row("message-ttl-retroactive", bool("is not true or false: message-ttl-retroactive"))
          .doc(
              "`true`, `false`: [whether a change of TTL applies to messages that are"
                  + " there](#what-happens-when-a-policy-changes)")
          .byDefault(true)
          .of(CLASSIC, QUORUM)
          .extension()),
  /** MayflyMQ's own; see {@link OnMismatch}. */
  ON_MISMATCH(
      row("on-mismatch", OnMismatch::check)
          .doc(
              "`refuse`, `keep`, `adopt`, or a table of these by argument: [when a queue is declared"
                  + " again with other arguments](#when-a-declaration-differs)")
          .byDefault("refuse")
          .extension()
          .forOperators()
          .byPoliciesOnly()),
  OVERFLOW(
      row(
              "overflow",
              oneOf(
                  "is not a valid overflow value",
                  "drop-head",
                  "reject-publish",
                  "reject-publish-dlx",
                  "block"))
          .doc(
              "`drop-head`, `reject-publish`, `reject-publish-dlx`, `block`: [what happens at the"
                  + " limit](length-limits.md)")
          .byDefault("drop-head")
          .of(CLASSIC, QUORUM)
          .forOperators()
          .overArgumentOfQuorumQueues()),
  /** MayflyMQ's own: what waits while a queue is paused. */
  PAUSE(
      row("pause", wordFor(Pause.class))
          .doc(
              "`deliveries`, `publishing`, `both`: [what"
                  + " waits](consumers.md#pausing-a-queue); `pause_queue` sets it for one queue")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.BOTH_PAUSES)
          .byPoliciesOnly()),
  /** MayflyMQ's own: what becomes of the TTL while deliveries are paused. */
  PAUSE_TTL(
      row("pause-ttl", wordFor(PauseTtl.class))
          .doc(
              "`run`, `stop`: [whether TTL goes on while deliveries are"
                  + " paused](consumers.md#time-that-stands-still)")
          .byDefault("run")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .byPoliciesOnly()),
  /** MayflyMQ's own: how many messages may be published at once. */
  PUBLISH_BURST(
      row(
              "publish-burst",
              integer(1, Integer.MAX_VALUE, "is not a valid number of messages at once"))
          .doc(
              "messages, 1 or more: [how many of `publish-rate` may come at"
                  + " once](consumers.md#rates-of-a-queue)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  /** MayflyMQ's own: how many messages are published within a second. */
  PUBLISH_RATE(
      row("publish-rate", integer(1, Integer.MAX_VALUE, "is not a valid rate of publishers"))
          .doc(
              "messages a second, 1 or more: [to what publishers are"
                  + " slowed](consumers.md#rates-of-a-queue)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  QUEUE_LEADER_LOCATOR(
      row(
              "queue-leader-locator",
              oneOf(
                  "is not a valid queue leader locator value",
                  "client-local",
                  "balanced",
                  "random",
                  "least-leaders"))
          .doc(
              "`client-local`, `balanced`, `random`, `least-leaders`: [the node of a new"
                  + " queue](clustering.md#queues)")),
  QUEUE_MASTER_LOCATOR(
      row(
              "queue-master-locator",
              oneOf("invalid queue-master-locator value", "client-local", "min-masters", "random"))
          .doc("`client-local`, `min-masters`, `random`: the same")
          .of(CLASSIC)
          .forOperators()),
  QUEUE_MODE(
      row("queue-mode", oneOf("is not a valid queue-mode value", "default", "lazy"))
          .withoutEffect()
          .of(CLASSIC)),
  QUEUE_VERSION(
      row("queue-version", integer(1, 2, "is not a valid queue-version value"))
          .withoutEffect()
          .forOperators()),
  /** MayflyMQ's own: for how long what has left a queue can be brought back. */
  RECOVERABLE(
      row("recoverable", time("is not a valid time"))
          .doc(
              "ms, 1 or more, or as in `2h` (`Y`, `M`, `D`, `h`, `m`, `s`): [how long what has"
                  + " left the queue can be brought back](undo.md)")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: whether that holds for what was acknowledged. */
  RECOVERABLE_ACKED(
      row("recoverable-acked", bool("is not a boolean"))
          .doc("`true` or `false`: whether [acknowledged messages](undo.md), too")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()),
  /** MayflyMQ's own: how much can be brought back. */
  RECOVERABLE_BYTES(
      row("recoverable-bytes", integer(0, Long.MAX_VALUE, "is not a valid number of bytes"))
          .doc("bytes, 0 or more: [the most that is kept for that](undo.md), 1 GiB by default")
          .of(CLASSIC, QUORUM)
          .extension()
          .forOperators()
          .withOperatorPolicy(Merge.LOWEST)
          .withArgument(Merge.LOWEST)),
  STREAM_FILTER_SIZE_BYTES(
      row(
              "stream-filter-size-bytes",
              integer(16, 255, "is not a valid filter size. Valid range is 16-255"))
          .withoutEffect()),
  STREAM_MAX_SEGMENT_SIZE_BYTES(
      row(
              "stream-max-segment-size-bytes",
              integer(0, StreamSettings.MOST_SEGMENT_BYTES, "is not a valid segment size"))
          .doc("bytes: the size of a [segment](streams.md)")
          .of(STREAM)),
  TARGET_GROUP_SIZE(
      row("target-group-size", integer(1, Long.MAX_VALUE, "is not a valid qq target count value"))
          .doc("replicas, 1 or more: the [target size](quorum-queues.md#target-sizes)")
          .byArgument("x-quorum-target-group-size")
          .of(QUORUM)
          .forOperators()
          .withOperatorPolicy(Merge.HIGHEST)
          .withArgument(Merge.HIGHEST));

  private static final Map<String, PolicyKey> BY_NAME = byName();

  private static final List<PolicyKey> NEW_ARGUMENTS =
      Arrays.stream(values())
          .filter(key -> key.newArgument && key.byArgument && !key.ofExchanges)
          .toList();

  private static final Map<String, PolicyKey> QUEUE_ARGUMENTS = byArgument(false);

  private static final Map<String, PolicyKey> EXCHANGE_ARGUMENTS = byArgument(true);

  private final String wireName;
  private final String doc;
  private final String formerName;
  private final String argument;

  @SuppressWarnings("ImmutableEnumChecker") // a text, a Boolean or a Long
  private final Object byDefault;

  @SuppressWarnings("ImmutableEnumChecker") // rules keep no state
  private final ValueValidator values;

  private final boolean effect;
  private final boolean ofExchanges;
  private final boolean ofBoth;
  private final boolean byArgument;
  private final boolean extension;
  private final boolean newArgument;
  private final boolean forOperators;
  private final boolean overArgumentOfQuorumQueues;

  @SuppressWarnings("ImmutableEnumChecker") // nothing changes it
  private final Set<QueueType> types;

  private final Merge withOperatorPolicy;
  private final Merge withArgument;

  PolicyKey(PolicyKeyRow row) {
    this.wireName = row.name;
    this.doc = row.doc;
    this.formerName = row.formerName;
    this.argument = row.argument;
    this.byDefault = row.byDefault;
    this.values = row.values;
    this.effect = row.effect;
    this.ofExchanges = row.ofExchanges;
    this.ofBoth = row.ofBoth;
    this.byArgument = row.byArgument;
    this.extension = row.extension;
    this.newArgument = row.newArgument;
    this.forOperators = row.forOperators;
    this.overArgumentOfQuorumQueues = row.overArgumentOfQuorumQueues;
    this.types = row.types;
    this.withOperatorPolicy = row.withOperatorPolicy;
    this.withArgument = row.withArgument;
  }

  private static Map<String, PolicyKey> byName() {
    Map<String, PolicyKey> keys = new HashMap<>();
    for (PolicyKey key : values()) {
      keys.put(key.wireName, key);
      key.formerName().ifPresent(name -> keys.put(name, key));
    }
    return Map.copyOf(keys);
  }

  private static Map<String, PolicyKey> byArgument(boolean ofExchanges) {
    Map<String, PolicyKey> keys = new HashMap<>();
    for (PolicyKey key : values()) {
      if (key.ofExchanges == ofExchanges && key.byArgument) {
        key.arguments().forEach(argument -> keys.put(argument, key));
      }
    }
    return Map.copyOf(keys);
  }

  private static ValueValidator routingKey() {
    return text("is not a valid dead letter routing key");
  }

  private static List<String> leaseUses() {
    List<String> words = new ArrayList<>();
    LeaseUse.CHOICES.forEach(use -> words.add(EnumNames.of(use)));
    words.add("service-bus");
    return words;
  }

  /** The name in definitions. */
  public String wireName() {
    return wireName;
  }

  /** What its values are and mean, in Markdown; empty if it has no effect. */
  public String doc() {
    return doc;
  }

  /** Its name in definitions of earlier versions, which is still accepted. */
  public Optional<String> formerName() {
    return Optional.ofNullable(formerName);
  }

  /** Whether an argument of a declaration sets the same. */
  public boolean isByArgument() {
    return byArgument;
  }

  /** The argument of a declaration of a queue or exchange that sets the same, if one does. */
  public String argument() {
    return argument;
  }

  /** The same with its name of earlier versions, if there is one. */
  public List<String> arguments() {
    return formerName == null ? List.of(argument) : List.of(argument, "x-" + formerName);
  }

  /**
   * What counts for a queue if nothing sets the key: a Long, String or Boolean; null if nothing
   * does, or if that depends on the dialect.
   */
  public Object byDefault() {
    return byDefault;
  }

  /** Whether it is this broker's own, and unknown to RabbitMQ. */
  public boolean isExtension() {
    return extension;
  }

  /** The keys about queues whose arguments RabbitMQ 3.13 does not know, and so does not check. */
  public static List<PolicyKey> ofArguments() {
    return NEW_ARGUMENTS;
  }

  /** Whether it has an effect in this broker. */
  public boolean hasEffect() {
    return effect;
  }

  /** The key of this name, or that had it in earlier versions. */
  public static Optional<PolicyKey> ofWireName(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** Returns the key with the same meaning as this argument of a declaration of the object. */
  static Optional<PolicyKey> ofArgument(PolicySubject subject, String argument) {
    return Optional.ofNullable(
        (subject.isExchange() ? EXCHANGE_ARGUMENTS : QUEUE_ARGUMENTS).get(argument));
  }

  /** Whether policies of this kind may have it. */
  public boolean isAllowedIn(PolicyKind kind) {
    return kind == PolicyKind.POLICY || forOperators;
  }

  /** Whether a policy that has this key may apply to queues of this type. */
  public boolean isSupportedBy(QueueType type) {
    return types.contains(type);
  }

  /**
   * Whether the value of its argument is checked when a queue of this type is declared. RabbitMQ
   * 4.3.6 takes any value for a retry of a quorum queue; one that is not valid does nothing.
   * Streams are not retried, whatever the value.
   */
  public boolean isCheckedAsArgument(QueueType type) {
    return extension || !newArgument || type == QueueType.CLASSIC;
  }

  /** Whether it is for objects of this kind. */
  public boolean concerns(PolicySubject subject) {
    return ofBoth || subject.isExchange() == ofExchanges;
  }

  /**
   * Validates a value and converts it to a Long, String, Boolean, List of strings, or map of
   * strings to strings.
   *
   * @throws PolicyException if it is not valid
   */
  public Object check(Object value) {
    return values.check(value);
  }

  /**
   * Parses the value from a text.
   *
   * @throws PolicyException if it is not valid
   */
  public Object parse(String text) {
    if (text.matches("-?[0-9]{1,18}") && accepts(Long.valueOf(text))) {
      return check(Long.valueOf(text));
    }
    boolean flag = text.equals("true") || text.equals("false");
    return flag && accepts(Boolean.valueOf(text)) ? check(Boolean.valueOf(text)) : check(text);
  }

  /** Whether a value is valid. */
  boolean accepts(Object value) {
    try {
      check(value);
      return true;
    } catch (PolicyException e) {
      return false;
    }
  }

  /** Returns how a policy's value (first) and an operator policy's (second) are merged. */
  Merge withOperatorPolicy() {
    return withOperatorPolicy;
  }

  /** Returns whether what several policies of a kind, or a default, say counts together. */
  boolean addsUp() {
    return withOperatorPolicy.isSum();
  }

  /** Returns how a policy's value (first) and an argument's (second) are merged. */
  Merge withArgument(PolicySubject subject) {
    if (subject.isExchange()) {
      return Merge.SECOND;
    }
    if (subject.type() == QueueType.STREAM) {
      return Merge.FIRST;
    }
    return subject.type() == QueueType.QUORUM && overArgumentOfQuorumQueues
        ? Merge.FIRST
        : withArgument;
  }
}
