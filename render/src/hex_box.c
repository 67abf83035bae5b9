#include "hex_box.h"

#define DIGIT_WIDTH  3
#define DIGIT_HEIGHT 5
#define PITCH_X      (DIGIT_WIDTH + 1)
#define PITCH_Y      (DIGIT_HEIGHT + 1)

/* Five rows of three pixels, an octal digit each. */
static const uint16_t digit_shapes[16] = {075557, 026227, 071747, 071717, 055711, 074717,
                                          074757, 071111, 075757, 075717, 025755, 065656,
                                          034443, 065556, 074647, 074644};

typedef struct target {
    uint8_t *coverage;
    int width;
    int height;
    int left; /* of the picture in the target */
    int top;
    int scale;
} target;

static void put_dot(const target *to, int x, int y)
{
    for (int dy = 0; dy < to->scale; dy++) {
        for (int dx = 0; dx < to->scale; dx++) {
            const int at_x = to->left + x * to->scale + dx;
            const int at_y = to->top + y * to->scale + dy;
            if (at_x >= 0 && at_x < to->width && at_y >= 0 && at_y < to->height) {
                to->coverage[at_y * to->width + at_x] = 255;
            }
        }
    }
}

static void put_digit(const target *to, unsigned digit, int x, int y)
{
    for (int row = 0; row < DIGIT_HEIGHT; row++) {
        const unsigned bits = (unsigned)digit_shapes[digit] >> (3 * (DIGIT_HEIGHT - 1 - row)) & 7u;
        for (int column = 0; column < DIGIT_WIDTH; column++) {
            if ((bits >> (DIGIT_WIDTH - 1 - column) & 1u) != 0) {
                put_dot(to, x + column, y + row);
            }
        }
    }
}

void tg__hex_box_cover(uint32_t code, uint8_t *coverage, int width, int height, int x0,
                       int full_width)
{
    const int rows = code > 0xffff ? 3 : 2;
    const int picture_width = 2 * PITCH_X - 1;
    const int picture_height = rows * PITCH_Y - 1;
    target to = {coverage, width, height, 0, 0, 1};
    while ((to.scale + 1) * picture_width <= full_width &&
           (to.scale + 1) * picture_height <= height) {
        to.scale++;
    }
    to.left = (full_width - to.scale * picture_width) / 2 - x0;
    to.top = (height - to.scale * picture_height) / 2;
    for (int i = 0; i < 2 * rows; i++) {
        const unsigned digit = code >> (4 * (2 * rows - 1 - i)) & 15u;
        put_digit(&to, digit, i % 2 * PITCH_X, i / 2 * PITCH_Y);
    }
}
