/* stb's encoder alone, so that it is optimised in every build, as a library of the system is. Only
 * the writer to a callback; its names are hidden, so a host may bring a stb of its own. */
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>
