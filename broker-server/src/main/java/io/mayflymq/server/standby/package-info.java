/** This broker as the standby of another one, and what a primary gives to its standby. */
package io.mayflymq.server.standby;
