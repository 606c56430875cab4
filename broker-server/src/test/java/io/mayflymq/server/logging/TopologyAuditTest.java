package io.mayflymq.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.TopologyAudit;
import io.mayflymq.core.metadata.TopologyEvents;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the audit category says of changes of queues. */
class TopologyAuditTest {
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("audit");
  }

  @BeforeEach
  void listen() {
    log.start();
    logger().setLevel(Level.INFO);
    logger().addAppender(log);
  }

  @AfterEach
  void stop() {
    logger().detachAppender(log);
  }

  @Test
  void argumentsThatAQueueHasAdoptedAreReadable() {
    FieldTable after =
        FieldTable.builder()
            .put("x-max-length", 5)
            .put("x-overflow", "reject-publish")
            .put("x-single-active-consumer", true)
            .put("x-odd", new FieldValue.Float64(1.5))
            .put("x-list", new FieldValue.Array(List.of(FieldValue.of("a"), FieldValue.of("b"))))
            .build();
    new TopologyEvents("/", new TopologyAudit(BrokerEvents.NONE))
        .adopted(
            new QueueDefinition("orders", true, false, false, after, QueueSettings.DEFAULT),
            FieldTable.EMPTY,
            () -> "guest");
    assertThat(log.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEqualTo(
            "queue.adopted in vhost '/': queue 'orders' has the arguments {x-max-length: 5,"
                + " x-overflow: 'reject-publish', x-single-active-consumer: true, x-odd: 1.5,"
                + " x-list: ['a', 'b']} and had {}, by user 'guest'");
  }
}
