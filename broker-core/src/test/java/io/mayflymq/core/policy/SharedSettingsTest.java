package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharedSettingsTest {
  @Test
  void queuesWithEqualArgumentsShareArgumentsAndSettings() {
    QueueArguments.Valid first = QueueArguments.parse(lease(60_000), "a", "/");
    QueueArguments.Valid second = QueueArguments.parse(lease(60_000), "b", "/");
    assertThat(second).isSameAs(first);
    QueueArguments.Valid other = QueueArguments.parse(lease(60_001), "b", "/");
    assertThat(other.settings().lease().expiresMillis()).isEqualTo(60_001);
  }

  @Test
  void errorsOfEqualInvalidArgumentsNameTheirOwnQueue() {
    for (String queue : new String[] {"one", "two"}) {
      assertThatThrownBy(() -> QueueArguments.parse(lease(0), queue, "/"))
          .isInstanceOf(ChannelException.class)
          .hasMessageContaining("queue '" + queue + "'");
    }
  }

  @Test
  void queuesUnderTheSamePolicyShareTheirSettings() {
    PolicyTable table = PolicyTable.EMPTY.with(policy(100));
    FieldTable arguments = lease(60_000);
    QueueSettings byArguments = QueueArguments.parse(arguments, "q", "/").settings();
    QueueSettings first = table.settingsOf("q1", arguments, byArguments);
    assertThat(first.length().maxLength()).isEqualTo(100);
    assertThat(table.settingsOf("q2", arguments, byArguments)).isSameAs(first);
    assertThat(table.settingsOf("other", arguments, byArguments)).isSameAs(byArguments);
    assertThat(
            table.with(policy(200)).settingsOf("q1", arguments, byArguments).length().maxLength())
        .isEqualTo(200);
  }

  private static Policy policy(int maxLength) {
    return Policy.of(
        PolicyKind.POLICY, "limit", "^q", "queues", 0, Map.of("max-length", maxLength));
  }

  private static FieldTable lease(long millis) {
    return FieldTable.builder().put(QueueArguments.EXPIRES, new FieldValue.Int64(millis)).build();
  }
}
