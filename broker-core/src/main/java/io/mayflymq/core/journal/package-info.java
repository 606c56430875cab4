/** What happened to messages, kept for a while for whoever asks. */
package io.mayflymq.core.journal;
