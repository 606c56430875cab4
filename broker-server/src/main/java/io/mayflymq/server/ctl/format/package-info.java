/** Formats the results of commands: tables, JSON, CSV. */
package io.mayflymq.server.ctl.format;
