/** A broker as the warm standby of another one. */
package io.mayflymq.it.standby;
