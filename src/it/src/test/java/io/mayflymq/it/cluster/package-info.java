/** Brokers that form a cluster. */
package io.mayflymq.it.cluster;
