package io.mayflymq.core.store.segment.recovery;

import io.mayflymq.core.store.segment.file.Damage;
import java.util.List;

/**
 * How the opening of a log went.
 *
 * @param segments how many segments there were
 * @param records how many records in them
 * @param bytes how long they are together
 * @param damages what was found to be damaged, torn tails too
 */
public record RecoveryReport(int segments, long records, long bytes, List<Damage> damages) {}
