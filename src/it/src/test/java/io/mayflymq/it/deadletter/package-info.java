/** Dead-lettering, the death history, the death journal, and redrives. */
package io.mayflymq.it.deadletter;
