/**
 * The resources of the HTTP API: what each path shows and changes, for applications, operators and
 * administrators, and how queues and replicas are spread over the nodes of a cluster.
 */
package io.mayflymq.server.management.resource;
