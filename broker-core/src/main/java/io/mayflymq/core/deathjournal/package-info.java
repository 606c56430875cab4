/** The latest deaths of messages, kept for a while for queries. */
package io.mayflymq.core.deathjournal;
