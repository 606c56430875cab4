package io.mayflymq.core.store;

import java.util.UUID;

/**
 * Where batches of commands for a replicated partition come from. The batches of a link are
 * numbered from 1.
 *
 * @param node the number of the node, whose clients the commands are of
 * @param link the random id of the link: each process of the node has another one for each
 *     partition
 */
public record BatchOrigin(int node, UUID link) {}
