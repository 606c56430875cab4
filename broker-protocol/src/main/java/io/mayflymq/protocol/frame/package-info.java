/** The frames that carry AMQP 0-9-1 (section 2.3.5): their types, their shape, their limits. */
package io.mayflymq.protocol.frame;
