/**
 * Error numbers of the whole project, from one table.
 *
 * Numbers are ABI: never reused, gaps left between rooms. The class says what a caller can do:
 * CALL fix the call, RESOURCE free something, RETRY try again later, PEER drop the peer,
 * REOPEN open the object anew, BUG report it.
 */
#ifndef TICKGLASS_ERR_H
#define TICKGLASS_ERR_H

#include <tickglass/api.h>

TG_BEGIN_DECLS

/* clang-format off */
#define TG_ERR_TABLE(X)                                                                            \
    X(TG_OK,                        0, CALL,     "no error")                                       \
    /* any room: 1 to 99 */                                                                        \
    X(TG_ERR_INVALID_ARGUMENT,      1, CALL,     "an argument is NULL or out of range")            \
    X(TG_ERR_NO_MEMORY,             2, RESOURCE, "memory is exhausted")                            \
    X(TG_ERR_UNSUPPORTED,           3, CALL,     "this build cannot do that")                      \
    X(TG_ERR_STATE,                 4, CALL,     "the object is not in a state that allows this")  \
    X(TG_ERR_FULL,                  5, RESOURCE, "a bounded queue or table is full")               \
    X(TG_ERR_NOT_FOUND,             6, CALL,     "no such item")                                   \
    X(TG_ERR_IO,                    7, RETRY,    "the operating system refused an input or output") \
    X(TG_ERR_SYNTAX,                8, CALL,     "text does not have the expected form")           \
    X(TG_ERR_OVERFLOW,              9, CALL,     "a number does not fit")                          \
    X(TG_ERR_BUFFER_TOO_SMALL,     10, CALL,     "the caller's buffer is too small")               \
    X(TG_ERR_FORKED,               11, REOPEN,   "the object belongs to the parent process")       \
    X(TG_ERR_CLOSED,               12, REOPEN,   "the object is closed")                           \
    /* codec: 100 to 199 */                                                                        \
    X(TG_ERR_TRUNCATED,           100, PEER,     "a message ends before its fields do")            \
    X(TG_ERR_TRAILING_BYTES,      101, PEER,     "a message goes on after its last field")         \
    X(TG_ERR_VARINT,              102, PEER,     "a varint is over long or over 64 bits")          \
    X(TG_ERR_MESSAGE_KIND,        103, PEER,     "the message kind is not the expected one")       \
    X(TG_ERR_MANDATORY_UNKNOWN,   104, PEER,     "an unknown item is marked as mandatory")         \
    X(TG_ERR_FLAGS,               105, PEER,     "a flag that must be zero is set")                \
    X(TG_ERR_COUNT_LIMIT,         106, PEER,     "a count is over its limit")                      \
    X(TG_ERR_SLOT,                107, PEER,     "a slot is outside the set or out of order")      \
    X(TG_ERR_FIELD_MASK,          108, PEER,     "a field mask is empty or contradicts itself")    \
    X(TG_ERR_DELTA_OVERFLOW,      109, PEER,     "a delta leaves the 64-bit range")                \
    X(TG_ERR_VERSION,             110, PEER,     "a version does not follow from its base")        \
    X(TG_ERR_SET_DIGEST,          111, PEER,     "the set digest does not match the listed set")   \
    X(TG_ERR_SET_ORDER,           112, PEER,     "a set's ids are not strictly ascending")         \
    X(TG_ERR_BASE_MISMATCH,       113, RETRY,    "a frame is not based on this channel's boundary") \
    X(TG_ERR_SET_MISMATCH,        114, RETRY,    "a frame refers to another set")                  \
    X(TG_ERR_STATE_DIGEST,        115, RETRY,    "the state digest does not match")                \
    X(TG_ERR_STRING,              116, PEER,     "a string is too long, empty or not UTF-8")       \
    X(TG_ERR_VALUE_RANGE,         117, PEER,     "a value is outside its allowed range")           \
    X(TG_ERR_BOUNDARY,            118, PEER,     "a boundary does not lie after its base")         \
    X(TG_ERR_FRAME_SIZE,          119, PEER,     "a message is larger than the agreed limit")      \
    X(TG_ERR_ROW_SHAPE,           120, PEER,     "a row names a shape that does not exist")         \
    /* store: 200 to 299 */                                                                        \
    X(TG_ERR_READERS,             200, RESOURCE, "no reader slot is free")                         \
    X(TG_ERR_INSTRUMENTS,         201, RESOURCE, "the instrument limit of the store is reached")   \
    X(TG_ERR_ID_REUSED,           202, PEER,     "an id names another instrument in the same dictionary generation") \
    X(TG_ERR_INTEGRITY,           203, PEER,     "one version came with two different values")     \
    /* sdk: 300 to 399 */                                                                          \
    X(TG_ERR_URL,                 300, CALL,     "the URL is not ws://, wss:// or lacks a host")   \
    X(TG_ERR_TLS,                 301, PEER,     "the TLS session could not be made")              \
    X(TG_ERR_CERTIFICATE,         302, PEER,     "the peer's certificate was refused")             \
    X(TG_ERR_CONNECT,             303, RETRY,    "the peer could not be reached")                  \
    X(TG_ERR_UNAUTHORIZED,        304, CALL,     "the gateway refused the token")                  \
    X(TG_ERR_REFUSED,             305, RETRY,    "the gateway refused the upgrade")                \
    X(TG_ERR_PROTOCOL,            306, PEER,     "the peer broke the protocol")                    \
    X(TG_ERR_TIMEOUT,             307, RETRY,    "the peer did not answer in time")                \
    X(TG_ERR_DISCONNECTED,        308, RETRY,    "the connection was lost")                        \
    X(TG_ERR_NOT_ENTITLED,        309, CALL,     "the token does not cover this instrument")       \
    X(TG_ERR_LIMIT,               310, CALL,     "a limit that the gateway advertised is reached") \
    /* recorder: 400 to 499 */                                                                     \
    X(TG_ERR_FORMAT,              400, CALL,     "the file is not a tickglass record")             \
    X(TG_ERR_CORRUPT,             401, CALL,     "a block's checksum does not match")              \
    X(TG_ERR_TORN,                402, CALL,     "the file ends in the middle of a block")         \
    X(TG_ERR_HISTOGRAM_RANGE,     403, CALL,     "the histogram's range or precision is not possible") \
    /* render: 500 to 599 */                                                                       \
    X(TG_ERR_WINDOW,              500, RESOURCE, "the window system refused")                      \
    X(TG_ERR_FONT,                501, CALL,     "the font cannot be used")                        \
    X(TG_ERR_IMAGE,               502, RETRY,    "the picture could not be written")               \
    /* gateway: 600 to 699 */                                                                      \
    X(TG_ERR_TAPE,                600, CALL,     "a tape line is not valid")                       \
    X(TG_ERR_LISTEN,              601, RESOURCE, "the listening address cannot be used")           \
    X(TG_ERR_EPOCH_STORE,         602, RESOURCE, "the epoch allocator's file cannot be used")
/* clang-format on */

typedef enum tg_err {
#define TG_ERR_AS_ENUM(name, number, class_, text) name = number,
    TG_ERR_TABLE(TG_ERR_AS_ENUM)
#undef TG_ERR_AS_ENUM
} tg_err;

typedef enum tg_err_class {
    TG_ERR_CLASS_CALL,     /**< fix the call or its input */
    TG_ERR_CLASS_RESOURCE, /**< free something, then again */
    TG_ERR_CLASS_RETRY,    /**< again later, unchanged */
    TG_ERR_CLASS_PEER,     /**< the peer is at fault: drop it */
    TG_ERR_CLASS_REOPEN,   /**< this object is finished: open another */
    TG_ERR_CLASS_BUG       /**< not a known error number: report it */
} tg_err_class;

/**
 * The symbol of an error, "TG_ERR_TRUNCATED"; "TG_ERR_?" for a number that is not in the table.
 * Thread: any.  Blocks: no.  Owner of the result: the library (static).  Since: 0.1
 */
TG_API const char *tg_err_name(tg_err err);

/**
 * One English sentence without a full stop.
 * Thread: any.  Blocks: no.  Owner of the result: the library (static).  Since: 0.1
 */
TG_API const char *tg_err_text(tg_err err);

/**
 * What a caller can do about it; TG_ERR_CLASS_BUG for a number that is not in the table.
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API tg_err_class tg_err_class_of(tg_err err);

TG_END_DECLS

#endif
