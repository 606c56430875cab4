package io.mayflymq.shovel.federation;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.mayflymq.shovel.transfer.MessageForm;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a message arrives by a link: a header names the places that it has come from, the newest one
 * first. For one thread.
 */
final class ReceivedForm implements MessageForm {
  private static final String RECEIVED_FROM = "x-received-from";
  private static final String REDELIVERED = "redelivered";
  private static final String VISITS = "visit-count";
  private static final String CC = "CC";
  private static final String ORIGINAL_CC = "x-original-cc";
  private static final String ORIGINAL_EXCHANGE = "x-original-exchange";
  private static final String ORIGINAL_KEY = "x-original-routing-key";

  private final Federated.Kind kind;
  private final Map<String, Object> place;
  private final boolean trustUserId;

  /**
   * @param kind of what it arrives at
   * @param place the upstream, as the header names it
   * @param trustUserId whether messages keep the user who published them
   */
  ReceivedForm(Federated.Kind kind, Map<String, Object> place, boolean trustUserId) {
    this.kind = kind;
    this.place = Map.copyOf(place);
    this.trustUserId = trustUserId;
  }

  @Override
  public BasicProperties of(Envelope envelope, BasicProperties given) {
    Map<String, Object> headers =
        given.getHeaders() == null
            ? new LinkedHashMap<>()
            : new LinkedHashMap<>(given.getHeaders());
    Map<String, Object> entry = new LinkedHashMap<>(place);
    entry.put(REDELIVERED, envelope.isRedeliver());
    List<Object> all = new ArrayList<>();
    all.add(entry);
    if (headers.get(RECEIVED_FROM) instanceof List<?> earlier) {
      all.addAll(earlier);
    }
    if (kind == Federated.Kind.QUEUE) {
      count(entry, all);
      headers.putIfAbsent(ORIGINAL_EXCHANGE, envelope.getExchange());
      headers.putIfAbsent(ORIGINAL_KEY, envelope.getRoutingKey());
      if (headers.containsKey(CC)) {
        // The upstream has routed it by these keys already.
        headers.putIfAbsent(ORIGINAL_CC, headers.remove(CC));
      }
    }
    headers.put(RECEIVED_FROM, all);
    BasicProperties.Builder properties = given.builder().headers(headers);
    if (!trustUserId) {
      properties.userId(null);
    }
    return properties.build();
  }

  /** A message may go to and fro between queues: each place is named once, with its visits. */
  private void count(Map<String, Object> entry, List<Object> all) {
    long visits = 1;
    for (int i = all.size() - 1; i > 0; i--) {
      if (all.get(i) instanceof Map<?, ?> earlier
          && place.keySet().stream()
              .allMatch(
                  key -> String.valueOf(earlier.get(key)).equals(String.valueOf(place.get(key))))) {
        all.remove(i);
        visits += earlier.get(VISITS) instanceof Number number ? number.longValue() : 1;
      }
    }
    entry.put(VISITS, visits);
  }
}
