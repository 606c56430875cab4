/** What users may do, against the tables of {@code docs/}. */
package io.mayflymq.it.rights;
