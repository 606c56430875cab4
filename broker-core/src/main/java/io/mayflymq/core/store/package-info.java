/** The interfaces of the stores that keep messages, so that they survive a restart. */
package io.mayflymq.core.store;
