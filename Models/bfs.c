/* bfs.c - breadth-first search over the same model as Spin's, for shortest counterexamples and as a
 * second opinion on the number of states. gcc -O2 -DMODEL='"tickets.h"' bfs.c -o bfs && ./bfs
 * States are kept as 96-bit hashes (chance of a collision at 10^8 states: about 10^-13 per pair sum). */
#include MODEL
#include <stdint.h>
#include <time.h>
typedef unsigned __int128 u128;
static uint64_t mix(uint64_t h, uint64_t x) { u128 m = (u128)(h ^ x) * 0x9E3779B97F4A7C15ull; return (uint64_t)m ^ (uint64_t)(m >> 64); }
static void hash(uint64_t *a, uint64_t *b)
{
  const unsigned char *p = (const unsigned char *)&w; size_t n = sizeof w, k; uint64_t h = 0x243F6A8885A308D3ull, g = 0x13198A2E03707344ull, x;
  for (k = 0; k + 8 <= n; k += 8) { memcpy(&x, p + k, 8); h = mix(h, x + 0xA0761D6478BD642Full); g = mix(g + 0xE7037ED1A0B428DBull, x ^ h); }
  x = 0; memcpy(&x, p + k, n - k); h = mix(h, x + n); g = mix(g, x ^ h); *a = h; *b = g | 1;
}
static uint64_t cap = 1u << 22, used; static uint64_t *ka; static uint32_t *kb, *idx;
static uint64_t nstates; static uint32_t *parent; static unsigned char *how; static uint64_t capn = 1u << 22;
static uint64_t find(uint64_t a, uint32_t b, int *isnew);
static void grow(void)
{
  uint64_t oc = cap, i; uint64_t *oa = ka; uint32_t *ob = kb; cap *= 2; ka = calloc(cap, 8); kb = calloc(cap, 4);
  for (i = 0; i < oc; i++) if (ob[i]) { uint64_t s = oa[i] & (cap - 1); while (kb[s]) s = (s + 1) & (cap - 1); ka[s] = oa[i]; kb[s] = ob[i]; }
  free(oa); free(ob);
}
static int add(uint64_t a, uint64_t b)
{
  uint64_t s; uint32_t t = (uint32_t)(b >> 16) | 1;
  if (used * 10 > cap * 7) grow();
  s = a & (cap - 1);
  while (kb[s]) { if (ka[s] == a && kb[s] == t) return 0; s = (s + 1) & (cap - 1); }
  ka[s] = a; kb[s] = t; used++; return 1;
}
static unsigned path[4000];
static int trace(uint64_t n)      /* the shortest path to a state, as walk.c takes it */
{
  int k = 0, p;
  for (; n; n = parent[n]) path[k++] = how[n];
  printf("  path:");
  for (p = k; p--; ) printf(" %s.%d", action[path[p] >> 1], path[p] & 1);
  printf("\n");
  return k;
}
static void show(uint64_t n)
{
  int k = trace(n);
  saying = 1; begin();
  printf("  shortest history, %d steps:\n", k);
  while (k--) act(path[k] >> 1, path[k] & 1);
  if (!w.err) { idleBad(); }
}
int main(int argc, char **argv)
{
  int stopAt = argc > 1 ? atoi(argv[1]) : 1, found = 0; uint64_t maxStates = argc > 2 ? strtoull(argv[2], 0, 10) : 50000000ull, every = argc > 3 ? strtoull(argv[3], 0, 10) : 0;
  W *cur = malloc(sizeof(W) * 1024), *nxt = malloc(sizeof(W) * 1024); uint32_t *ci = malloc(4096), *ni = malloc(4096); size_t nc = 1, nn, cc = 1024, cn = 1024; int depth = 0; uint64_t a, b, trans = 0; clock_t t0 = clock();
  ka = calloc(cap, 8); kb = calloc(cap, 4); parent = malloc(capn * 4); how = malloc(capn);
  saying = 0; begin(); hash(&a, &b); add(a, b); cur[0] = w; ci[0] = 0; nstates = 1;
  while (nc) {
    size_t q; nn = 0;
    for (q = 0; q < nc; q++) {
      W base = cur[q]; int x, i, any = 0;
      for (i = 0; i < 2; i++) for (x = 0; x < ACTS; x++) {
        w = base;
        if (!can(x, i)) continue;
        if (!IS_FAULT(x)) any = 1;
        trans++;
        act(x, i); hash(&a, &b);
        if (!add(a, b)) continue;
        if (nstates == capn) { capn *= 2; parent = realloc(parent, capn * 4); how = realloc(how, capn); }
        parent[nstates] = ci[q]; how[nstates] = x * 2 + i;
        if (w.err) { found++; printf("violation %d at depth %d, %llu states, %.1f s\n", w.err, depth + 1, (unsigned long long)nstates, (double)(clock() - t0) / CLOCKS_PER_SEC); show(nstates); saying = 0; if (found >= stopAt) return 1; nstates++; continue; }
        if (every && nstates % every == 0) trace(nstates);
        if (nn == cn) { cn *= 2; nxt = realloc(nxt, sizeof(W) * cn); ni = realloc(ni, 4 * cn); }
        nxt[nn] = w; ni[nn++] = nstates++;
      }
      w = base;
      if (!any && !w.err && idleBad()) { found++; printf("violation at the end, depth %d, %llu states\n", depth, (unsigned long long)nstates); show(ci[q]); saying = 0; if (found >= stopAt) return 1; }
    }
    { W *t = cur; cur = nxt; nxt = t; } { uint32_t *t = ci; ci = ni; ni = t; } { size_t t = cc; cc = cn; cn = t; } nc = nn; if (nc) depth++;
    if (nstates > maxStates) { printf("gave up: %llu states at depth %d, %.1f s\n", (unsigned long long)nstates, depth, (double)(clock() - t0) / CLOCKS_PER_SEC); return 2; }
  }
  printf("%s: %llu states, %llu transitions, depth %d, %.1f s, state %d bytes\n", found ? "VIOLATED" : "holds", (unsigned long long)nstates, (unsigned long long)trans, depth, (double)(clock() - t0) / CLOCKS_PER_SEC, (int)sizeof w);
  return found != 0;
}
