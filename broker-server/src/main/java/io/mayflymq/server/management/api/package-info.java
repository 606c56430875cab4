/** Requests and responses of the HTTP API: routing, bodies, lists in pages, errors. */
package io.mayflymq.server.management.api;
