package io.mayflymq.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MistypedArgumentsTest {
  private static Map<String, String> of(String... names) {
    FieldTable.Builder table = FieldTable.builder();
    for (String name : names) {
      table.put(name, new FieldValue.Int32(1));
    }
    return MistypedArguments.of(table.build());
  }

  @Test
  void anArgumentOneEditFromAKnownOneIsFound() {
    assertThat(of("x-mesage-ttl", "x-max-lenght", "x-queue-typ", "x-single-active-consumers"))
        .isEqualTo(
            Map.of(
                "x-mesage-ttl", "x-message-ttl",
                "x-max-lenght", "x-max-length",
                "x-queue-typ", "x-queue-type",
                "x-single-active-consumers", "x-single-active-consumer"));
  }

  @Test
  void knownAndForeignArgumentsAreNone() {
    assertThat(of("x-message-ttl", "x-expires", "x-delivery-limit", "x-queue-type", "x-max-age"))
        .isEmpty();
    assertThat(of("x-ha-policy", "x-my-own", "mesage-ttl", "x-overwrite")).isEmpty();
  }
}
