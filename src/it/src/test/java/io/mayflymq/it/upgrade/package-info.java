/** Data directories that an earlier version has written. */
package io.mayflymq.it.upgrade;
