/** How the control command finds the broker and asks its HTTP API. */
package io.mayflymq.server.ctl.client;
