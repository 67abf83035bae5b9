/**
 * Lists of instruments as people write them, for command lines and files.
 *
 *     BINANCE:BTCUSDT,CME:ESZ6      names, separated by commas
 *     @watch.txt                    a file: one name a line; # starts a comment
 *     *                             everything that the gateway's directory holds
 *
 * The venue ends at the first ':'; the symbol may hold any other. In a file it may hold commas.
 */
#ifndef TICKGLASS_WATCHLIST_H
#define TICKGLASS_WATCHLIST_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>

TG_BEGIN_DECLS

#define TG_WATCHLIST_MAX 65535 /**< names */

typedef struct tg_watchlist tg_watchlist;

/**
 * Read a list. A name that stands twice is taken once, at its first place.
 *
 * @param[in]  text      one of the forms above
 * @param[out] out       the list on TG_OK, NULL otherwise; close with tg_watchlist_close()
 * @param[out] why       on an error: what is wrong and where, "item 2 (position 17): …" or
 *                       "watch.txt:3: …"; may be NULL
 * @param[in]  why_size  bytes of why
 * @retval TG_ERR_INVALID_ARGUMENT  text or out is NULL
 * @retval TG_ERR_SYNTAX            no list, or a name that cannot be one
 * @retval TG_ERR_IO                the file cannot be read
 * @retval TG_ERR_FULL              over TG_WATCHLIST_MAX names
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: any.  Blocks: reads the file.  Owner of *out: the caller.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_watchlist_open(const char *text, tg_watchlist **out, char *why,
                                              size_t why_size);

/** NULL is allowed. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API void tg_watchlist_close(tg_watchlist *list);

/** True for "*": the names are those of the directory, which tg_client_find() pages through.
 * Thread: any.  Blocks: no.  Since: 0.1 */
TG_API bool tg_watchlist_is_everything(const tg_watchlist *list);

/** Thread: any.  Blocks: no.  Since: 0.1 */
TG_API size_t tg_watchlist_count(const tg_watchlist *list);

/** index < tg_watchlist_count(). Thread: any.  Owner of the result: the list.  Since: 0.1 */
TG_API const char *tg_watchlist_venue(const tg_watchlist *list, size_t index);
/** index < tg_watchlist_count(). Thread: any.  Owner of the result: the list.  Since: 0.1 */
TG_API const char *tg_watchlist_symbol(const tg_watchlist *list, size_t index);

TG_END_DECLS

#endif
