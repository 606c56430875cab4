package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.vhost.deadletter.DeadLetterPublishers;
import io.mayflymq.core.vhost.deadletter.DeadLetterRouter;
import io.mayflymq.core.vhost.deadletter.DeadlineNotices;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.QueueHost;

/**
 * What all queues of a virtual host on this node share: made once, with the virtual host, since
 * dead letters and scheduled messages leave a queue through it at any time.
 *
 * @param vhost the virtual host
 * @param partitions where queues are
 * @param router routes dead letters
 * @param publishers send dead letters
 * @param notices tells of messages that have died at their deadlines
 * @param deleted what deleted queues have on this node that can be brought back
 */
public record LocalEnvironment(
    QueueHost vhost,
    Partitions partitions,
    DeadLetterRouter router,
    DeadLetterPublishers publishers,
    DeadlineNotices notices,
    DeletedQueues deleted) {}
