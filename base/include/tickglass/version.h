/** The version of the headers; tg_build_info() in <tickglass/client.h> names that of the library.
 */
#ifndef TICKGLASS_VERSION_H
#define TICKGLASS_VERSION_H

#define TG_VERSION_MAJOR  0
#define TG_VERSION_MINOR  1
#define TG_VERSION_PATCH  0
#define TG_VERSION_STRING "0.1.0"

#endif
