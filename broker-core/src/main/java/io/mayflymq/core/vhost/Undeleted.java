package io.mayflymq.core.vhost;

import io.mayflymq.core.routing.Binding;
import java.util.List;

/**
 * What became of a deleted queue that was brought back.
 *
 * @param name the name that it has now
 * @param bindings how many of its bindings it has again
 * @param missing those that it has not, as their exchange is not there
 * @param lost how many more it had than could be kept
 */
public record Undeleted(String name, int bindings, List<Binding> missing, int lost) {}
