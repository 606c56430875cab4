/** JSON: what it is in Java, how it is read and written, and what field tables are in it. */
package io.mayflymq.server.json;
