/** How results are shown: tables, JSON, CSV. */
package io.mayflymq.server.ctl.format;
