package io.mayflymq.protocol.types;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AmqpExceptionTest {

  @Test
  void replyTextHasRabbitMqsForm() {
    AmqpException e = new ChannelException(ReplyCode.NOT_FOUND, "no queue 'q' in vhost '/'");

    assertThat(e.replyText()).isEqualTo("NOT_FOUND - no queue 'q' in vhost '/'");
    assertThat(e.detail()).isEqualTo("no queue 'q' in vhost '/'");
    assertThat(e.code().code()).isEqualTo(404);
    assertThat(e.classId()).isZero();
    assertThat(e.methodId()).isZero();
  }

  @Test
  void withMethodReturnsACopyOfTheSameScope() {
    ConnectionException e = new ConnectionException(ReplyCode.SYNTAX_ERROR, "no");
    ConnectionException copy = e.withMethod(60, 40);

    assertThat(copy.classId()).isEqualTo(60);
    assertThat(copy.methodId()).isEqualTo(40);
    assertThat(copy.replyText()).isEqualTo("SYNTAX_ERROR - no");
    assertThat(e.classId()).isZero();
  }

  @Test
  void amqpExceptionHasNoStackTrace() {
    assertThat(new ChannelException(ReplyCode.NOT_FOUND, "x").getStackTrace()).isEmpty();
  }
}
