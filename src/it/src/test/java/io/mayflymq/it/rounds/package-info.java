/**
 * Rounds of load, kill -9, restart and comparison with what the clients know: the proof that
 * nothing confirmed is lost and nothing acknowledged comes back.
 */
package io.mayflymq.it.rounds;
