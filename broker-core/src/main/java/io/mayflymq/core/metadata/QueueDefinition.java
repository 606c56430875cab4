package io.mayflymq.core.metadata;

import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.protocol.types.FieldTable;

/**
 * A queue as it was declared.
 *
 * @param name its name
 * @param durable whether it outlives a restart; never together with exclusive
 * @param exclusive whether it belongs to one connection and goes with it
 * @param autoDelete whether it goes with its last consumer
 * @param arguments as they were given
 * @param settings what follows from them
 */
public record QueueDefinition(
    String name,
    boolean durable,
    boolean exclusive,
    boolean autoDelete,
    FieldTable arguments,
    QueueSettings settings) {}
