/** The files of streams. */
package io.mayflymq.core.store.stream;
