package io.mayflymq.server.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.PropertiesScan;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyAddressTest {
  private static final String PSEUDO_QUEUE = "amq.rabbitmq.reply-to";
  private static final byte[] BODY = "amq.rabbitmq.reply-to".getBytes(StandardCharsets.US_ASCII);

  private final PropertiesScan scan = new PropertiesScan();

  @Test
  void replyToPseudoQueueIsReplacedAndOtherPropertiesStay() {
    byte[] content = content(PSEUDO_QUEUE);
    assertThat(ReplyAddress.isWanted(scan, content)).isTrue();
    byte[] changed = ReplyAddress.put(PSEUDO_QUEUE + ".token", scan, content);
    int length = changed.length - BODY.length;
    assertThat(BasicProperties.decode(changed, 0, length))
        .isEqualTo(properties(PSEUDO_QUEUE + ".token"));
    assertThat(Arrays.copyOfRange(changed, length, changed.length)).isEqualTo(BODY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "replies", "amq.rabbitmq.reply-tO", "amq.rabbitmq.reply-to.x"})
  void otherReplyToAddressesAreNotChanged(String replyTo) {
    assertThat(ReplyAddress.isWanted(scan, content(replyTo))).isFalse();
  }

  @Test
  void messageWithoutReplyToIsNotChanged() {
    assertThat(ReplyAddress.isWanted(scan, content(null))).isFalse();
  }

  @Test
  void replyToPseudoQueueNeedsAReplyConsumer() {
    byte[] content = content(PSEUDO_QUEUE);
    assertThatThrownBy(() -> ReplyAddress.put(null, scan, content))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining("fast reply consumer does not exist");
  }

  private static BasicProperties properties(String replyTo) {
    return BasicProperties.builder()
        .contentType("text/plain")
        .correlationId("id")
        .replyTo(replyTo)
        .expiration("1000")
        .build();
  }

  private byte[] content(String replyTo) {
    byte[] properties = properties(replyTo).encode();
    scan.scan(properties, 0, properties.length);
    byte[] content = Arrays.copyOf(properties, properties.length + BODY.length);
    System.arraycopy(BODY, 0, content, properties.length, BODY.length);
    return content;
  }
}
