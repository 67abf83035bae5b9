#include "x11_scale.h"

#include "tg_cmocka.h"

static void hundredths_of_96_dots_an_inch(void **state)
{
    (void)state;
    static const struct {
        const char *resources;
        int percent;
    } cases[] = {
        {NULL, 0},
        {"", 0},
        {"Xft.dpi:\t96\n", 100},
        {"Xft.dpi:\t144\n", 150},
        {"Xft.dpi:\t144", 150},
        {"Xft.dpi: 120.5\n", 125},
        {"Xft*dpi:\t192\n", 200},
        {"Xcursor.size:\t48\nXft.antialias:\t1\nXft.dpi:\t168\nXft.hinting:\t1\n", 175},
        {"Xft.dpi:\t96\nXft.dpi:\t192\n", 200},
        /* Another resource, and what is no number of dots. */
        {"XTerm.Xft.dpi:\t144\n", 0},
        {"Xft.dpiX:\t144\n", 0},
        {"Xft.dpi\n144\n", 0},
        {"Xft.dpi:\t0\n", 0},
        {"Xft.dpi:\t-96\n", 0},
        {"Xft.dpi:\tlarge\n", 0},
        {"Xft.dpi:\t99999999999999999999\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (tg__x11_scale_read(cases[i].resources) != cases[i].percent) {
            fail_msg("%s: %d", cases[i].resources, tg__x11_scale_read(cases[i].resources));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hundredths_of_96_dots_an_inch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
