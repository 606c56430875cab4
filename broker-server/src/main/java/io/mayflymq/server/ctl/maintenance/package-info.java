/** Commands of operators: health checks, diagnostics, backups, upgrades and plugins. */
package io.mayflymq.server.ctl.maintenance;
