/* A runtime in C on trial: MaxPool of float32 over two spatial axes, spoken to as docs/protocol.md says. It relies on
 * the order of keys and on there being no spaces, which the protocol promises; what it cannot do it refuses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The numbers of a list such as "strides":[2,1], or the same number for each where there is no such list.
 * What stands around the digits of {"int":"4611686018427387904"} is passed over. */
static void numbers(const char *line, const char *key, long *into, int count, long otherwise) {
    const char *at = strstr(line, key);
    if (at) at += strlen(key);
    for (int i = 0; i < count; i++) {
        into[i] = otherwise;
        if (at) { char *end; into[i] = strtol(at + strspn(at, "{\"int:"), &end, 10); at = end + strspn(end, "\"},"); }
    }
}

static size_t decode(const char *text, unsigned char *bytes) {
    size_t size = 0;
    for (unsigned value = 0, bits = 0; *text && *text != '"' && *text != '='; text++) {
        value = value << 6 | (unsigned)(strchr(ALPHABET, *text) - ALPHABET);
        if ((bits += 6) >= 8) bytes[size++] = (unsigned char)(value >> (bits -= 8));
    }
    return size;
}

static void encode(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i += 3) {
        unsigned left = size - i < 3 ? (unsigned)(size - i) : 3, value = 0;
        for (unsigned k = 0; k < 3; k++) value = value << 8 | (k < left ? bytes[i + k] : 0);
        for (unsigned k = 0; k < 4; k++) putchar(k > left ? '=' : ALPHABET[value >> (18 - 6 * k) & 63]);
    }
}

static void run(const char *line) {
    long number, x[4], k[2], s[2], d[2], p[4], out[2];
    numbers(line, "\"number\":", &number, 1, 0);
    const char *why = strstr(line, "\"outputs\":[\"Y\"]") ? NULL : "only Y is supported";
    if (!strstr(line, "\"operator\":\"MaxPool\"")) why = "only MaxPool is supported";
    if (strstr(line, "\"auto_pad\":\"") && !strstr(line, "\"NOTSET\"")) why = "auto_pad is not supported";
    if (strstr(line, "\"ceil_mode\":1") || strstr(line, "\"storage_order\":1")) why = "an attribute is not supported";
    const char *tensor = strstr(line, "\"X\":{\"dtype\":\"float32\"");
    if (!tensor) why = "only float32 is supported";
    numbers(line, "\"kernel_shape\":[", k, 2, 1); numbers(line, "\"strides\":[", s, 2, 1);
    numbers(line, "\"dilations\":[", d, 2, 1); numbers(line, "\"pads\":[", p, 4, 0);
    numbers(tensor ? tensor : line, "\"shape\":[", x, 4, 0);
    for (int a = 0; a < 2; a++) {
        long room = x[2 + a] + p[a] + p[2 + a] - d[a] * (k[a] - 1) - 1;
        if (s[a] < 1 || d[a] < 1 || k[a] < 1 || p[a] < 0 || p[2 + a] < 0 || room < 0) why = "out of range";
        out[a] = why ? 0 : room / s[a] + 1;
    }
    if (why) { printf("{\"number\":%ld,\"refused\":{\"phase\":\"run\",\"message\":\"%s\"}}\n", number, why); return; }
    float *in = malloc(strlen(tensor) + 8), *y = malloc((size_t)(x[0] * x[1] * out[0] * out[1]) * 4 + 8), *to = y;
    decode(strstr(tensor, "\"data\":\"") + 8, (unsigned char *)in);
    for (long plane = 0; plane < x[0] * x[1]; plane++)
        for (long i = 0; i < out[0]; i++)
            for (long j = 0; j < out[1]; j++, to++) {
                *to = -INFINITY;
                for (long h = i * s[0] - p[0], m = 0; m < k[0]; m++, h += d[0])
                    for (long w = j * s[1] - p[1], n = 0; n < k[1]; n++, w += d[1])
                        if (h >= 0 && h < x[2] && w >= 0 && w < x[3] && in[(plane * x[2] + h) * x[3] + w] > *to)
                            *to = in[(plane * x[2] + h) * x[3] + w];
            }
    printf("{\"number\":%ld,\"outputs\":{\"Y\":{\"dtype\":\"float32\",\"shape\":[%ld,%ld,%ld,%ld],\"data\":\"",
           number, x[0], x[1], out[0], out[1]);
    encode((unsigned char *)y, (size_t)(to - y) * 4);
    printf("\"}}}\n");
    free(in); free(y);
}

int main(void) {
    char *line = NULL;
    for (size_t room = 0; getline(&line, &room, stdin) > 0 && !strstr(line, "\"do\":\"stop\""); fflush(stdout))
        if (strstr(line, "\"do\":\"start\"")) 
            printf("{\"plumbline\":2,\"name\":\"maxpool.c\",\"version\":\"1\",\"capabilities\":[{\"operators\":[\"MaxPool\"],"
                   "\"dtypes\":[\"float32\"],\"ranks\":[2],\"outputs\":[\"Y\"],\"attributes\":{\"ceil_mode\":[0]}}]}\n");
        else run(line);
}
