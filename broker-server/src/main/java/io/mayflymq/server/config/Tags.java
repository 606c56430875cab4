package io.mayflymq.server.config;

import java.util.Map;

/**
 * What operators say of a cluster and of its nodes; the broker only shows it.
 *
 * @param cluster by the names of tags, in their order
 * @param node the same of this node
 */
public record Tags(Map<String, String> cluster, Map<String, String> node) {}
