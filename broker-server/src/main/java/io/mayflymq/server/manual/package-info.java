/**
 * Manual pages and completion scripts for packages, made from what the commands and the keys say of
 * themselves. The build runs it; the broker does not.
 */
package io.mayflymq.server.manual;
