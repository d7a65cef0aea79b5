/* Judges an implementation by a file of vectors alone: prints a verdict on each, and exits 1 where one is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "implementation.h"

static const char *blank(const char *p) { return p + strspn(p, " \n\r\t,:"); }

static const char *after(const char *p) { /* the value at p */
    if (*p == '"') {
        for (p++; *p != '"'; p++) p += *p == '\\';
        return p + 1;
    }
    if (*p != '{' && *p != '[') return p + strcspn(p, ",]} \n");
    char end = *p == '{' ? '}' : ']';
    for (p = blank(p + 1); *p != end; p = blank(after(p))) {}
    return p + 1;
}

static const char *get(const char *object, const char *key) { /* NULL where it is not there */
    size_t length = strlen(key);
    for (const char *p = blank(object + 1); *p != '}';) {
        const char *value = blank(after(p));
        if (!strncmp(p + 1, key, length) && p[length + 1] == '"') return value;
        p = blank(after(value));
    }
    return NULL;
}

static void text(const char *value, char *into, size_t room) { /* names have no escapes */
    snprintf(into, room, "%.*s", (int)(after(value) - value - 2), value + 1);
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static unsigned char *bytes(const char *hex, size_t *size) { /* NULL where there is no text */
    if (!hex) return NULL;
    *size = (size_t)(after(hex) - hex - 2) / 2;
    unsigned char *found = malloc(*size + 1);
    for (size_t i = 0; i < *size; i++) found[i] = (unsigned char)(digit(hex[1 + 2 * i]) << 4 | digit(hex[2 + 2 * i]));
    return found;
}

static void tensor(const char *json, struct tensor *found) {
    text(get(json, "type"), found->type, sizeof found->type);
    found->axes = 0;
    for (const char *p = blank(get(json, "shape") + 1); *p != ']'; p = blank(after(p)))
        found->shape[found->axes++] = strtol(p, NULL, 10);
    found->data = bytes(get(json, "data"), &found->size);
}

static int width(const char *type) { /* bytes of an element, or of a part of it */
    if (type[0] == 'c') return type[7] == '6' ? 4 : 8; /* complex64, complex128 */
    return strstr(type, "64") ? 8 : strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
}

static uint64_t place(const char *type, const unsigned char *data) { /* rises with the value; NaN is the last */
    int bits = 8 * width(type), exponent = bits == 64 ? 11 : bits == 32 || type[0] == 'b' ? 8 : 5;
    uint64_t value = 0, all = ~(uint64_t)0 >> (64 - bits), sign = (uint64_t)1 << (bits - 1);
    for (int i = bits / 8; i--;) value = value << 8 | data[i];
    if (bits == 8 || type[0] == 'u' || type[0] == 'i') return type[0] == 'i' ? value ^ sign : value;
    uint64_t infinity = (((uint64_t)1 << exponent) - 1) << (bits - 1 - exponent);
    if ((value & ~sign) > infinity) return all;
    return value & sign ? ~value & all : value | sign;
}

static int listed(const char *numbers, size_t number) {
    for (const char *p = numbers ? blank(numbers + 1) : "]"; *p != ']'; p = blank(after(p)))
        if (strtoul(p, NULL, 10) == number) return 1;
    return 0;
}

enum verdict { CONFORMS, UNSETTLED, DIVERGES }; /* an answer is as bad as its worst element */

static int element(const struct tensor *got, size_t i, const unsigned char *low, const unsigned char *high,
                   const char *json) {
    size_t each = (size_t)width(got->type), size;
    uint64_t at = place(got->type, got->data + i * each);
    if (place(got->type, low + i * each) <= at && at <= place(got->type, high + i * each)) return CONFORMS;
    if (listed(get(json, "anything"), i)) return CONFORMS;
    for (const char *p = get(json, "also") ? blank(get(json, "also") + 1) : "]"; *p != ']'; p = blank(after(p))) {
        const char *part = blank(p + 1), *from = blank(after(part)), *to = blank(after(from));
        if (strtoul(part, NULL, 10) != i) continue;
        unsigned char *first = bytes(from, &size), *last = bytes(to, &size);
        int inside = place(got->type, first) <= at && at <= place(got->type, last);
        free(first), free(last);
        if (inside) return CONFORMS;
    }
    return listed(get(json, "unsettled"), i) ? UNSETTLED : DIVERGES;
}

static int output(const struct tensor *got, const char *json) {
    struct tensor right;
    tensor(json, &right);
    int alike = !strcmp(got->type, right.type) && got->axes == right.axes;
    int same = alike && !memcmp(got->shape, right.shape, sizeof(long) * (size_t)right.axes) && got->size == right.size;
    int worst = same || (alike && get(json, "open_shape")) ? CONFORMS : DIVERGES;
    size_t size;
    unsigned char *low = bytes(get(json, "low"), &size), *high = bytes(get(json, "high"), &size);
    for (size_t i = 0; same && worst != DIVERGES && i < right.size / (size_t)width(right.type); i++) {
        int found = element(got, i, low ? low : right.data, high ? high : right.data, json);
        worst = found > worst ? found : worst;
    }
    free(low), free(high), free(right.data);
    return worst;
}

static const char *judged(const char *vector) {
    struct tensor inputs[MOST], outputs[MOST];
    int given = 0, asked = 0, best = DIVERGES;
    for (const char *p = blank(get(vector, "inputs") + 1); *p != '}'; p = blank(after(blank(after(p))))) {
        text(p, inputs[given].name, sizeof inputs->name);
        tensor(blank(after(p)), &inputs[given++]);
    }
    memset(outputs, 0, sizeof outputs);
    for (const char *p = blank(get(vector, "outputs") + 1); *p != ']'; p = blank(after(p)))
        text(p, outputs[asked++].name, sizeof outputs->name);
    char name[64];
    text(get(vector, "operator"), name, sizeof name);
    int done = call(name, atoi(get(vector, "opset")), get(vector, "attributes"), inputs, given, outputs, asked);
    const char *answers = get(vector, "answers");
    for (const char *p = answers ? blank(answers + 1) : "]"; done == ANSWERED && *p != ']'; p = blank(after(p))) {
        int worst = CONFORMS;
        for (int i = 0; i < asked; i++) {
            int found = output(&outputs[i], get(p, outputs[i].name));
            worst = found > worst ? found : worst;
        }
        best = worst < best ? worst : best;
    }
    for (int i = 0; i < given; i++) free(inputs[i].data);
    for (int i = 0; i < asked; i++) free(outputs[i].data);
    if (!answers) return "survey";
    if (done == REFUSED) return get(vector, "result")[1] == 'a' ? "conforms" : "rejects-valid";
    return best == CONFORMS ? "conforms" : best == UNSETTLED ? "unsettled" : "diverges";
}

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!file) return 2;
    fseek(file, 0, SEEK_END);
    long size = ftell(file), wrong = 0;
    char *json = calloc((size_t)size + 1, 1);
    rewind(file), fread(json, 1, (size_t)size, file);
    for (const char *p = blank(get(json, "vectors") + 1); *p != ']'; p = blank(after(p))) {
        const char *verdict = judged(p), *id = get(p, "id"), *form = get(p, "form");
        printf("%.*s [%.*s] %s\n", (int)(after(id) - id - 2), id + 1, (int)(after(form) - form - 2), form + 1, verdict);
        wrong += !strcmp(verdict, "diverges") || !strcmp(verdict, "rejects-valid");
    }
    return wrong > 0;
}
