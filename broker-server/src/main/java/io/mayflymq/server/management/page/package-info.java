/** The management page: its files, and how they are served. */
package io.mayflymq.server.management.page;
