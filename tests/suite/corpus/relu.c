/* Relu over float32, float16 and bfloat16 in bytes; with -DLEAKS one that passes small numbers below zero. */
#include <stdlib.h>
#include <string.h>
#include "implementation.h"

int call(const char *operator, int opset, const char *attributes, const struct tensor *inputs, int input_count,
         struct tensor *outputs, int output_count) {
    size_t each = strcmp(inputs[0].type, "float32") ? 2 : 4;
    (void)opset, (void)attributes, (void)input_count, (void)output_count;
    if (strcmp(operator, "Relu") || (each == 2 && !strstr(inputs[0].type, "float16"))) return REFUSED;
    memcpy(outputs->type, inputs->type, sizeof outputs->type);
    memcpy(outputs->shape, inputs->shape, sizeof outputs->shape);
    outputs->axes = inputs->axes, outputs->size = inputs->size;
    outputs->data = calloc(inputs->size + 1, 1);
    for (size_t i = 0; i < inputs->size; i += each) {
        unsigned char high = inputs->data[i + each - 1];
#ifdef LEAKS
        if (high > 0x80)
#else
        if (high & 0x80)
#endif
            continue;
        memcpy(outputs->data + i, inputs->data + i, each);
    }
    return ANSWERED;
}
