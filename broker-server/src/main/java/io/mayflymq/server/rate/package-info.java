/**
 * How fast the clients of this node publish and get messages, if limits of users and virtual hosts
 * say so. What a connection asks is {@code ConnectionRates}; who of the consumers that wait is
 * next, and when, is decided in {@code DeliveryTurns}.
 */
package io.mayflymq.server.rate;
