package io.mayflymq.core.store.segment;

import java.util.List;

/**
 * The result of opening a log.
 *
 * @param segments how many segments there were
 * @param records how many records in them
 * @param bytes how long they are together
 * @param damages the damages found, including torn tails
 */
public record RecoveryReport(int segments, long records, long bytes, List<Damage> damages) {}
