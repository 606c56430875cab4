package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldTable;

/**
 * The headers by which Azure Service Bus describes why a message is in a dead letter queue: a word
 * and a sentence. For a reason that Azure Service Bus does not know, this broker has words in the
 * same style.
 *
 * <p>Source: Azure Service Bus, "Overview of Service Bus dead-letter queues".
 */
final class ServiceBusHeaders {
  private static final String REASON = "DeadLetterReason";
  private static final String DESCRIPTION = "DeadLetterErrorDescription";

  private ServiceBusHeaders() {}

  static void put(FieldTable.Builder headers, DeathReason reason, String queue) {
    headers.put(REASON, word(reason));
    headers.put(DESCRIPTION, sentence(reason).formatted(queue));
  }

  private static String word(DeathReason reason) {
    return switch (reason) {
      case EXPIRED -> "TTLExpiredException";
      case DELIVERY_LIMIT -> "MaxDeliveryCountExceeded";
      case MAXLEN -> "QuotaExceeded";
      case REJECTED -> "Rejected";
      case QUEUE_EXPIRED -> "QueueExpired";
      case QUEUE_DELETED -> "QueueDeleted";
    };
  }

  private static String sentence(DeathReason reason) {
    return switch (reason) {
      case EXPIRED -> "The message expired in queue '%s' and was dead lettered.";
      case DELIVERY_LIMIT ->
          "The message came back to queue '%s' more often than its delivery limit allows.";
      case MAXLEN -> "The length limit of queue '%s' was exceeded.";
      case REJECTED -> "A consumer of queue '%s' rejected the message.";
      case QUEUE_EXPIRED -> "Queue '%s' was not used for too long and was deleted.";
      case QUEUE_DELETED -> "Queue '%s' was deleted.";
    };
  }
}
