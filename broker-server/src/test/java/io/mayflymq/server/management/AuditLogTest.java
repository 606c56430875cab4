package io.mayflymq.server.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.management.api.Request;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuditLogTest {
  @ParameterizedTest
  @CsvSource({
    "PUT, users/ann, true",
    "DELETE, queues/%2F/orders, true",
    "DELETE, queues/%2F/get, true",
    "PUT, exchanges/%2F/publish, true",
    "PUT, policies/%2F/dry-run, true",
    "DELETE, queues/%2F/orders/contents, true",
    "DELETE, queues/%2F/orders/scheduled/dry-run, true",
    "POST, queues/%2F/orders/messages/move, true",
    "POST, queues/%2F/dry-run/messages/move, true",
    "POST, queues/%2F/orders/redrive, true",
    "POST, definitions, true",
    "GET, queues/%2F/orders, false",
    "POST, exchanges/%2F/amq.topic/publish, false",
    "POST, queues/%2F/orders/get, false",
    "PUT, policies/%2F/short/dry-run, false",
    "DELETE, operator-policies/%2F/short/dry-run, false",
    "POST, queues/%2F/orders/redrive/dry-run, false",
    "POST, queues/%2F/orders/purge/dry-run, false",
    "POST, queues/%2F/orders/messages/move/dry-run, false",
    "POST, login, false",
    "POST, logout, false",
  })
  void requestsThatChangeMoreThanMessagesAreLogged(String method, String path, boolean logged) {
    assertThat(AuditLog.isChange(method, Request.split(path))).isEqualTo(logged);
  }

  @ParameterizedTest
  @CsvSource({
    "queues/%2F/orders, true",
    "vhosts/orders/deletion/protection, true",
    "rebalance/queues, true",
    "users/ann, false",
    "permissions/%2F/ann, false",
    "topic-permissions/%2F/ann, false",
    "user-limits/ann/max-channels, false",
    "policies/%2F/short, false",
    "operator-policies/%2F/short, false",
    "parameters/shovel/%2F/s, false",
    "global-parameters/g, false",
    "definitions, false",
  })
  void monitorsSeeChangesOfWhatTheySee(String path, boolean seen) {
    assertThat(AuditLog.isSeenByMonitors(Request.split(path))).isEqualTo(seen);
  }
}
