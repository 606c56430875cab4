package io.mayflymq.server.connection;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.server.config.NodeName;

/**
 * The name of the cluster, which clients are told and may show: a global parameter, as in RabbitMQ,
 * and the node's name while that is not set to a text. Any thread may ask.
 */
public final class ClusterName {
  /** What the parameter is called. */
  public static final String PARAMETER = "cluster_name";

  private ClusterName() {}

  /** The name of the moment. */
  public static String of(GlobalParameters parameters) {
    String json = parameters.get(PARAMETER);
    // Without a name no JSON library is loaded: that would be a good part of the start.
    return json == null || !json.startsWith("\"") ? NodeName.VALUE : parse(json);
  }

  private static String parse(String json) {
    try {
      return new ObjectMapper().readValue(json, String.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a global parameter is no JSON: " + json, e);
    }
  }
}
