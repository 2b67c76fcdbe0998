/* walk.c - random walks through a model, one line per state, for replays against another implementation.
 *   cc -O2 -w -DMODEL='"tickets.h"' FLAGS walk.c -o walk
 *   ./walk SEED WALKS STEPS      WALKS walks from seeds SEED, SEED+1, ..., of at most STEPS steps each
 *   ./walk SEED WALKS STEPS summary   the same, but prints only states that break an invariant, and the summary
 *   ./walk path INIT.0 ANSWER.1  one walk along the named steps, as bfs.c prints them
 * The same seed yields the same lines on every machine. README.md has the format.
 * Exit code: 0; 1: an invariant is broken; 64: usage; 65: a step of the path is not enabled. */
#include <stdio.h>
#include <string.h>
/* The parts of a line. Keys are "side.name" or "name"; a list is "a,b,c", an empty one "-". */
static int listed;
static void num(const char *key, long n) { printf(" %s=%ld", key, n); }
static void side_num(int i, const char *key, long n) { printf(" %d.%s=%ld", i, key, n); }
static void list(int i, const char *of, const char *key) { listed = 0; printf(" %d.%s%s%s=", i, of, *of ? "." : "", key); }
#define ITEM(...) do { if (listed++) printf(","); printf(__VA_ARGS__); } while (0)
static void list_end(void) { if (!listed) printf("-"); }
static void bits(int i, const char *of, const char *key, unsigned set) { int n; list(i, of, key); for (n = 0; n < 32; n++) if (set >> n & 1) ITEM("%d", n); list_end(); }
#define WALK
#include MODEL
#include <stdint.h>
static uint64_t seed;
static uint64_t draw(void)      /* SplitMix64 */
{ uint64_t z = seed += 0x9E3779B97F4A7C15ull; z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull; z = (z ^ z >> 27) * 0x94D049BB133111EBull; return z ^ z >> 31; }
static unsigned long done[ACTS], total, bad; static int quiet;
static void line(unsigned long walk, int step, const char *name, int i)
{
  int x, n; char sep = '=';
  if (quiet && !w.err) return;
  printf("walk=%lu step=%d action=%s side=%d violation=%d enabled", walk, step, name, i, w.err);
  for (x = 0; x < ACTS; x++) for (n = 0; n < 2; n++) if (can(x, n)) { printf("%c%s.%d", sep, action[x], n); sep = ','; }
  if (sep == '=') printf("=-");
  print_state(); printf("\n");
}
static void go(unsigned long walk, int step, int a, int i)
{
  act(a, i); done[a]++; total++;
  line(walk, step, action[a], i);
}
#ifndef IS_WISH
#define IS_WISH(a) 0
#endif
#ifndef RARE
#define RARE 6
#endif
/* Where both are possible, one step in RARE is a fault or a wish (of an application, or for a session), the
 * others go on with what is under way. */
static int choose(void)
{
  int may[2][2 * ACTS], n[2] = {0, 0}, x, i, f, busy = 0;
  for (x = 0; x < ACTS; x++) for (i = 0; i < 2; i++) if (can(x, i)) {
    if (!IS_FAULT(x)) busy = 1;
    f = IS_FAULT(x) || IS_WISH(x); may[f][n[f]++] = x * 2 + i;
  }
  if (!busy && !w.err && idleBad()) w.err = 99;   /* nothing goes on by itself, and not all is settled */
  if (w.err || !(n[0] + n[1])) return -1;
  f = n[0] && n[1] ? draw() % RARE == 0 : !n[0];
  return may[f][draw() % n[f]];
}
int main(int argc, char **argv)
{
  unsigned long first, walks, k; int steps, x, i, s, c;
  saying = 0;
  if (argc > 2 && !strcmp(argv[1], "path")) {
    begin(); line(0, 0, "BEGIN", 0);
    for (s = 2; s < argc; s++) {
      char *dot = strchr(argv[s], '.');
      for (x = 0; dot && x < ACTS; x++) if (strlen(action[x]) == dot - argv[s] && !strncmp(action[x], argv[s], dot - argv[s])) break;
      i = dot && dot[1] == '1';
      if (!dot || x == ACTS || !can(x, i)) { fprintf(stderr, "%s is not enabled\n", argv[s]); return 65; }
      go(0, s - 1, x, i);
    }
    if (!w.err) { choose(); if (w.err) line(0, s - 1, "STUCK", 0); }
    return w.err != 0;
  }
  quiet = argc == 5 && !strcmp(argv[4], "summary");
  if (argc != 4 + quiet) { fprintf(stderr, "usage: walk SEED WALKS STEPS [summary] | walk path ACTION.SIDE ...\n"); return 64; }
  first = strtoul(argv[1], 0, 10); walks = strtoul(argv[2], 0, 10); steps = atoi(argv[3]);
  for (k = 0; k < walks; k++) {
    seed = first + k;
    begin(); line(first + k, 0, "BEGIN", 0);
    for (s = 1; s <= steps && (c = choose()) >= 0; s++) go(first + k, s, c >> 1, c & 1);
    if (w.err) { bad++; if (w.err == 99) line(first + k, s, "STUCK", 0); }
  }
  printf("summary walks=%lu steps=%lu violations=%lu", walks, total, bad);
  for (x = 0; x < ACTS; x++) printf(" %s=%lu", action[x], done[x]);
  printf("\n");
  return bad != 0;
}
