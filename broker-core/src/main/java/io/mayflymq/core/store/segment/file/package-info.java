/** The files of the message log: segments, the manifest that lists them, the directory. */
package io.mayflymq.core.store.segment.file;
