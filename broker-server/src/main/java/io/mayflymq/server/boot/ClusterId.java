package io.mayflymq.server.boot;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.server.connection.ClusterName;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The identity of the broker for tools that watch several: a global parameter under RabbitMQ's
 * name. It stays the same over restarts, and is exported with the definitions.
 */
final class ClusterId {
  private static final int BYTES = 16;

  private ClusterId() {}

  /** Makes sure that there is one. Returns when it is safe. */
  static void ensure(GlobalParameters parameters) {
    if (parameters.get(ClusterName.ID) == null) {
      byte[] random = new byte[BYTES];
      new SecureRandom().nextBytes(random);
      String id = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
      parameters.set(ClusterName.ID, "\"mayfly-cluster-id-" + id + "\"").join();
    }
  }
}
