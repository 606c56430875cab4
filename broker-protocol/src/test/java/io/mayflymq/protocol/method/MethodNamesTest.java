package io.mayflymq.protocol.method;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MethodNamesTest {
  @ParameterizedTest
  @CsvSource({
    "50, 10, queue.declare",
    "50, 11, queue.declare-ok",
    "60, 40, basic.publish",
    "60, 72, basic.get-empty",
    "60, 110, basic.recover",
    "60, 100, basic.recover-async",
    "10, 40, connection.open",
    "85, 10, confirm.select",
    "90, 31, tx.rollback-ok",
    "40, 30, exchange.bind",
    "20, 40, channel.close",
    "0, 0, none",
    "60, 41, none",
    "65535, 65535, none"
  })
  void methodNamesAreThoseOfTheSpecification(int classId, int methodId, String name) {
    assertThat(MethodNames.of(classId, methodId)).isEqualTo(name);
  }
}
