/** The same host as C++. */
#include <cstdio>
#include <cstring>
#include <tickglass/err.h>
#include <tickglass/version.h>

int main()
{
    if (std::strcmp(tg_err_name(TG_OK), "TG_OK") != 0) {
        return 1;
    }
    std::printf("host sees tickglass %s\n", TG_VERSION_STRING);
    return 0;
}
