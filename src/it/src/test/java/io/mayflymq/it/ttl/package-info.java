/** Message TTL: which messages expire, and when. */
package io.mayflymq.it.ttl;
