// The codecs none, string and json: message to bytes and back.
#include "peer.h"
#include <string.h>

static const size_t ID_DIGITS = 10, LENGTH_DIGITS = 20;

bool is_ascii(const char *text, size_t bytes) {
  size_t at = 0;
  for (; at + 8 <= bytes; at += 8) {
    uint64_t eight;
    memcpy(&eight, text + at, 8);
    if (eight & 0x8080808080808080u) return false;
  }
  for (; at < bytes; at += 1) if (text[at] & 0x80) return false;
  return true;
}

// Lengths of texts count UTF-16 units: one for each character, two for those of four bytes.
static size_t units_of(const char *text, size_t bytes) {
  if (is_ascii(text, bytes)) return bytes;
  size_t units = 0;
  for (size_t at = 0; at < bytes; at += 1) {
    unsigned char byte = (unsigned char)text[at];
    units += (byte & 0xc0) != 0x80;
    units += byte >= 0xf0;
  }
  return units;
}

static size_t write_number(char *wire, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  for (size_t at = 0; at < count; at += 1) wire[at] = digits[count - 1 - at];
  return count;
}

// One to ten digits; 0 bytes read: there are none, or more.
static size_t read_number(const char *wire, size_t bytes, uint64_t *number) {
  size_t at = 0;
  *number = 0;
  for (; at < bytes && wire[at] >= '0' && wire[at] <= '9'; at += 1) *number = *number * 10 + (uint64_t)(wire[at] - '0');
  return at > ID_DIGITS ? 0 : at;
}

static bool is_id(uint64_t id) { return id > 0 && id <= INT32_MAX; }

// none: four bytes of id, little-endian, inverted where the payload is ASCII; then the payload.

static bool decode_none(const char *wire, size_t bytes, Message *message) {
  if (bytes < 4) return false;
  const unsigned char *of = (const unsigned char *)wire;
  int32_t id = (int32_t)((uint32_t)of[0] | (uint32_t)of[1] << 8 | (uint32_t)of[2] << 16 | (uint32_t)of[3] << 24);
  *message = (Message){id < 0 ? ~id : id, wire + 4, bytes - 4};
  return message->id > 0;
}

static size_t bytes_of_none(const Message *message) { return 4 + message->bytes; }

static size_t encode_none(const Message *message, char *wire) {
  uint32_t id = (uint32_t)(is_ascii(message->payload, message->bytes) ? ~message->id : message->id);
  for (int at = 0; at < 4; at += 1) wire[at] = (char)(id >> (8 * at));
  memcpy(wire + 4, message->payload, message->bytes);
  return 4 + message->bytes;
}

// string: id, space, length in UTF-16 units, space, payload.

static bool decode_string(const char *wire, size_t bytes, Message *message) {
  uint64_t id, units;
  size_t at = read_number(wire, bytes, &id);
  if (at == 0 || at == bytes || wire[at] != ' ') return false;
  at += 1;
  size_t digits = read_number(wire + at, bytes - at, &units);
  at += digits;
  if (digits == 0 || at == bytes || wire[at] != ' ') return false;
  at += 1;
  *message = (Message){(int32_t)id, wire + at, bytes - at};
  return is_id(id) && units_of(message->payload, message->bytes) == units;
}

static size_t bytes_of_string(const Message *message) { return ID_DIGITS + LENGTH_DIGITS + 2 + message->bytes; }

static size_t encode_string(const Message *message, char *wire) {
  size_t at = write_number(wire, (uint64_t)message->id);
  wire[at++] = ' ';
  at += write_number(wire + at, units_of(message->payload, message->bytes));
  wire[at++] = ' ';
  memcpy(wire + at, message->payload, message->bytes);
  return at + message->bytes;
}

// json: {"id":1,"payload":"text"}, the fields in any order.

static size_t after_space(const char *wire, size_t bytes, size_t at) {
  while (at < bytes && (wire[at] == ' ' || wire[at] == '\t' || wire[at] == '\n' || wire[at] == '\r')) at += 1;
  return at;
}

static int hex_of(const char *at) {
  int value = 0;
  for (int digit = 0; digit < 4; digit += 1) {
    char one = at[digit];
    int of = one >= '0' && one <= '9' ? one - '0' : (one | 32) >= 'a' && (one | 32) <= 'f' ? (one | 32) - 'a' + 10 : -1;
    if (of < 0) return -1;
    value = value * 16 + of;
  }
  return value;
}

static size_t write_utf8(char *to, uint32_t point) {
  if (point < 0x80) return to[0] = (char)point, 1;
  size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  static const unsigned char LEAD[] = {0, 0xc0, 0xe0, 0xf0};
  to[0] = (char)(LEAD[more] | point >> (6 * more));
  for (size_t at = 1; at <= more; at += 1) to[at] = (char)(0x80 | (point >> (6 * (more - at)) & 0x3f));
  return more + 1;
}

// The character of an escape behind its backslash; 0 bytes read: there is none.
static size_t read_escape(const char *wire, size_t bytes, uint32_t *point) {
  static const char NAMES[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
  if (bytes == 0) return 0;
  const char *name = wire[0] == 0 ? NULL : strchr(NAMES, wire[0]);
  if (name != NULL) return *point = (uint32_t)MEANT[name - NAMES], 1;
  int high = wire[0] == 'u' && bytes >= 5 ? hex_of(wire + 1) : -1;
  if (high < 0) return 0;
  *point = (uint32_t)high;
  if (high < 0xd800 || high > 0xdfff) return 5;
  int low = high < 0xdc00 && bytes >= 11 && wire[5] == '\\' && wire[6] == 'u' ? hex_of(wire + 7) : -1;
  if (low < 0xdc00 || low > 0xdfff) return 0; // half of a pair is no text
  *point = 0x10000u + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
  return 11;
}

// A text behind its quote, up to and with the one that ends it; 0: it is none. Without an escape it stays where it is.
static size_t read_text(const char *wire, size_t bytes, const char **text, size_t *text_bytes) {
  static char *unescaped;
  static size_t room;
  size_t at = 0;
  while (at < bytes && wire[at] != '"' && wire[at] != '\\' && (unsigned char)wire[at] >= ' ') at += 1;
  if (at < bytes && wire[at] == '"') return *text = wire, *text_bytes = at, at + 1;
  if (room < bytes) unescaped = grown(unescaped, room = bytes);
  memcpy(unescaped, wire, at);
  size_t to = at;
  while (at < bytes && wire[at] != '"') {
    if ((unsigned char)wire[at] < ' ') return 0;
    if (wire[at] != '\\') {
      unescaped[to++] = wire[at++];
      continue;
    }
    uint32_t point;
    size_t read = read_escape(wire + at + 1, bytes - at - 1, &point);
    if (read == 0) return 0;
    at += 1 + read;
    to += write_utf8(unescaped + to, point);
  }
  *text = unescaped;
  *text_bytes = to;
  return at < bytes ? at + 1 : 0;
}

static bool decode_json(const char *wire, size_t bytes, Message *message) {
  uint64_t id = 0;
  message->payload = NULL;
  size_t at = after_space(wire, bytes, 0);
  for (char before = '{'; at < bytes && wire[at] == before; before = ',') {
    at = after_space(wire, bytes, at + 1);
    bool is_id_next = bytes - at > 4 && memcmp(wire + at, "\"id\"", 4) == 0;
    bool is_payload_next = !is_id_next && bytes - at > 9 && memcmp(wire + at, "\"payload\"", 9) == 0;
    if (!is_id_next && !is_payload_next) return false;
    at = after_space(wire, bytes, at + (is_id_next ? 4 : 9));
    if (at == bytes || wire[at] != ':') return false;
    at = after_space(wire, bytes, at + 1);
    size_t read = 0;
    if (is_id_next) read = read_number(wire + at, bytes - at, &id);
    else if (at < bytes && wire[at] == '"') {
      read = read_text(wire + at + 1, bytes - at - 1, &message->payload, &message->bytes);
      at += read > 0;
    }
    if (read == 0) return false;
    at = after_space(wire, bytes, at + read);
  }
  message->id = (int32_t)id;
  return is_id(id) && message->payload != NULL && at + 1 <= bytes && wire[at] == '}' &&
         after_space(wire, bytes, at + 1) == bytes;
}

static size_t bytes_of_json(const Message *message) { return 64 + 6 * message->bytes; }

static size_t encode_json(const Message *message, char *wire) {
  static const char BEFORE_ID[] = "{\"id\":", BEFORE_PAYLOAD[] = ",\"payload\":\"";
  static const char ESCAPES[] = "btn?fr", HEX[] = "0123456789abcdef";
  memcpy(wire, BEFORE_ID, sizeof BEFORE_ID - 1);
  size_t at = sizeof BEFORE_ID - 1;
  at += write_number(wire + at, (uint64_t)message->id);
  memcpy(wire + at, BEFORE_PAYLOAD, sizeof BEFORE_PAYLOAD - 1);
  at += sizeof BEFORE_PAYLOAD - 1;
  for (size_t from = 0; from < message->bytes; from += 1) {
    unsigned char byte = (unsigned char)message->payload[from];
    if (byte >= ' ' && byte != '"' && byte != '\\') {
      wire[at++] = (char)byte;
      continue;
    }
    wire[at++] = '\\';
    if (byte >= ' ') wire[at++] = (char)byte;
    else if (byte >= 8 && byte <= 13 && byte != 11) wire[at++] = ESCAPES[byte - 8];
    else {
      memcpy(wire + at, "u00", 3);
      wire[at + 3] = HEX[byte >> 4];
      wire[at + 4] = HEX[byte & 15];
      at += 5;
    }
  }
  memcpy(wire + at, "\"}", 2);
  return at + 2;
}

static const Codec CODECS[] = {
  {"none", false, decode_none, bytes_of_none, encode_none},
  {"string", true, decode_string, bytes_of_string, encode_string},
  {"json", true, decode_json, bytes_of_json, encode_json},
};

const Codec *codec_named(const char *name) {
  for (size_t at = 0; at < sizeof CODECS / sizeof *CODECS; at += 1)
    if (strcmp(CODECS[at].name, name) == 0) return &CODECS[at];
  return NULL;
}
