#include "tls_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "tls_trust.h"

static tg_err refuse(tg_err err, const char *text, char *why, size_t why_size)
{
    (void)snprintf(why, why_size, "%s", text);
    return err;
}

static tg_err check(const tg_client_options *o, bool everywhere, char *why, size_t why_size)
{
#if !TG_DANGEROUS_TLS
    if (o->dangerous_disable_verification) {
        return refuse(TG_ERR_UNSUPPORTED, "this build has no dangerous_disable_verification", why,
                      why_size);
    }
#endif
    /* A pin that nobody checks is worse than none. */
    if (!everywhere && (o->spki_pin_count > 0 || o->client_cert_file != NULL)) {
        return refuse(TG_ERR_INVALID_ARGUMENT, "spki_pins and client_cert_file need wss:// URLs",
                      why, why_size);
    }
    if (o->client_cert_file == NULL &&
        (o->client_key_file != NULL || o->client_key_password != NULL)) {
        return refuse(TG_ERR_INVALID_ARGUMENT, "a client key needs client_cert_file, too", why,
                      why_size);
    }
    return TG_OK;
}

static tg_err load(const tg_client_options *o, tg__tls_material *out, char *why, size_t why_size)
{
    TG_TRY(tg__pins_parse(o->spki_pins, o->spki_pin_count, &out->pins, why, why_size));
    TG_TRY(tg__trust_load(o->ca_file, &out->ca_pem, &out->ca_pem_size, why, why_size));
    if (o->client_cert_file != NULL) {
        TG_TRY(tg__tls_identity_load(o->client_cert_file, o->client_key_file,
                                     o->client_key_password, &out->identity, why, why_size));
        out->has_identity = true;
    }
    return TG_OK;
}

tg_err tg__tls_options_load(const tg_client_options *options, tg__tls_use use,
                            tg__tls_material *out, char *why, size_t why_size)
{
    memset(out, 0, sizeof *out);
    TG_TRY(check(options, use.everywhere, why, why_size));
    const tg_err err = use.anywhere ? load(options, out, why, why_size) : TG_OK;
    if (err != TG_OK) {
        tg__tls_material_release(out);
    }
    return err;
}

void tg__tls_material_release(tg__tls_material *material)
{
    tg__tls_identity_release(&material->identity);
    free(material->ca_pem);
    memset(material, 0, sizeof *material);
}
