/* An implementation that answers with what a file holds, call by call: a byte that is 1 for a refusal; else for each
   output its type (32 bytes), axes, sizes and number of bytes (int64 each), and its data. */
#include <stdio.h>
#include <stdlib.h>
#include "implementation.h"

static int64_t number(FILE *file) {
    int64_t found = 0;
    if (fread(&found, sizeof found, 1, file) != 1) exit(3);
    return found;
}

int call(const char *operator, int opset, const char *attributes, const struct tensor *inputs, int input_count,
         struct tensor *outputs, int output_count) {
    static FILE *file;
    (void)operator, (void)opset, (void)attributes, (void)inputs, (void)input_count;
    if (!file) file = fopen(getenv("ANSWERS"), "rb");
    if (fgetc(file) == 1) return REFUSED;
    for (struct tensor *output = outputs; output < outputs + output_count; output++) {
        if (fread(output->type, sizeof output->type, 1, file) != 1) exit(3);
        output->axes = (int)number(file);
        for (int axis = 0; axis < output->axes; axis++) output->shape[axis] = number(file);
        output->size = (size_t)number(file);
        output->data = malloc(output->size + 1);
        if (fread(output->data, 1, output->size, file) != output->size) exit(3);
    }
    return ANSWERED;
}
