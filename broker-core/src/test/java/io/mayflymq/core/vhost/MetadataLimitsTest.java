package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.MetadataSize;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is refused when there is no room for more exchanges, queues and bindings. */
class MetadataLimitsTest {
  private static final Object CONNECTION = new Object();

  private final TestBroker broker = TestBroker.of(1);
  private final VirtualHost vhost = broker.vhost;

  private void done(CompletableFuture<Void> request) {
    broker.trimMemory();
    request.join();
  }

  private void limit(Limit limit, int value) {
    vhost.redefine(
        VhostDefinition.of(TestBroker.VHOST).withLimits(Limits.of(Map.of(limit, value))));
  }

  private void exchange(String name) {
    done(vhost.declareExchange(ExchangeDefinition.durable(name, ExchangeType.TOPIC), CONNECTION));
  }

  private void bind(String key) {
    done(vhost.bind(Binding.toQueue("x", "q", key), CONNECTION));
  }

  private void unbind(String key) {
    done(vhost.unbind(Binding.toQueue("x", "q", key), CONNECTION));
  }

  private static void refused(ThrowingCallable request, String text) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(
            ChannelException.class,
            e -> assertThat(e.code()).isEqualTo(ReplyCode.PRECONDITION_FAILED))
        .hasMessageContaining(text);
  }

  @Test
  void bindingsAreLimited() {
    exchange("x");
    broker.declare("q");
    limit(Limit.MAX_BINDINGS, 2);
    bind("a");
    bind("b");
    bind("b");
    String reached =
        "cannot bind queue 'q' to exchange 'x': binding limit in vhost '/' (2) is reached";
    refused(() -> bind("c"), reached);
    unbind("a");
    bind("c");
    refused(() -> bind("a"), reached);
    limit(Limit.MAX_BINDINGS, -1);
    bind("a");
  }

  @Test
  void exchangesAreLimited() {
    int present = vhost.routing().exchangeCount();
    limit(Limit.MAX_EXCHANGES, present + 1);
    exchange("x");
    exchange("x");
    refused(
        () -> exchange("y"),
        "cannot declare exchange 'y': exchange limit in vhost '/' (%d) is reached"
            .formatted(present + 1));
    done(vhost.deleteExchange("x", false, CONNECTION));
    exchange("y");
  }

  @Test
  void memoryOfTheMetadataOfAVirtualHostIsLimited() {
    exchange("x");
    broker.declare("q");
    long present = vhost.routing().metadataBytes();
    Binding first = Binding.toQueue("x", "q", "a.".repeat(100));
    long most = present + MetadataSize.of(first);
    limit(Limit.MAX_METADATA_BYTES, (int) most);
    done(vhost.bind(first, CONNECTION));
    String reached = ": metadata limit in vhost '/' (%d bytes) is reached".formatted(most);
    refused(() -> bind("b"), "cannot bind queue 'q' to exchange 'x'" + reached);
    refused(() -> exchange("y"), "cannot declare exchange 'y'" + reached);
    refused(
        () -> vhost.declareQueue(declaration("r", FieldTable.EMPTY)),
        "cannot declare queue 'r'" + reached);
    FieldTable arguments = broker.queue("q").definition().arguments();
    broker.delete("q");
    assertThat(vhost.routing().bindingCount()).isZero();
    broker.declare("r");
    broker.delete("r");
    done(vhost.deleteExchange("x", false, CONNECTION));
    assertThat(vhost.routing().metadataBytes())
        .isEqualTo(
            present
                - MetadataSize.ofQueue("q", arguments)
                - MetadataSize.of(ExchangeDefinition.durable("x", ExchangeType.TOPIC)));
  }

  @Test
  void limitOfTheConfigurationCountsWhereAVirtualHostHasNone() {
    exchange("x");
    broker.declare("q");
    long present = vhost.routing().metadataBytes();
    broker.broker.setLimits(
        new ObjectLimits(
            ObjectLimits.UNLIMITED,
            ObjectLimits.UNLIMITED,
            ObjectLimits.UNLIMITED,
            present,
            Long.MAX_VALUE));
    refused(
        () -> bind("a"),
        "cannot bind queue 'q' to exchange 'x': metadata limit in vhost '/' (%d bytes) is reached"
            .formatted(present));
    limit(Limit.MAX_METADATA_BYTES, Integer.MAX_VALUE);
    bind("a");
  }

  @Test
  void memoryOfTheMetadataOfAllVirtualHostsIsLimited() {
    exchange("x");
    broker.declare("q");
    VirtualHost other = broker.broker.createVirtualHost(VhostDefinition.of("other"));
    done(other.declareExchange(ExchangeDefinition.durable("x", ExchangeType.TOPIC), CONNECTION));
    long most = vhost.routing().metadataBytes() + other.routing().metadataBytes();
    broker.broker.setLimits(
        new ObjectLimits(
            ObjectLimits.UNLIMITED,
            ObjectLimits.UNLIMITED,
            ObjectLimits.UNLIMITED,
            Long.MAX_VALUE,
            most));
    String reached = ": metadata limit in cluster (%d bytes) is reached".formatted(most);
    refused(() -> bind("a"), "cannot bind queue 'q' to exchange 'x'" + reached);
    done(other.deleteExchange("x", false, CONNECTION));
    bind("a");
  }

  @Test
  void nothingIsAddedWhileMemoryIsLowAndWhatIsThereCanBeUsedAndDeleted() {
    exchange("x");
    broker.declare("q");
    bind("a");
    broker.broker.setLowOnMemory(() -> true);
    String low = ": low on memory; nothing is added until the memory alarm is cleared";
    refused(() -> bind("b"), "cannot bind queue 'q' to exchange 'x'" + low);
    refused(() -> exchange("y"), "cannot declare exchange 'y'" + low);
    refused(
        () -> vhost.declareQueue(declaration("r", FieldTable.EMPTY)),
        "cannot declare queue 'r'" + low);
    exchange("x");
    broker.declare("q");
    bind("a");
    unbind("a");
    broker.delete("q");
    done(vhost.deleteExchange("x", false, CONNECTION));
    assertThat(vhost.routing().exchange("x")).isNull();
  }

  private QueueDeclaration declaration(String name, FieldTable arguments) {
    return new QueueDeclaration(
        name, true, false, false, arguments, CONNECTION, broker.shards.get(0), false, true);
  }
}
