package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.vhost.deadletter.DeadLetterPublishers;
import io.mayflymq.core.vhost.deadletter.DeadLetterRouter;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.QueueHost;

/**
 * What the queues of a virtual host share.
 *
 * @param vhost the virtual host
 * @param partitions where queues are
 * @param router routes dead letters
 * @param publishers send dead letters
 */
public record LocalEnvironment(
    QueueHost vhost,
    Partitions partitions,
    DeadLetterRouter router,
    DeadLetterPublishers publishers) {}
