/* A MIOpen that is only as large as the tests need: 2-D, f32, one plain kernel for each direction. Wrong order of the
   operands shows as wrong shapes. FAKE_FAIL ("function=code") makes a function fail. */
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stdbool.h>
#define API __attribute__((visibility("default")))
typedef struct { int n, dims[5], strides[5]; } tensor;
typedef struct { int pad[3], stride[3], dilation[3], groups, deterministic; } conv;
typedef struct { float time; size_t workspace; uint64_t id; int algorithm; } solution;
typedef struct { int algorithm; float time; size_t memory; } perf;
enum { FORWARD, DATA, WEIGHTS };
enum { SPACE = 64 };

static int fail(const char *name) {
  const char *set = getenv("FAKE_FAIL");
  size_t n = strlen(name);
  return set && !strncmp(set, name, n) && set[n] == '=' ? atoi(set + n + 1) : 0;
}
#define CALL do { int e = fail(__func__); if (e) return e; } while (0)

API int miopenGetVersion(size_t *a, size_t *b, size_t *c) { *a = 3; *b = 4; *c = 0; return 0; }
API int miopenCreateWithStream(void **h, void *s) { CALL; (void)s; *h = calloc(1, 64); return 0; }
API int miopenDestroy(void *h) { CALL; free(h); return 0; }
API int miopenCreateTensorDescriptor(tensor **t) { *t = calloc(1, sizeof **t); return 0; }
API int miopenDestroyTensorDescriptor(tensor *t) { free(t); return 0; }
API int miopenSetTensorDescriptor(tensor *t, int kind, int n, const int *dims, const int *strides) {
  if (kind != 1) return 3;
  t->n = n;
  memcpy(t->dims, dims, n * sizeof(int));
  memcpy(t->strides, strides, n * sizeof(int));
  return 0;
}
API int miopenCreateConvolutionDescriptor(conv **c) { *c = calloc(1, sizeof **c); return 0; }
API int miopenDestroyConvolutionDescriptor(conv *c) { free(c); return 0; }
API int miopenInitConvolutionNdDescriptor(conv *c, int n, const int *p, const int *s, const int *d, int mode) {
  if (mode) return 3;
  memcpy(c->pad, p, n * sizeof(int));
  memcpy(c->stride, s, n * sizeof(int));
  memcpy(c->dilation, d, n * sizeof(int));
  c->groups = 1; /* as the real one: what was set before is lost */
  return 0;
}
API int miopenSetConvolutionGroupCount(conv *c, int n) { c->groups = n; return 0; }
API int miopenSetConvolutionAttribute(conv *c, int a, int v) {
  if (a == 0) return v == 0 ? 0 : 3;
  if (a != 1) return 3;
  c->deterministic = v;
  return 0;
}

/* Returns whether the three shapes fit, which a wrong operand order violates. */
static int fits(const tensor *x, const tensor *w, const conv *c, const tensor *y) {
  return x->dims[0] == y->dims[0] && w->dims[0] == y->dims[1] && x->dims[1] == w->dims[1] * c->groups ? 0 : 3;
}

static int at(const tensor *t, int a, int b, int c, int d) {
  return a * t->strides[0] + b * t->strides[1] + c * t->strides[2] + d * t->strides[3];
}

static int compute(int way, const tensor *x, float *xp, const tensor *w, float *wp, const conv *c, const tensor *y,
    float *yp, char *space, size_t bytes, size_t needed) {
  if (fits(x, w, c, y)) return 3;
  if (bytes < needed || (bytes == 0) != (space == 0)) return 3;
  if (space) memset(space, 0xff, bytes);
  const tensor *out = way == FORWARD ? y : way == DATA ? x : w;
  float *op = way == FORWARD ? yp : way == DATA ? xp : wp;
  for (int i = 0; i < out->dims[0]; i++) for (int j = 0; j < out->dims[1]; j++)
    for (int k = 0; k < out->dims[2]; k++) for (int l = 0; l < out->dims[3]; l++) op[at(out, i, j, k, l)] = 0;
  int per = w->dims[0] / c->groups;
  for (int n = 0; n < y->dims[0]; n++) for (int k = 0; k < y->dims[1]; k++)
    for (int i = 0; i < y->dims[2]; i++) for (int j = 0; j < y->dims[3]; j++)
      for (int ch = 0; ch < w->dims[1]; ch++) for (int r = 0; r < w->dims[2]; r++) for (int s = 0; s < w->dims[3]; s++) {
        int h = i * c->stride[0] - c->pad[0] + r * c->dilation[0];
        int v = j * c->stride[1] - c->pad[1] + s * c->dilation[1];
        if (h < 0 || v < 0 || h >= x->dims[2] || v >= x->dims[3]) continue;
        float *xe = xp + at(x, n, k / per * w->dims[1] + ch, h, v), *we = wp + at(w, k, ch, r, s), *ye = yp + at(y, n, k, i, j);
        if (way == FORWARD) *ye += *xe * *we;
        else if (way == DATA) *xe += *ye * *we;
        else *we += *ye * *xe;
      }
  return 0;
}

/* The functions of a direction: A, B and O are the operands in its order, X, W, Y say which they are. */
#define DIRECTION(Name, way, X, W, Y, FX, FW, FY) \
  API int miopenConvolution##Name##GetSolutionCount(void *h, tensor *a, tensor *b, conv *c, tensor *o, size_t *n) { \
    (void)h; CALL; *n = 2; return fits(X, W, c, Y); } \
  API int miopenConvolution##Name##GetSolution(void *h, tensor *a, tensor *b, conv *c, tensor *o, size_t most, size_t *n, solution *s) { \
    (void)h; CALL; for (size_t i = 0; i < most && i < 2; i++) s[i] = (solution){i + .5f, i * SPACE, 80 + i + way * 10, 1}; \
    *n = most < 2 ? most : 2; return fits(X, W, c, Y); } \
  API int miopenConvolution##Name##CompileSolution(void *h, tensor *a, tensor *b, conv *c, tensor *o, uint64_t id) { \
    (void)h; CALL; return id / 10 == 8 + way ? fits(X, W, c, Y) : 3; } \
  API int miopenConvolution##Name##Immediate(void *h, tensor *a, float *ap, tensor *b, float *bp, conv *c, tensor *o, float *op, \
      void *space, size_t bytes, uint64_t id) { \
    (void)h; CALL; if (id / 10 != 8 + way) return 3; \
    return compute(way, X, X##p, W, W##p, c, Y, Y##p, space, bytes, id % 10 * SPACE); } \
  API int miopenConvolution##Name##GetWorkSpaceSize(void *h, tensor *a, tensor *b, conv *c, tensor *o, size_t *n) { \
    (void)h; *n = SPACE; return fits(X, W, c, Y); } \
  API int miopenFindConvolution##Name##Algorithm(int *h, tensor *a, float *ap, tensor *b, float *bp, conv *c, tensor *o, float *op, \
      int request, int *n, perf *p, void *space, size_t bytes, bool exhaustive) { \
    CALL; (void)ap; (void)bp; if (request < 1 || (bytes == 0) != (space == 0)) return 3; \
    *op = 1e30f; *n = 1; *p = (perf){3, exhaustive ? 1.f : 2.f, SPACE}; *h = 1; return fits(FX, FW, c, FY); } \
  API int miopenConvolution##Name(int *h, const float *alpha, tensor *a, float *ap, tensor *b, float *bp, conv *c, int algo, \
      const float *beta, tensor *o, float *op, void *space, size_t bytes) { \
    CALL; if (!*h || algo != 3 || *alpha != 1 || *beta != 0) return 7; \
    return compute(way, FX, FX##p, FW, FW##p, c, FY, FY##p, space, bytes, SPACE); }

DIRECTION(Forward, FORWARD, b, a, o, a, b, o)
DIRECTION(BackwardData, DATA, o, b, a, o, b, a)
DIRECTION(BackwardWeights, WEIGHTS, b, o, a, b, o, a)

typedef struct { int mode, n, window[3], pad[3], stride[3], index; } pool;
API int miopenCreatePoolingDescriptor(pool **p) { *p = calloc(1, sizeof **p); return 0; }
API int miopenDestroyPoolingDescriptor(pool *p) { free(p); return 0; }
API int miopenSetNdPoolingDescriptor(pool *p, int mode, int n, const int *w, const int *pad, const int *stride) {
  p->mode = mode;
  p->n = n;
  memcpy(p->window, w, n * sizeof(int));
  memcpy(p->pad, pad, n * sizeof(int));
  memcpy(p->stride, stride, n * sizeof(int));
  return 0;
}
API int miopenSetPoolingIndexType(pool *p, int t) { p->index = t; return 0; }
API int miopenPoolingGetWorkSpaceSizeV2(const pool *p, const tensor *y, size_t *n) {
  *n = p->index == 2 ? 4u * y->dims[0] * y->dims[1] * y->dims[2] * y->dims[3] : 0;
  return 0;
}
/* Maxima only; the indices are offsets into x. */
API int miopenPoolingForward(void *h, pool *p, const float *alpha, tensor *x, float *xp, const float *beta, tensor *y, float *yp,
    bool backward, int *space, size_t bytes) {
  (void)h;
  CALL;
  if (p->mode || *alpha != 1 || *beta != 0 || (backward && (!space || !bytes))) return 7;
  for (int n = 0; n < y->dims[0]; n++) for (int c = 0; c < y->dims[1]; c++)
    for (int i = 0; i < y->dims[2]; i++) for (int j = 0; j < y->dims[3]; j++) {
      int best = -1;
      for (int r = 0; r < p->window[0]; r++) for (int s = 0; s < p->window[1]; s++) {
        int a = i * p->stride[0] - p->pad[0] + r, b = j * p->stride[1] - p->pad[1] + s;
        if (a < 0 || b < 0 || a >= x->dims[2] || b >= x->dims[3]) continue;
        int e = at(x, n, c, a, b);
        if (best < 0 || xp[e] > xp[best]) best = e;
      }
      int e = at(y, n, c, i, j);
      yp[e] = xp[best];
      if (backward) space[e] = best;
    }
  return 0;
}
API int miopenPoolingBackward(void *h, pool *p, const float *alpha, tensor *y, float *yp, tensor *dy, float *dyp, tensor *x,
    float *xp, const float *beta, tensor *dx, float *dxp, int *space) {
  (void)h; (void)p;
  CALL;
  if (*alpha != 1 || *beta != 0 || y->dims[2] != dy->dims[2] || x->dims[2] != dx->dims[2] || x->dims[2] <= y->dims[2]) return 3;
  int all = y->dims[0] * y->strides[0], in = x->dims[0] * x->strides[0];
  for (int e = 0; e < in; e++) dxp[e] = 0;
  for (int e = 0; e < all; e++) {
    if (yp[e] != xp[space[e]]) return 3;
    dxp[space[e]] += dyp[e];
  }
  return 0;
}
