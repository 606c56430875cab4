package io.mayflymq.server.management;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.server.config.NodeName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The name of the cluster, which is a global parameter; the node's name if it is not set. */
final class ClusterName {
  static final String PARAMETER = "cluster_name";

  private ClusterName() {}

  static String of(GlobalParameters parameters) {
    String json = parameters.get(PARAMETER);
    try {
      return json != null
              && Json.decode(json.getBytes(StandardCharsets.UTF_8)) instanceof String name
          ? name
          : NodeName.VALUE;
    } catch (IOException e) {
      throw new IllegalStateException("a global parameter is no JSON: " + json, e);
    }
  }
}
