/*
 * How large people on X11 want things: Xft.dpi among the X server's resources, which desktops with
 * a scale of their own set, and which programs of GTK, Qt and others follow. 96 is ordinary size.
 * What the server says of millimetres is not it, and wrong for many screens.
 */
#ifndef TG_X11_SCALE_H
#define TG_X11_SCALE_H

/* Of a text of resources, "Xft.dpi:\t144\n" and others: hundredths of ordinary size; 0: it does not
 * say, or nothing that makes sense. NULL is allowed. Thread: any. */
int tg__x11_scale_read(const char *resources);

/* Of the display in DISPLAY, on a connection of its own that has ended afterwards; 0 also if there
 * is none. Thread: owner. Blocks: on the X server. */
int tg__x11_scale_percent(void);

#endif
