package io.mayflymq.server.connection;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.JsonReader;

/**
 * The name of the cluster, as clients see it in the server properties. It is a global parameter, as
 * in RabbitMQ; while that is not set to a text, it is the node's name. Safe for any thread.
 */
public final class ClusterName {
  /** The name of the parameter. */
  public static final String PARAMETER = "cluster_name";

  /** The parameter with the identity of the cluster. */
  public static final String ID = "internal_cluster_id";

  private ClusterName() {}

  /** Returns the current name. */
  public static String of(GlobalParameters parameters) {
    String json = parameters.get(PARAMETER);
    // Without a name no JSON library is loaded; loading it would take a good part of the start-up
    // time.
    return json == null || !json.startsWith("\"")
        ? NodeName.value()
        : (String) JsonReader.stored(json);
  }

  /** Returns the identity of the cluster, which never changes; empty if it has none yet. */
  public static String id(GlobalParameters parameters) {
    String json = parameters.get(ID);
    return json == null || !json.startsWith("\"") ? "" : (String) JsonReader.stored(json);
  }
}
