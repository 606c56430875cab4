/** What metrics are: names, types and values of families, and how they are written. */
package io.mayflymq.server.metrics.family;
