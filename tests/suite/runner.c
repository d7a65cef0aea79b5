/* A small ONNX runner in C, which shows how a program is put on trial.
 *
 *     runner MODEL INPUTS OUTPUTS
 *
 * MODEL is an ONNX model of one node, MaxPool with kernel_shape, strides, pads and dilations over two spatial axes.
 * INPUTS/input_0.pb holds X in float32; Y is written to OUTPUTS/output_0.pb. What it cannot do it refuses: one line on
 * stderr and exit status 1. The messages are those of onnx.proto, read field by field as protobuf's encoding says. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { const uint8_t *at, *end; } Bytes;
typedef struct { int number, wire; uint64_t value; Bytes bytes; } Field;
typedef struct { int64_t value[8]; int count; } Numbers;

static void refuse(const char *why) {
    fprintf(stderr, "runner: %s\n", why);
    exit(1);
}

static Bytes read_file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name);
    FILE *file = fopen(path, "rb");
    if (!file) refuse("a file cannot be opened");
    size_t size = 0, room = 1 << 16, got;
    uint8_t *data = malloc(room);
    while (data && (got = fread(data + size, 1, room - size, file)) > 0)
        if ((size += got) == room) data = realloc(data, room *= 2);
    if (!data) refuse("no memory");
    fclose(file);
    return (Bytes){data, data + size};
}

static uint64_t varint(Bytes *from) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (from->at == from->end) refuse("a message is cut off");
        uint8_t byte = *from->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    refuse("a number is too long");
    return 0;
}

static int next(Bytes *from, Field *field) {
    if (from->at == from->end) return 0;
    uint64_t key = varint(from);
    field->number = (int)(key >> 3);
    field->wire = (int)(key & 7);
    uint64_t size = field->wire == 1 ? 8 : field->wire == 5 ? 4 : 0;
    if (field->wire == 0) field->value = varint(from);
    else if (field->wire == 2) size = varint(from);
    else if (!size) refuse("a field is of a kind that is not known");
    if (size > (uint64_t)(from->end - from->at)) refuse("a message is cut off");
    field->bytes = (Bytes){from->at, from->at + size};
    from->at += size;
    return 1;
}

static int is(Bytes text, const char *word) {
    return (size_t)(text.end - text.at) == strlen(word) && !memcmp(text.at, word, strlen(word));
}

/* A repeated int64, packed or not. */
static void add(Numbers *numbers, Field field) {
    do {
        if (field.wire == 2 && field.bytes.at == field.bytes.end) return;
        if (numbers->count == 8) refuse("a list is too long");
        numbers->value[numbers->count++] = (int64_t)(field.wire == 2 ? varint(&field.bytes) : field.value);
    } while (field.wire == 2);
}

typedef struct { Numbers kernel, strides, pads, dilations; } Pool;

static void read_attribute(Bytes from, Pool *pool) { /* AttributeProto: name 1, i 3, s 4, ints 8 */
    Field field;
    Bytes name = {0, 0}, text = {0, 0};
    int64_t number = 0;
    Numbers list = {{0}, 0};
    while (next(&from, &field)) {
        if (field.number == 1) name = field.bytes;
        if (field.number == 3) number = (int64_t)field.value;
        if (field.number == 4) text = field.bytes;
        if (field.number == 8) add(&list, field);
    }
    if (is(name, "kernel_shape")) pool->kernel = list;
    else if (is(name, "strides")) pool->strides = list;
    else if (is(name, "pads")) pool->pads = list;
    else if (is(name, "dilations")) pool->dilations = list;
    else if (is(name, "auto_pad")) { if (!is(text, "NOTSET")) refuse("auto_pad is not supported"); }
    else if (!is(name, "ceil_mode") && !is(name, "storage_order")) refuse("an attribute is not known");
    else if (number) refuse("ceil_mode and storage_order are supported at 0 alone");
}

static void read_model(Bytes from, Pool *pool) { /* ModelProto.graph 7, GraphProto.node 1, NodeProto */
    Field field, part;
    int nodes = 0, outputs = 0;
    while (next(&from, &field)) {
        if (field.number != 7) continue;
        Bytes graph = field.bytes;
        while (next(&graph, &field)) {
            if (field.number != 1) continue;
            Bytes node = field.bytes;
            nodes++;
            while (next(&node, &part)) { /* output 2, op_type 4, attribute 5 */
                outputs += part.number == 2;
                if (part.number == 4 && !is(part.bytes, "MaxPool")) refuse("only MaxPool is supported");
                if (part.number == 5) read_attribute(part.bytes, pool);
            }
        }
    }
    if (nodes != 1) refuse("the model has not one node");
    if (outputs != 1) refuse("only Y is supported");
}

static int64_t or_default(Numbers list, int place, int64_t otherwise) {
    return list.count > place ? list.value[place] : otherwise;
}

static void put_varint(FILE *file, uint64_t value) {
    for (; value > 127; value >>= 7) fputc((int)(value & 127) | 128, file);
    fputc((int)value, file);
}

int main(int count, char **words) {
    if (count != 4) refuse("usage: runner MODEL INPUTS OUTPUTS");
    Pool pool = {0};
    read_model(read_file(words[1], ""), &pool);
    if (pool.kernel.count != 2) refuse("only two spatial axes are supported");

    Numbers shape = {{0}, 0};
    Bytes from = read_file(words[2], "input_0.pb"), data = {0, 0};
    Field field;
    uint64_t type = 0;
    while (next(&from, &field)) { /* TensorProto: dims 1, data_type 2, raw_data 9 */
        if (field.number == 1) add(&shape, field);
        if (field.number == 2) type = field.value;
        if (field.number == 9) data = field.bytes;
    }
    if (type != 1) refuse("only float32 is supported");
    if (shape.count != 4) refuse("only two spatial axes are supported");
    if (data.end - data.at != 4 * shape.value[0] * shape.value[1] * shape.value[2] * shape.value[3])
        refuse("X has no raw data of its size");

    int64_t size[2], step[2], begin[2], reach[2], room[2];
    for (int a = 0; a < 2; a++) {
        step[a] = or_default(pool.strides, a, 1);
        begin[a] = or_default(pool.pads, a, 0);
        reach[a] = or_default(pool.dilations, a, 1);
        int64_t kernel = pool.kernel.value[a], end = or_default(pool.pads, a + 2, 0);
        room[a] = shape.value[2 + a] + begin[a] + end - reach[a] * (kernel - 1) - 1;
        if (step[a] < 1 || reach[a] < 1 || kernel < 1 || begin[a] < 0 || end < 0 || room[a] < 0)
            refuse("an attribute is out of its range");
        size[a] = room[a] / step[a] + 1;
    }
    int64_t planes = shape.value[0] * shape.value[1];
    float *y = malloc(sizeof(float) * (size_t)(planes * size[0] * size[1]) + 1), *out = y;
    if (!y) refuse("no memory");
    for (int64_t plane = 0; plane < planes; plane++)
        for (int64_t i = 0; i < size[0]; i++)
            for (int64_t j = 0; j < size[1]; j++, out++) {
                *out = -INFINITY;
                for (int64_t k = 0; k < pool.kernel.value[0]; k++)
                    for (int64_t l = 0; l < pool.kernel.value[1]; l++) {
                        int64_t h = i * step[0] + k * reach[0] - begin[0], w = j * step[1] + l * reach[1] - begin[1];
                        float x;
                        if (h < 0 || h >= shape.value[2] || w < 0 || w >= shape.value[3]) continue;
                        memcpy(&x, data.at + 4 * ((plane * shape.value[2] + h) * shape.value[3] + w), 4);
                        if (x > *out) *out = x;
                    }
            }

    char path[4096];
    snprintf(path, sizeof path, "%s/output_0.pb", words[3]);
    FILE *file = fopen(path, "wb");
    if (!file) refuse("output_0.pb cannot be written");
    int64_t dims[4] = {shape.value[0], shape.value[1], size[0], size[1]};
    for (int a = 0; a < 4; a++) { fputc(1 << 3, file); put_varint(file, (uint64_t)dims[a]); }
    fputc(2 << 3, file); put_varint(file, 1);
    fputc(9 << 3 | 2, file); put_varint(file, (uint64_t)(out - y) * sizeof(float));
    fwrite(y, sizeof(float), (size_t)(out - y), file);
    return fclose(file) ? 1 : 0;
}
