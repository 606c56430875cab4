/** Direct reply-to. */
package io.mayflymq.core.vhost.reply;
