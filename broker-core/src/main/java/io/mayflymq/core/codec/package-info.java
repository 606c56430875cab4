/** How numbers, texts and messages are written as bytes, for other nodes and for files. */
package io.mayflymq.core.codec;
