package io.mayflymq.server.delivery;

import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.vhost.Queue;

/**
 * Where a delivery came from, which is where its settlement goes.
 *
 * @param queue the queue
 * @param consumer the consumer; for {@code basic.get} one that never joined the queue
 * @param fetched whether it was {@code basic.get}, which no prefetch limit counts
 */
public record DeliverySource(Queue queue, Consumer consumer, boolean fetched) {}
