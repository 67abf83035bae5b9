#include <tickglass/err.h>

#include <stddef.h>

typedef struct err_row {
    tg_err err;
    tg_err_class class_;
    const char *name;
    const char *text;
} err_row;

static const err_row err_rows[] = {
#define TG_ERR_AS_ROW(name, number, class_, text) {name, TG_ERR_CLASS_##class_, #name, text},
    TG_ERR_TABLE(TG_ERR_AS_ROW)
#undef TG_ERR_AS_ROW
};

static const err_row *find_row(tg_err err)
{
    for (size_t i = 0; i < sizeof err_rows / sizeof err_rows[0]; i++) {
        if (err_rows[i].err == err) {
            return &err_rows[i];
        }
    }
    return NULL;
}

const char *tg_err_name(tg_err err)
{
    const err_row *row = find_row(err);
    return row != NULL ? row->name : "TG_ERR_?";
}

const char *tg_err_text(tg_err err)
{
    const err_row *row = find_row(err);
    return row != NULL ? row->text : "unknown error number";
}

tg_err_class tg_err_class_of(tg_err err)
{
    const err_row *row = find_row(err);
    return row != NULL ? row->class_ : TG_ERR_CLASS_BUG;
}
