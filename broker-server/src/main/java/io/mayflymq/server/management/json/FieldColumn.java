package io.mayflymq.server.management.json;

/**
 * A field as a column of the control command's list.
 *
 * @param path of the field in the object of the API
 */
public record FieldColumn(String name, String path, FieldType type) {}
