/** How metadata is kept on disk: a journal in two checked copies. */
package io.mayflymq.core.metadata.journal;
