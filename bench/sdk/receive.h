/* What a received frame costs outside codec, store and libwebsockets. */
#ifndef BENCH_SDK_RECEIVE_H
#define BENCH_SDK_RECEIVE_H

typedef struct receive_result {
    double ns_per_frame; /* the client's whole way less the next line, median of the rounds */
    double codec_and_store_ns;
    double bytes_per_frame;
    double rows_per_frame;
} receive_result;

/*
 * The same frames go through a client, from where its connection hands over a message, and through
 * codec and store alone, in turns of a few frames. Ends the program if anything is refused.
 */
void receive_measure(receive_result *result);

#endif
