#include "openssl_certificate.h"

#include <openssl/asn1.h>

bool guest_certificate_make(const char *common_name, EVP_PKEY **key, X509 **certificate)
{
    *key = EVP_EC_gen("P-256");
    *certificate = X509_new();
    if (*key == NULL || *certificate == NULL) {
        return false;
    }
    X509_NAME *name = X509_get_subject_name(*certificate);
    ASN1_INTEGER_set(X509_get_serialNumber(*certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(*certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(*certificate), 3600);
    return X509_set_version(*certificate, X509_VERSION_3) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common_name,
                                      -1, -1, 0) == 1 &&
           X509_set_issuer_name(*certificate, name) == 1 &&
           X509_set_pubkey(*certificate, *key) == 1 &&
           X509_sign(*certificate, *key, EVP_sha256()) > 0;
}
