/*
 * Pictures and texts compared with files that were looked at once.
 *
 * TG_GOLDEN_WRITE=1 in the environment writes them anew instead. A picture belongs to one font file
 * and one FreeType: where these differ, the comparison of the picture is skipped, visibly.
 */
#ifndef TG_GOLDEN_PICTURE_H
#define TG_GOLDEN_PICTURE_H

/* Fails the test if text is not what the file holds. */
void golden_expect_text(const char *golden_file, const char *text);

/*
 * Fails the test if the two PNG files differ in any pixel. pin names what else the picture depends
 * on; beside golden_file lies golden_file.pin with the pin that it was made with.
 */
void golden_expect_picture(const char *golden_file, const char *picture_file, const char *font_file,
                           const char *pin);

#endif
