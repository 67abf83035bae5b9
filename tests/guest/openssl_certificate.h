/** A self-signed certificate for an hour, made with OpenSSL. */
#ifndef GUEST_OPENSSL_CERTIFICATE_H
#define GUEST_OPENSSL_CERTIFICATE_H

#include <stdbool.h>

#include <openssl/evp.h>
#include <openssl/x509.h>

/** Both results are the caller's to free, also after false (NULL is fine for OpenSSL). */
bool guest_certificate_make(const char *common_name, EVP_PKEY **key, X509 **certificate);

#endif
