/* What the reader of vectors asks of an implementation. */
#include <stdint.h>

#define MOST 16 /* inputs or outputs of a call, and axes of a tensor */

struct tensor {
    char name[64], type[32];
    int axes;
    long shape[MOST];
    size_t size; /* of data, in bytes */
    unsigned char *data;
};

enum { ANSWERED, REFUSED };

/* Put a call: `attributes` is its JSON object. Outputs come with their names; type, axes, shape and data (malloc'ed,
   little-endian) are to be set. */
int call(const char *operator, int opset, const char *attributes, const struct tensor *inputs, int input_count,
         struct tensor *outputs, int output_count);
