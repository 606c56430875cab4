/**
 * What every black-box test stands on: the broker under test, connections and names that are
 * cleaned up, and two ways to talk to it, RabbitMQ's client and bare frames.
 */
package io.mayflymq.it.harness;
