#!/bin/sh
# edit-sources.sh MBEDTLS_SOURCE LIBWEBSOCKETS_SOURCE
#
# Puts our own lines into the unpacked sources, each beside an anchor line. An anchor that is not
# there exactly once stops the build: an edit that silently does nothing is worse than none.
set -eu

mbedtls=$1
websockets=$2

# insert before|after FILE ANCHOR   (ANCHOR is a whole line without its indentation; text on stdin)
insert() {
    text=$(cat)
    found=$(awk -v anchor="$3" '{ line = $0; sub(/^[ \t]+/, "", line) } line == anchor { n++ } END { print n + 0 }' "$2")
    if [ "$found" != 1 ]; then
        echo "edit-sources: \"$3\" stands $found times in ${2##*/}, expected once;" \
            "deps.lock names sources that these edits do not fit" >&2
        exit 1
    fi
    TEXT=$text awk -v place="$1" -v anchor="$3" '
        { line = $0; sub(/^[ \t]+/, "", line) }
        line == anchor && place == "before" { print ENVIRON["TEXT"] }
        { print }
        line == anchor && place == "after" { print ENVIRON["TEXT"] }' "$2" >"$2.edited"
    mv "$2.edited" "$2"
}

# mbedTLS: PSA state is shared by every connection of the process, so its calls need locks. In the
# header, not on the command line: struct layouts must be the same in everything that includes it.
config=$mbedtls/include/mbedtls/mbedtls_config.h
insert after "$config" '//#define MBEDTLS_THREADING_PTHREAD' <<'LINES'
#define MBEDTLS_THREADING_PTHREAD
LINES
insert after "$config" '//#define MBEDTLS_THREADING_C' <<'LINES'
#define MBEDTLS_THREADING_C
LINES

# TLS 1.3: libwebsockets stops at 1.2, and 1.3 needs PSA to be up before the first handshake.
insert before "$websockets/lib/tls/mbedtls/mbedtls-tls.c" 'lwsl_info(" Compiled with MbedTLS support");' <<'LINES'
	/* tickglass: TLS 1.3 draws its keys from PSA; calling this again is harmless */
	if (psa_crypto_init() != PSA_SUCCESS)
		lwsl_err("%s: psa_crypto_init failed\n", __func__);

LINES
insert after "$websockets/lib/tls/mbedtls/mbedtls-tls.c" '#include "private-lib-tls-mbedtls.h"' <<'LINES'
#include <psa/crypto.h>
LINES
platform=$websockets/lib/tls/mbedtls/wrapper/platform/ssl_pm.c
insert before "$platform" 'mbedtls_ssl_conf_rng(&ssl_pm->conf, mbedtls_ctr_drbg_random, &ssl_pm->ctr_drbg);' <<'LINES'
    /* tickglass: "any version" includes TLS 1.3 */
    if (TLS_ANY_VERSION == ssl->version)
        mbedtls_ssl_conf_max_tls_version(&ssl_pm->conf, MBEDTLS_SSL_VERSION_TLS1_3);

LINES

# A refused certificate: keep mbedTLS' own code and verify flags, and do not take a stale EAGAIN of
# an earlier read for "try again" (real ones come as WANT_READ/WANT_WRITE and are handled above it).
insert after "$platform" 'SSL *owner;' <<'LINES'

    /* tickglass: why the handshake failed */
    int failure_code;
    uint32_t failure_flags;
LINES
insert before "$platform" 'if (errno == 11) {' <<'LINES'
    ssl_pm->failure_code = ret;
    ssl_pm->failure_flags = mbedtls_ssl_get_verify_result(&ssl_pm->ssl);
    errno = 0;

LINES
insert before "$platform" 'int ssl_pm_shutdown(SSL *ssl)' <<'LINES'
/* tickglass: the code of the failed handshake, 0 if none failed */
int tickglass_tls_failure(SSL *ssl, uint32_t *flags)
{
    struct ssl_pm *ssl_pm = (struct ssl_pm *)ssl->ssl_pm;

    *flags = ssl_pm->failure_flags;
    return ssl_pm->failure_code;
}

LINES
client=$websockets/lib/tls/mbedtls/mbedtls-client.c
# The text of LWS_CALLBACK_CLIENT_CONNECTION_ERROR that the SDK and its tests read. libwebsockets
# makes it in one of two places, as the bytes happen to arrive; both give ours.
insert before "$client" 'int ERR_get_error(void)' <<'LINES'
int tickglass_tls_failure(SSL *ssl, uint32_t *flags);

/* tickglass: 1 and a text if the handshake failed, 0 otherwise */
static int tickglass_tls_describe(struct lws *wsi, char *text, size_t size)
{
	uint32_t flags;
	int code = tickglass_tls_failure(wsi->tls.ssl, &flags);

	if (!code)
		return 0;
	lws_snprintf(text, size, "tls handshake: mbedtls -0x%04x verify 0x%08x",
		     (unsigned int)-code, (unsigned int)flags);
	return 1;
}

LINES
insert before "$client" 'lws_snprintf(errbuf, elen, "mbedtls connect %d %d %d", n, m, en);' <<'LINES'
	if (tickglass_tls_describe(wsi, errbuf, elen))
		return LWS_SSL_CAPABLE_ERROR;

LINES
insert before "$client" 'if (!peer) {' <<'LINES'
	if (tickglass_tls_describe(wsi, ebuf, ebuf_len))
		return -1;

LINES

# Manners: the wrapper prints to the host's stdout and stderr, and writing to a closed peer raises
# SIGPIPE unless the whole process ignores it (which tls-stack.sh keeps libwebsockets from asking for).
insert after "$platform" 'unsigned int max_content_len;' <<'LINES'

/* tickglass: a library does not print */
#define printf(...) ((void)0)
#define fprintf(...) ((void)0)
LINES
insert before "$websockets/lib/plat/unix/unix-sockets.c" 'ret = (int)write(fd, buf, len);' <<'LINES'
	/* tickglass: a closed peer gives EPIPE, never a signal; write() stays for what is no socket */
	ret = (int)send(fd, buf, len, MSG_NOSIGNAL);
	if (ret < 0 && errno == ENOTSOCK)
LINES

# The SDK dials by itself (races, proxies) and puts its socket in the place of the one that libwebsockets is about
# to connect: connected already is no failure. The wait for POLLOUT that follows finds the socket writeable.
insert before "$websockets/lib/core-net/client/connect3.c" 'errno_copy != LWS_EALREADY &&' <<'LINES'
		    errno_copy != EISCONN && /* tickglass: dialled before */
LINES

# A descriptor for each closed context: the event pipe is left for the end, where nobody knows of it any more.
insert before "$websockets/lib/core-net/close.c" 'if (pt->dummy_pipe_fds[0] == wsi->desc.sockfd)' <<'LINES'
		/* tickglass: forgotten in the next line, so closed in this one */
		if (lws_socket_is_valid(wsi->desc.sockfd) &&
		    pt->dummy_pipe_fds[0] == wsi->desc.sockfd)
			compatible_close(wsi->desc.sockfd);
LINES
