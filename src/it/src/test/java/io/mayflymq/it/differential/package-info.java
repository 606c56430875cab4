/** Random programs, run by two brokers side by side: what clients can observe must be the same. */
package io.mayflymq.it.differential;
