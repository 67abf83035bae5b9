/** The smallest C host: what an embedder's first file looks like. */
#include <stdio.h>
#include <string.h>
#include <tickglass/err.h>
#include <tickglass/version.h>

int main(void)
{
    if (strcmp(tg_err_name(TG_OK), "TG_OK") != 0) {
        return 1;
    }
    printf("host sees tickglass %s\n", TG_VERSION_STRING);
    return 0;
}
