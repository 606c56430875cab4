package io.mayflymq.server.management.api;

import io.mayflymq.server.json.Json;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A list as a request wants it: filtered by name and cut into pages (page, page_size, name,
 * use_regex, all_names), sorted (sort, sort_reverse), with some of the fields only (columns).
 * RabbitMQ, "HTTP API", sections "Pagination" and "Filtering".
 *
 * <p>A list of a hundred thousand queues is mostly requested by page, in the order of names. So
 * items are sorted by name and cut into pages before they become JSON objects. To sort by another
 * field the object of each item is made, but only the field is kept. Each object is made when it is
 * written: a hundred thousand of them at once would cost the garbage collector, and so the
 * deliveries, tens of milliseconds.
 */
public final class Listing<T> {
  private static final int DEFAULT_PAGE_SIZE = 100;
  private static final int LARGEST_PAGE_SIZE = 500;

  private final List<T> things;
  private final Function<T, String> name;
  private final Function<T, Map<String, Object>> object;
  private final BiFunction<T, String, Object> keys;
  private final Function<T, List<String>> furtherNames;

  private Listing(
      List<T> things,
      Function<T, String> name,
      Function<T, List<String>> furtherNames,
      Function<T, Map<String, Object>> object,
      BiFunction<T, String, Object> keys) {
    this.things = things;
    this.name = name;
    this.furtherNames = furtherNames;
    this.object = object;
    this.keys = keys;
  }

  /**
   * Creates a listing of items in their default order, which applies unless the request sorts them.
   */
  public static <T> Listing<T> of(
      List<T> things, Function<T, String> name, Function<T, Map<String, Object>> object) {
    return new Listing<>(
        things,
        name,
        thing -> List.of(),
        object,
        (thing, field) -> field(object.apply(thing), field));
  }

  /**
   * Returns this listing with further names of its items: a request with {@code all_names} also
   * finds items by these.
   */
  public Listing<T> alsoNamed(Function<T, List<String>> names) {
    return new Listing<>(things, name, names, object, keys);
  }

  /**
   * Returns this listing with a shorter way to fields of its objects, for requests that sort by one
   * of them.
   *
   * @param keys returns the value that the object of an item has at a path
   */
  public Listing<T> sortedBy(BiFunction<T, String, Object> keys) {
    return new Listing<>(things, name, furtherNames, object, keys);
  }

  /** Creates a listing of objects, ordered by their field {@code name}. */
  public static Listing<Map<String, Object>> of(List<Map<String, Object>> objects) {
    return new Listing<>(
        objects,
        object -> String.valueOf(object.getOrDefault("name", "")),
        object -> List.of(),
        object -> object,
        Listing::field);
  }

  /**
   * Returns the list, or the page of it that the request specifies.
   *
   * @throws ApiException 400 if the page is invalid or does not exist
   */
  public Response answer(Request request) {
    return Response.ok(
        request.query("page") == null ? finish(request, sorted(request, things)) : page(request));
  }

  private Map<String, Object> page(Request request) {
    return page(
        request,
        filtered(request, things, name, furtherNames),
        things.size(),
        (filtered, cut) -> cut.of(sorted(request, filtered)));
  }

  /**
   * Returns a page of items that are in the order already that the request specifies.
   *
   * @param ordered all items
   * @param name the name of an item, for the filter
   * @param objects makes the objects of the items of the page
   * @throws ApiException 400 if the page is invalid or does not exist
   */
  public static <T> Response pageOf(
      Request request,
      List<T> ordered,
      Function<T, String> name,
      Function<List<T>, List<Map<String, Object>>> objects) {
    return Response.ok(
        page(
            request,
            filtered(request, ordered, name, thing -> List.of()),
            ordered.size(),
            (filtered, cut) -> objects.apply(cut.of(filtered))));
  }

  /**
   * The part of a list that is on a page.
   *
   * @param from the index of its first item
   * @param to the index after its last one
   */
  public record Cut(int from, int to) {
    /** Returns this part of a list, which may have become shorter. */
    public <X> List<X> of(List<X> list) {
      return list.subList(Math.min(from, list.size()), Math.min(to, list.size()));
    }
  }

  private static <T> Map<String, Object> page(
      Request request,
      List<T> filtered,
      int total,
      BiFunction<List<T>, Cut, List<Map<String, Object>>> objects) {
    Page page = pageFrom(request);
    return page(request, page, total, filtered.size(), cut -> objects.apply(filtered, cut));
  }

  /**
   * A page of a list.
   *
   * @param number from 1
   * @param size the most items that are on it
   */
  public record Page(int number, int size) {
    /** Returns how many items there are on it and the ones before it, if all are full. */
    public long end() {
      return (long) number * size;
    }
  }

  /**
   * Returns the page that a request specifies; null if it wants the whole list.
   *
   * @throws ApiException 400 if it is invalid
   */
  public static Page pageIn(Request request) {
    return request.query("page") == null ? null : pageFrom(request);
  }

  private static Page pageFrom(Request request) {
    int page = number(request, "page", 1);
    int size = number(request, "page_size", DEFAULT_PAGE_SIZE);
    if (page < 1 || size < 1 || size > LARGEST_PAGE_SIZE) {
      throw new ApiException(
          400,
          "invalid_pagination_parameters",
          "Invalid pagination parameters: page number %d, page size %d".formatted(page, size));
    }
    return new Page(page, size);
  }

  /**
   * Returns a page of a list whose items are not all known here.
   *
   * @param total how many items there are
   * @param filtered how many of them have the name that the request wants
   * @param objects makes the objects of the items of the page
   * @throws ApiException 400 if the page does not exist
   */
  public static Response pageOf(
      Request request,
      Page page,
      int total,
      int filtered,
      Function<Cut, List<Map<String, Object>>> objects) {
    return Response.ok(page(request, page, total, filtered, objects));
  }

  private static Map<String, Object> page(
      Request request,
      Page page,
      int total,
      int filtered,
      Function<Cut, List<Map<String, Object>>> objects) {
    int size = page.size;
    int pages = (filtered + size - 1) / size;
    if (page.number > Math.max(1, pages)) {
      throw new ApiException(
          400,
          "page_out_of_range",
          "Page out of range, page: %d page size: %d, len: %d"
              .formatted(page.number, size, filtered));
    }
    int from = (page.number - 1) * size;
    List<Object> items =
        finish(request, objects.apply(new Cut(from, Math.min(filtered, from + size))));
    return Json.object(
        "filtered_count", filtered,
        "item_count", items.size(),
        "items", items,
        "page", page.number,
        "page_count", pages,
        "page_size", size,
        "total_count", total);
  }

  /**
   * Returns the items that have the name that a request wants: all, unless it wants one.
   *
   * @param name the name of an item
   * @throws ApiException 400 if the pattern is invalid or takes too long
   */
  public static <T> List<T> filtered(Request request, List<T> all, Function<T, String> name) {
    return filtered(request, all, name, thing -> List.of());
  }

  /**
   * Returns the items that have the name that a request wants, or one of their further names if it
   * says {@code all_names}.
   *
   * @param name the name of an item
   * @param further its further names
   * @throws ApiException 400 if the pattern is invalid or takes too long
   */
  public static <T> List<T> filtered(
      Request request, List<T> all, Function<T, String> name, Function<T, List<String>> further) {
    String given = request.query("name");
    if (given == null || given.isEmpty()) {
      return all;
    }
    NameFilter filter =
        request.flag("use_regex") ? NameFilter.matching(given) : NameFilter.containing(given);
    return filter.of(all, name, request.flag("all_names") ? further : thing -> List.of());
  }

  private static int number(Request request, String parameter, int otherwise) {
    String given = request.query(parameter);
    try {
      return given == null ? otherwise : Integer.parseInt(given);
    } catch (NumberFormatException e) {
      throw invalid();
    }
  }

  private static ApiException invalid() {
    return ApiException.badRequest("Pagination parameters are invalid");
  }

  /** Returns the items in order; each is converted into an object when it is read. */
  private List<Map<String, Object>> sorted(Request request, List<T> filtered) {
    String field = request.query("sort");
    boolean reverse = request.flag("sort_reverse");
    if (field == null || field.isEmpty() || field.equals("name")) {
      List<T> ordered = new ArrayList<>(filtered);
      if (field != null) {
        ordered.sort(Comparator.comparing(name));
      }
      if (reverse) {
        Collections.reverse(ordered);
      }
      return new Lazy<>(ordered, object);
    }
    return new Lazy<>(sorted(filtered, key(field), reverse), object);
  }

  /** Returns the objects of items; each is made when it is read. */
  public List<Map<String, Object>> objects(List<T> items) {
    return new Lazy<>(items, object);
  }

  /** Returns what gives the value of a field of an item, by its path. */
  public Function<T, Object> key(String field) {
    return thing -> keys.apply(thing, field);
  }

  /** Returns items sorted by a value; those with equal values stay in their order. */
  public static <T> List<T> sorted(List<T> items, Function<T, Object> key, boolean reverse) {
    List<Keyed<T>> keyed =
        new ArrayList<>(items.stream().map(item -> new Keyed<>(item, key.apply(item))).toList());
    Comparator<Keyed<T>> order =
        keyed.stream().allMatch(each -> each.key instanceof Long)
            ? Comparator.comparingLong(each -> (Long) each.key)
            : Comparator.comparing(Keyed::key, Listing::compare);
    keyed.sort(reverse ? order.reversed() : order);
    return lazy(keyed, Keyed::thing);
  }

  /**
   * An item, and the value that it is sorted by: the objects of all items take much more memory.
   */
  private record Keyed<T>(T thing, Object key) {}

  /** Returns a list that converts each item when it is read. */
  public static <A, B> List<B> lazy(List<A> things, Function<? super A, ? extends B> turn) {
    return new Lazy<>(things, turn);
  }

  /** A list that converts each item when it is read, and does not keep the result. */
  private static final class Lazy<A, B> extends AbstractList<B> {
    private final List<A> things;
    private final Function<? super A, ? extends B> turn;

    Lazy(List<A> things, Function<? super A, ? extends B> turn) {
      this.things = things;
      this.turn = turn;
    }

    @Override
    public B get(int index) {
      return turn.apply(things.get(index));
    }

    @Override
    public int size() {
      return things.size();
    }
  }

  /**
   * Returns a field by its path, such as {@code message_stats.publish_details.rate}; null if
   * absent.
   */
  public static Object field(Map<?, ?> object, String path) {
    Object value = object;
    for (String step : path.split("\\.")) {
      value = value instanceof Map<?, ?> map ? map.get(step) : null;
    }
    return value;
  }

  /** Compares two values: null is first, then numbers, then all other values by their text. */
  public static int compare(Object a, Object b) {
    if (a instanceof Number x && b instanceof Number y) {
      return Double.compare(x.doubleValue(), y.doubleValue());
    }
    int byKind = Integer.compare(kind(a), kind(b));
    return byKind != 0 || a == null ? byKind : a.toString().compareTo(b.toString());
  }

  private static int kind(Object value) {
    return value == null ? 0 : value instanceof Number ? 1 : 2;
  }

  /** Returns the objects of a list with the columns that a request wants, when they are read. */
  public static List<Object> finish(Request request, List<Map<String, Object>> objects) {
    return new Lazy<>(objects, object -> columns(request, object));
  }

  /**
   * Returns an object with only the columns that the request specifies. An object without any of
   * them becomes an empty list, as in RabbitMQ.
   */
  public static Object columns(Request request, Map<String, Object> object) {
    String columns = request.query("columns");
    if (columns == null || columns.isEmpty()) {
      return object;
    }
    Map<String, Object> chosen = new LinkedHashMap<>();
    for (String column : columns.split(",")) {
      choose(object, List.of(column.split("\\.")), chosen);
    }
    return chosen.isEmpty() ? List.of() : chosen;
  }

  @SuppressWarnings("unchecked") // the map that is filled was created here
  private static void choose(Map<?, ?> from, List<String> path, Map<String, Object> into) {
    String step = path.get(0);
    if (!from.containsKey(step)) {
      return;
    }
    Object value = from.get(step);
    if (path.size() == 1) {
      into.put(step, value);
    } else if (value instanceof Map<?, ?> inner) {
      Map<String, Object> chosen =
          into.get(step) instanceof LinkedHashMap<?, ?> before
              ? (Map<String, Object>) before
              : new LinkedHashMap<>();
      choose(inner, path.subList(1, path.size()), chosen);
      if (!chosen.isEmpty()) {
        into.put(step, chosen);
      }
    }
  }
}
