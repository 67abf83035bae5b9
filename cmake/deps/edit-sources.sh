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

    /* tickglass: why the handshake failed; the alert is the peer's, 0 if it sent none */
    int failure_code;
    uint32_t failure_flags;
    unsigned int failure_alert;
LINES
insert before "$platform" 'if (errno == 11) {' <<'LINES'
    ssl_pm->failure_code = ret;
    ssl_pm->failure_flags = mbedtls_ssl_get_verify_result(&ssl_pm->ssl);
    if (ret == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE)
        ssl_pm->failure_alert = ssl_pm->ssl.MBEDTLS_PRIVATE(in_msg)[1];
    errno = 0;

LINES
# A server that refuses the client's certificate says so in an alert and closes while the client still
# writes. To learn the reason, a client goes on reading after a write has failed: the reading ends by
# itself, with the alert or with the connection.
insert after "$platform" 'unsigned int max_content_len;' <<'LINES'

/* tickglass: what cannot be written any more is as lost as what the peer does not read */
static int tickglass_client_send(void *ctx, const unsigned char *buf, size_t len)
{
    int ret = lws_plat_mbedtls_net_send(ctx, buf, len);

    return ret == MBEDTLS_ERR_NET_CONN_RESET ? (int)len : ret;
}
LINES
insert before "$platform" 'ssl->ssl_pm = ssl_pm;' <<'LINES'
    if (endpoint == MBEDTLS_SSL_IS_CLIENT)
        mbedtls_ssl_set_bio(&ssl_pm->ssl, &ssl_pm->fd, tickglass_client_send,
                            lws_plat_mbedtls_net_recv, NULL);

LINES
# With TLS 1.3 a server judges the client's certificate after the client's part of the handshake.
insert before "$platform" 'if (ret == MBEDTLS_ERR_NET_CONN_RESET ||' <<'LINES'
		/* tickglass */
		if (ret == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE) {
			ssl_pm->failure_code = ret;
			ssl_pm->failure_alert = ssl_pm->ssl.MBEDTLS_PRIVATE(in_msg)[1];
		}
LINES
insert before "$platform" 'int ssl_pm_shutdown(SSL *ssl)' <<'LINES'
/* tickglass: the code of the failed handshake, 0 if none failed */
int tickglass_tls_failure(SSL *ssl, uint32_t *flags, unsigned int *alert)
{
    struct ssl_pm *ssl_pm = (struct ssl_pm *)ssl->ssl_pm;

    *flags = ssl_pm->failure_flags;
    *alert = ssl_pm->failure_alert;
    return ssl_pm->failure_code;
}

LINES
client=$websockets/lib/tls/mbedtls/mbedtls-client.c
# The text of LWS_CALLBACK_CLIENT_CONNECTION_ERROR that the SDK and its tests read. libwebsockets
# makes it in one of two places, as the bytes happen to arrive; both give ours.
insert before "$client" 'int ERR_get_error(void)' <<'LINES'
int tickglass_tls_failure(SSL *ssl, uint32_t *flags, unsigned int *alert);
int tickglass_tls_describe(struct lws *wsi, char *text, size_t size);

/* tickglass: 1 and a text if the handshake failed, 0 otherwise */
int tickglass_tls_describe(struct lws *wsi, char *text, size_t size)
{
	uint32_t flags;
	unsigned int alert;
	int code;

	if (!wsi->tls.ssl)
		return 0;
	code = tickglass_tls_failure(wsi->tls.ssl, &flags, &alert);
	if (!code)
		return 0;
	lws_snprintf(text, size, "tls handshake: mbedtls -0x%04x verify 0x%08x alert %u",
		     (unsigned int)-code, (unsigned int)flags, alert);
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
insert after "$websockets/lib/roles/http/client/client-http.c" 'cce = "read failed";' <<'LINES'
				/* tickglass: an alert that judges our certificate comes here */
				if (tickglass_tls_describe(wsi, sb, wsi->a.context->pt_serv_buf_size))
					cce = sb;
LINES
insert after "$websockets/lib/roles/http/client/client-http.c" '#include "private-lib-core.h"' <<'LINES'

int tickglass_tls_describe(struct lws *wsi, char *text, size_t size);
LINES

# An IPv6 address stands in brackets in the request, and without them in a certificate; what follows
# the anchor cuts at the first colon.
insert after "$client" 'p = hostname;' <<'LINES'
	/* tickglass: "[::1]:443" is "::1", and nothing is left to cut */
	if (*p == '[' && strchr(p, ']')) {
		size_t inside = strcspn(p + 1, "]");

		memmove(hostname, hostname + 1, inside);
		hostname[inside] = '\0';
		p = hostname + inside;
	}
LINES
# RFC 6066 3: an address is no server name, and some servers refuse the handshake for it. The
# certificate is checked against it all the same.
insert after "$mbedtls/library/ssl_client.c" 'const char *hostname = mbedtls_ssl_get_hostname_pointer(ssl);' <<'LINES'
    /* tickglass: digits and dots only, or with a colon */
    if (hostname != NULL &&
        (hostname[strspn(hostname, "0123456789.")] == '\0' || strchr(hostname, ':') != NULL)) {
        hostname = NULL;
    }
LINES

# The text of a private key goes back to the heap wiped. The anchor is the last line of a branch that
# is not compiled.
insert after "$platform" 'ret = mbedtls_pk_parse_key(pkey_pm->pkey, load_buf, (unsigned int)len + 1, NULL, 0);' <<'LINES'
#endif
    /* tickglass */
    mbedtls_platform_zeroize(load_buf, (unsigned int)len);
#if 1
LINES
insert after "$platform" '#include "mbedtls/error.h"' <<'LINES'
#include "mbedtls/platform_util.h"
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
