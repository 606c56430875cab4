/** Users, permissions, limits, and TLS. */
package io.mayflymq.it.security;
