/**
 * Places where the writer may stop for ever and readers must go on. A test's own build of the room
 * calls the test at each of them; in every other build they are nothing.
 */
#ifndef TICKGLASS_STORE_STOP_POINT_H
#define TICKGLASS_STORE_STOP_POINT_H

#ifdef TG_TEST_STOP_POINTS
void tg__stop_point(const char *label); /* the test's */
#define TG__STOP_POINT(label) tg__stop_point(label)
#else
#define TG__STOP_POINT(label) ((void)0)
#endif

#endif
