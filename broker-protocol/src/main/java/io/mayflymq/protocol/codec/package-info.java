/**
 * From bytes to frames (AMQP 0-9-1, section 2.3.5) and back. The decoder hands what it finds to a
 * {@link io.mayflymq.protocol.codec.FrameHandler}; publishes and acknowledgements, which are most
 * of what a broker reads, make no object on the way. The encoder writes a whole delivery in one go.
 */
package io.mayflymq.protocol.codec;
