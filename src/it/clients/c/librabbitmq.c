/* librabbitmq: blocking, in C. */

#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define assert(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);   \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

static const amqp_table_t NO_TABLE = {0, NULL};
static struct timeval five_seconds = {5, 0};

static amqp_bytes_t text(const char *text) { return amqp_cstring_bytes(text); }

static int same(amqp_bytes_t bytes, const char *wanted) {
  return bytes.len == strlen(wanted) && memcmp(bytes.bytes, wanted, bytes.len) == 0;
}

static void ok(const char *area, const char *what) {
  printf("ok %s %s\n", area, what);
  fflush(stdout);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

/* Ends the program unless the last call of the connection was answered as it should be. */
static void succeed(amqp_connection_state_t connection, const char *what) {
  amqp_rpc_reply_t reply = amqp_get_rpc_reply(connection);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) {
    fprintf(stderr, "%s failed: %s\n", what,
            reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION
                ? amqp_error_string2(reply.library_error)
                : amqp_method_name(reply.reply.id));
    exit(1);
  }
}

static amqp_connection_state_t connect_broker(void) {
  const char *variable = getenv("AMQP_URL");
  char *url = strdup(variable ? variable : "amqp://guest:guest@localhost:5672/%2f");
  struct amqp_connection_info info;
  assert(amqp_parse_url(url, &info) == AMQP_STATUS_OK);
  amqp_connection_state_t connection = amqp_new_connection();
  amqp_socket_t *socket = amqp_tcp_socket_new(connection);
  assert(amqp_socket_open(socket, info.host, info.port) == AMQP_STATUS_OK);
  amqp_rpc_reply_t reply = amqp_login(connection, info.vhost, AMQP_DEFAULT_MAX_CHANNELS,
                                      AMQP_DEFAULT_FRAME_SIZE, 0, AMQP_SASL_METHOD_PLAIN,
                                      info.user, info.password);
  assert(reply.reply_type == AMQP_RESPONSE_NORMAL);
  free(url);
  return connection;
}

static void open_channel(amqp_connection_state_t connection, amqp_channel_t channel) {
  amqp_channel_open(connection, channel);
  succeed(connection, "channel.open");
}

static void publish(amqp_connection_state_t connection, const char *exchange, const char *key,
                    amqp_basic_properties_t properties, const char *body) {
  properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
  properties._flags |= AMQP_BASIC_DELIVERY_MODE_FLAG;
  assert(amqp_basic_publish(connection, 1, text(exchange), text(key), 1, 0, &properties,
                            text(body)) == AMQP_STATUS_OK);
}

/* Reads the next method that the broker sends, and its body if it is a returned message. */
static amqp_method_number_t next_method(amqp_connection_state_t connection, uint64_t *tag) {
  amqp_frame_t frame;
  assert(amqp_simple_wait_frame_noblock(connection, &frame, &five_seconds) == AMQP_STATUS_OK);
  assert(frame.frame_type == AMQP_FRAME_METHOD);
  if (frame.payload.method.id == AMQP_BASIC_ACK_METHOD) {
    *tag = ((amqp_basic_ack_t *)frame.payload.method.decoded)->delivery_tag;
  }
  if (frame.payload.method.id == AMQP_BASIC_RETURN_METHOD) {
    amqp_message_t message;
    amqp_read_message(connection, frame.channel, &message, 0);
    succeed(connection, "reading a returned message");
    amqp_destroy_message(&message);
  }
  return frame.payload.method.id;
}

static void await_confirm(amqp_connection_state_t connection, uint64_t number) {
  for (uint64_t confirmed = 0; confirmed < number;) {
    assert(next_method(connection, &confirmed) == AMQP_BASIC_ACK_METHOD);
  }
}

static void consume(amqp_connection_state_t connection, amqp_channel_t channel, const char *queue,
                    const char *tag, int no_ack) {
  amqp_basic_consume(connection, channel, text(queue), text(tag), 0, no_ack, 0, NO_TABLE);
  succeed(connection, "basic.consume");
}

static void cancel(amqp_connection_state_t connection, amqp_channel_t channel, const char *tag) {
  amqp_basic_cancel(connection, channel, text(tag));
  succeed(connection, "basic.cancel");
}

/* Waits for a delivery; 0 if none comes in time. */
static int next(amqp_connection_state_t connection, amqp_envelope_t *envelope,
                struct timeval *patience) {
  amqp_maybe_release_buffers(connection);
  amqp_rpc_reply_t reply = amqp_consume_message(connection, envelope, patience, 0);
  if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION &&
      reply.library_error == AMQP_STATUS_TIMEOUT) {
    return 0;
  }
  assert(reply.reply_type == AMQP_RESPONSE_NORMAL);
  return 1;
}

static const amqp_field_value_t *entry(amqp_table_t table, const char *name) {
  for (int i = 0; i < table.num_entries; i++) {
    if (same(table.entries[i].key, name)) {
      return &table.entries[i].value;
    }
  }
  fprintf(stderr, "there is no %s\n", name);
  exit(1);
}

static void declare(amqp_connection_state_t connection) {
  amqp_exchange_declare(connection, 1, text("orders"), text("direct"), 0, 1, 0, 0, NO_TABLE);
  succeed(connection, "exchange.declare");
  amqp_queue_declare(connection, 1, text("orders"), 0, 1, 0, 0, NO_TABLE);
  succeed(connection, "queue.declare");
  amqp_queue_bind(connection, 1, text("orders"), text("orders"), text("new"), NO_TABLE);
  succeed(connection, "queue.bind");
  open_channel(connection, 2);
  amqp_queue_declare(connection, 2, text("orders"), 0, 0, 0, 0, NO_TABLE);
  amqp_rpc_reply_t refused = amqp_get_rpc_reply(connection);
  assert(refused.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION);
  assert(refused.reply.id == AMQP_CHANNEL_CLOSE_METHOD);
  assert(((amqp_channel_close_t *)refused.reply.decoded)->reply_code == AMQP_PRECONDITION_FAILED);
  amqp_channel_close_ok_t close_ok = {0};
  assert(amqp_send_method(connection, 2, AMQP_CHANNEL_CLOSE_OK_METHOD, &close_ok) ==
         AMQP_STATUS_OK);
  ok("declare", "a redeclaration that differs is refused");
}

static void confirms(amqp_connection_state_t connection) {
  amqp_confirm_select(connection, 1);
  succeed(connection, "confirm.select");
  const amqp_basic_properties_t plain = {0};
  for (int number = 0; number < 100; number++) {
    char body[4];
    snprintf(body, sizeof body, "%d", number);
    publish(connection, "orders", "new", plain, body);
  }
  await_confirm(connection, 100);
  ok("confirms", "100 persistent messages are confirmed");
  publish(connection, "orders", "nowhere", plain, "lost");
  uint64_t confirmed = 0;
  assert(next_method(connection, &confirmed) == AMQP_BASIC_RETURN_METHOD);
  ok("returns", "a message without a route comes back");
  await_confirm(connection, 101);
}

static void prefetch(amqp_connection_state_t connection) {
  open_channel(connection, 3);
  amqp_basic_qos(connection, 3, 0, 10, 0);
  succeed(connection, "basic.qos");
  consume(connection, 3, "orders", "worker", 0);
  for (int number = 0; number < 100; number++) {
    amqp_envelope_t envelope;
    assert(next(connection, &envelope, &five_seconds));
    char body[4];
    snprintf(body, sizeof body, "%d", number);
    assert(same(envelope.message.body, body));
    if (number == 9) {
      struct timeval moment = {0, 200000};
      amqp_envelope_t more;
      assert(!next(connection, &more, &moment));
    }
    if (number >= 9) {
      assert(amqp_basic_ack(connection, 3, envelope.delivery_tag, 1) == AMQP_STATUS_OK);
    }
    amqp_destroy_envelope(&envelope);
  }
  cancel(connection, 3, "worker");
  ok("prefetch", "10 at a time, and all in order");
}

static amqp_field_value_t utf8(const char *value) {
  amqp_field_value_t field = {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = text(value)};
  return field;
}

static void time_to_live(amqp_connection_state_t connection) {
  amqp_queue_declare(connection, 1, text("dead"), 0, 1, 0, 0, NO_TABLE);
  succeed(connection, "queue.declare");
  amqp_table_entry_t entries[] = {
      {text("x-dead-letter-exchange"), utf8("")},
      {text("x-dead-letter-routing-key"), utf8("dead")},
  };
  amqp_table_t arguments = {2, entries};
  amqp_queue_declare(connection, 1, text("mortal"), 0, 1, 0, 0, arguments);
  succeed(connection, "queue.declare");
  double start = seconds();
  amqp_basic_properties_t brief = {._flags = AMQP_BASIC_EXPIRATION_FLAG,
                                   .expiration = text("200")};
  publish(connection, "", "mortal", brief, "brief");
  await_confirm(connection, 102);
  consume(connection, 3, "dead", "undertaker", 1);
  amqp_envelope_t envelope;
  assert(next(connection, &envelope, &five_seconds));
  double lived = seconds() - start;
  assert(same(envelope.message.body, "brief"));
  assert(lived >= 0.199);
  char what[64];
  snprintf(what, sizeof what, "it lived for %.0f ms of 200", lived * 1000);
  ok("ttl", what);
  amqp_basic_properties_t *properties = &envelope.message.properties;
  const amqp_field_value_t *deaths = entry(properties->headers, "x-death");
  assert(deaths->kind == AMQP_FIELD_KIND_ARRAY && deaths->value.array.num_entries == 1);
  amqp_table_t death = deaths->value.array.entries[0].value.table;
  assert(same(entry(death, "queue")->value.bytes, "mortal"));
  assert(same(entry(death, "reason")->value.bytes, "expired"));
  assert(same(entry(death, "original-expiration")->value.bytes, "200"));
  assert(entry(death, "count")->value.i64 == 1);
  assert(!(properties->_flags & AMQP_BASIC_EXPIRATION_FLAG));
  ok("dead-letter", "x-death tells where and why");
  amqp_destroy_envelope(&envelope);
  cancel(connection, 3, "undertaker");
}

/* The command line tools that come with the library. */
static void tools(void) {
  assert(system("amqp-publish -u \"$AMQP_URL\" -e orders -r new -p -b 'from the shell'") == 0);
  assert(system("test \"$(amqp-get -u \"$AMQP_URL\" -q orders)\" = 'from the shell'") == 0);
  ok("tools", "amqp-publish and amqp-get");
}

static void restart(amqp_connection_state_t connection) {
  const amqp_basic_properties_t plain = {0};
  publish(connection, "orders", "new", plain, "kept");
  await_confirm(connection, 103);
  printf("restart\n");
  fflush(stdout);
  assert(getchar() != EOF);
  /* The library does not reconnect by itself: a call fails, and a new connection is made. */
  amqp_rpc_reply_t reply = amqp_basic_get(connection, 1, text("orders"), 1);
  assert(reply.reply_type != AMQP_RESPONSE_NORMAL);
  amqp_destroy_connection(connection);
  connection = connect_broker();
  open_channel(connection, 1);
  consume(connection, 1, "orders", "", 1);
  amqp_envelope_t envelope;
  assert(next(connection, &envelope, &five_seconds));
  assert(same(envelope.message.body, "kept"));
  amqp_destroy_envelope(&envelope);
  ok("restart", "the persistent message is there after the broker's restart");
  amqp_connection_close(connection, AMQP_REPLY_SUCCESS);
  amqp_destroy_connection(connection);
}

int main(void) {
  printf("version %s\n", amqp_version());
  amqp_connection_state_t connection = connect_broker();
  open_channel(connection, 1);
  declare(connection);
  confirms(connection);
  prefetch(connection);
  time_to_live(connection);
  tools();
  restart(connection);
  return 0;
}
