/** The commands, in groups. */
package io.mayflymq.server.ctl.command;
