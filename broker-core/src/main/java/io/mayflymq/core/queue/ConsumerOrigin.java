package io.mayflymq.core.queue;

/**
 * The channel of a consumer, for lists.
 *
 * @param node the name of the node that its client is connected to
 * @param connection the name of its connection
 * @param channel the number of its channel
 * @param pid the name of its channel in the form of RabbitMQ's process identifiers
 * @param user the user who is logged in
 * @param peerHost the address of the client
 * @param peerPort the port of the client
 */
public record ConsumerOrigin(
    String node,
    String connection,
    int channel,
    String pid,
    String user,
    String peerHost,
    int peerPort) {}
