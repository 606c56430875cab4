package io.mayflymq.server.tracing;

import io.opentelemetry.api.common.AttributeKey;

/**
 * The attributes of spans. Those that begin with {@code messaging} are OpenTelemetry's. Source:
 * OpenTelemetry, "Semantic conventions for messaging spans" and "for RabbitMQ".
 */
final class SpanAttributes {
  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
  static final AttributeKey<String> DESTINATION =
      AttributeKey.stringKey("messaging.destination.name");
  static final AttributeKey<String> ROUTING_KEY =
      AttributeKey.stringKey("messaging.rabbitmq.destination.routing_key");
  static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
  static final AttributeKey<Long> BODY_SIZE = AttributeKey.longKey("messaging.message.body.size");
  static final AttributeKey<String> VHOST = AttributeKey.stringKey("mayfly.vhost");
  static final AttributeKey<Long> QUEUES = AttributeKey.longKey("mayfly.queues");
  static final AttributeKey<Boolean> REDELIVERED = AttributeKey.booleanKey("mayfly.redelivered");
  static final AttributeKey<String> CONSUMER_TAG = AttributeKey.stringKey("mayfly.consumer_tag");
  static final AttributeKey<String> SETTLEMENT = AttributeKey.stringKey("mayfly.settlement");

  /** What ended the time in the queue: {@code delivered}, or the reason of a death. */
  static final AttributeKey<String> LEFT = AttributeKey.stringKey("mayfly.left");

  /** The setting or event that a message died of. */
  static final AttributeKey<String> TRIGGER = AttributeKey.stringKey("mayfly.trigger");

  static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("mayfly.outcome");
  static final AttributeKey<String> DEAD_LETTER_EXCHANGE =
      AttributeKey.stringKey("mayfly.dead_letter_exchange");

  private SpanAttributes() {}
}
