/** Caches of a bounded number of entries. */
package io.mayflymq.core.cache;
