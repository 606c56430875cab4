/** Redrives: messages of a dead letter queue on their way back. */
package io.mayflymq.core.vhost.redrive;
