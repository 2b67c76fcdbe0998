/* latest.h - one latest channel, S = side 0 to R = side 1; NK keys, MAXW writes.
 *
 * The number of a write is its place in the true order. What is checked: no adoption ever puts an older
 * write in the place of a newer one, on either side (I4, and the winner of I5), one version never names
 * two writes, and at the end both hold the same.
 *
 * The channel needs no ticket: S recognises by R's top (opening and version of the newest value that R holds)
 * whether its own journal has lost a version; beyond the reservation one can have been used twice.
 */
#include "say.h"
typedef unsigned char u8;
typedef unsigned short u16;
#ifndef NK
#define NK 1
#endif
#ifndef MAXW
#define MAXW 3
#endif
#ifndef MAXS
#define MAXS 3
#endif
#ifndef MAXO
#define MAXO 6
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef RESTORES
#define RESTORES 0
#endif
#ifndef WIPES
#define WIPES 0
#endif
#ifndef CLOCKS
#define CLOCKS 0        /* 1: the physical part of a version may be 0 or 6 at each write, clock set at will */
#endif
#ifndef EARLY
#define EARLY 0
#endif
#ifndef REMOVALS
#define REMOVALS 0      /* 1: a write may remove the key; nobody keeps a removed key for ever, a floor stands for it */
#endif
#ifndef SELF
#define SELF 1          /* R concludes "nothing lost" itself where S's hello covers its top */
#endif
#define BLOCK 2         /* versions reserved at a time */
#define E (MAXO + 1)
#if NK > 2 || MAXO > 7
#error "the bit sets of this model hold at most seven openings, its steps at most two keys"
#endif
typedef struct __attribute__((packed)) {
  u8 val[NK], ver[NK], op[NK], del;
  u8 at[NK];                  /* the version under which R holds the value, where S adopted it; of a removal, R's floor */
  u8 fl;                      /* floor: what is absent was removed at or below it */
  u8 rv, own, unc, end[E];
  u8 lastv[E];                /* per opening the last version that it gave out */
} SJ;
typedef struct __attribute__((packed)) { u8 val[NK], ver[NK], del, fl, known, topE, topV; } RJ;   /* ver 0: absent; val is a ghost then */
typedef struct __attribute__((packed)) { SJ s; RJ r; } J;
typedef struct __attribute__((packed)) {
  J v[2], d[2], snap[2];
  u8 ses[2], nses, pend, nwrite, nop, cur, last, early, has, did, crashes;
  u8 judged;            /* S: 0 not in a session, 1 nothing lost, 2 lost a reservation, 3 mended, not durable yet */
  u8 said;              /* the session in which R was told the verdict */
  u8 rok;               /* R itself concluded from S's hello: nothing lost */
  u8 mended;            /* with it: the present opening, if S has mended; R's top is of that opening now */
  u8 kn, pe, pv;        /* R's known openings and top, as presented */
  u8 ann;               /* S's openings as presented */
  u8 dirty;             /* R: what it held when the session began is not durable yet */
  u8 cses, cval[NK], cver[NK], cop[NK], cdel;   /* values under way */
  u8 fses, floor, fop, fval[NK];   /* the floor that S told; ghost: what its absent keys were */
  u8 tses; RJ told;                       /* what R told */
  u8 fault[2], err;
} W;
static W w;
enum { WRITE1, WRITE2, WRITE1C, WRITE2C, REMOVE1, SHAKE, EARLYDATA, LATE, MEND, VERDICT, SEND, KNOW, TAKE1, TAKE2, PERSIST, TELL, HEAR, SETTLE, NAME, TELLFLOOR, FLOOR, CRASH, SNAP, RESTORE, WIPE, ACTS };
static const char *const action[] = { "WRITE1", "WRITE2", "WRITE1C", "WRITE2C", "REMOVE1",
  "SHAKE", "EARLYDATA", "LATE", "MEND", "VERDICT", "SEND", "KNOW", "TAKE1", "TAKE2", "PERSIST",
  "TELL", "HEAR", "SETTLE", "NAME", "TELLFLOOR", "FLOOR", "CRASH", "SNAP", "RESTORE", "WIPE" };
#define IS_FAULT(a) ((a) <= EARLYDATA || (a) >= CRASH)
static void stop(int i) { w.ses[i] = 0; if (i) { w.cses = 0; memset(w.cval, 0, NK); memset(w.cver, 0, NK); memset(w.cop, 0, NK); w.cdel = 0; w.fses = w.floor = w.fop = 0; w.rok = 0; memset(w.fval, 0, NK); w.said = 0; w.ann = 0; w.mended = 0; w.dirty = 0; } else { w.pend = 0; w.judged = 0; w.tses = 0; memset(&w.told, 0, sizeof(RJ)); w.kn = w.pe = w.pv = 0; } }
static void reboot(int i)
{
  w.v[i] = w.d[i]; stop(i);
  if (!i) {
    SJ *s = &w.v[0].s; int k;
    w.cur = 0;
#ifdef BUG_NO_RESERVATION
    w.last = 0; for (k = 0; k < NK; k++) if (s->ver[k] > w.last) w.last = s->ver[k];
#else
    w.last = s->rv;
#endif
  }
}
static void note(int e)   /* the reservation of an opening, while it is the present one */
{ w.v[0].s.end[e] = w.v[0].s.rv; }
/* Here an opening gets its number when it is first needed; an implementation draws it at the opening. */
static void opening(void)
{
  SJ *s = &w.v[0].s;
  if (!w.cur) { w.cur = ++w.nop; s->own |= 1 << w.cur; s->unc |= 1 << w.cur; }
  if (w.nop > MAXO) { fprintf(stderr, "MAXO is too small\n"); exit(9); }
}
static u8 effS(int k) { return w.v[0].s.ver[k] ? w.v[0].s.ver[k] : w.v[0].s.fl; }
static u8 effR(const RJ *r, int k) { return r->ver[k] ? r->ver[k] : r->fl; }
/* The one way in which a value gets a name: its opening is the present one, its version is new. */
static void name(int k, int clock, int del)
{
  SJ *s = &w.v[0].s;
  opening();
  s->op[k] = w.cur; s->at[k] = 0; s->del &= ~(1 << k); if (del) s->del |= 1 << k;
  w.last = w.last + 1 > clock ? w.last + 1 : clock;
  s->ver[k] = w.last;
  s->lastv[w.cur] = w.last;
  if (w.last > s->rv) s->rv = w.last + BLOCK - 1;
  note(w.cur);
}
static void say_value(int k, int clock, int del)
{
  SJ *s = &w.v[0].s;
  s->val[k] = ++w.nwrite; name(k, clock, del);
  SAY("S: %s (write %d) key %d in opening %d, version %d", del ? "removes" : "writes", s->val[k], k, w.cur, w.last);
}
static int leaves(int k)
{
#ifdef BUG_NO_RESERVATION
  return w.v[0].s.ver[k] != 0;
#else
  return w.v[0].s.ver[k] && w.v[0].s.ver[k] <= w.d[0].s.rv && (!w.v[0].s.op[k] || (w.d[0].s.own >> w.v[0].s.op[k] & 1));
#endif
}
static void fill(void) { int k;
  for (k = 0; k < NK; k++) if (leaves(k)) { w.cdel &= ~(1 << k); w.cdel |= w.v[0].s.del & (1 << k); w.cval[k] = w.v[0].s.val[k]; w.cver[k] = w.v[0].s.ver[k]; w.cop[k] = w.v[0].s.op[k]; } }
/* The highest version that an opening may have given out, as far as S's journal knows: of an earlier one the last that it holds. */
static u8 versionEnd(int e) { return e == w.cur ? w.v[0].s.end[e] : w.v[0].s.lastv[e]; }
/* Does S's journal hold the version that is R's top? */
static int judgeTop(void)
{
#ifdef BUG_NO_TOP_CHECK
  return 1;
#endif
  if (!w.pe) return 1;
  return (w.v[0].s.own >> w.pe & 1) && w.pv <= versionEnd(w.pe) ? 1 : 2;
}
/* R has lost state (the tickets tell it): all openings are announced anew. */
/* S's hello names the reservationEnd of each announced opening and of the newest confirmed one that gave out a
 * version (here every opening does). If R knows the latter, and its top, as it was when the session began, lies under
 * one of these, S has lost no reservation, and R need not wait for its verdict. */
static int topCovered(void)
{
  const SJ *q = &w.v[0].s; int e, f = 0;
  for (e = 1; e < E; e++) if ((q->own & ~q->unc) >> e & 1) f = e;
#ifndef BUG_COVER_UNKNOWN
  if (f && !(w.v[1].r.known >> f & 1)) return 0;      /* R went back or was wiped: S announces all anew with its verdict */
#endif
  if (!w.v[1].r.topE) return 1;
  e = w.v[1].r.topE;
#ifdef BUG_COVER_ANY
  return 1;
#endif
  if (!(q->own >> e & 1) || !((q->unc >> e & 1) || e == f)) return 0;
#ifdef BUG_COVER_NO_END
  return 1;
#endif
  return w.v[1].r.topV <= versionEnd(e);
}
static void joinS(int s) { w.ses[0] = s; w.judged = judgeTop();
#ifndef BUG_NO_REANNOUNCE
  if (w.v[0].s.own & ~w.v[0].s.unc & ~w.kn) { w.v[0].s.unc = w.v[0].s.own; w.ann = w.v[0].s.unc; }
#else
  { int k; for (k = 0; k < NK; k++) if (w.v[0].s.op[k]) w.ann |= 1 << w.v[0].s.op[k]; }
#endif
  SAY("        S judges: %s", w.judged == 1 ? "nothing lost" : "it has lost a version"); }
/* Whether R holds what S adopted from it, as S found it. */
static int adopted(int k)
{ const SJ *s = &w.v[0].s; return s->at[k] && (w.told.ver[k] ? w.told.ver[k] == s->at[k] : (s->del >> k & 1) && w.told.fl >= s->at[k]); }
/* R's durable state, as told in this session, is S's: what S has R has, what S has not R has not. */
static int matched(void)
{
  int k;
  if (!w.ses[0] || w.tses != w.ses[0]) return 0;
  for (k = 0; k < NK; k++) if (w.v[0].s.ver[k] ? w.told.ver[k] != w.v[0].s.ver[k] && !adopted(k) : w.told.ver[k] && !((w.told.del >> k & 1) && w.told.ver[k] <= w.v[0].s.fl)) return 0;
  return 1;
}
/* R takes nothing before it knows S's present opening, or what S has lost. */
static int judged(void) { return w.said == w.ses[1] || w.rok || (w.cur && (w.v[1].r.known >> w.cur & 1)); }
static int canTake(int k) { return k < NK && w.ses[1] && w.cses == w.ses[1] && w.cver[k] > effR(&w.v[1].r, k)
#ifndef BUG_TAKE_UNMET
  && (!w.cop[k] || (w.v[1].r.known >> w.cop[k] & 1)) && judged()
#endif
  ; }
static void take(int k)
{
  RJ *r = &w.v[1].r;
  if (w.cval[k] < r->val[k]) BAD(4, "I4: R replaces write %d by the older %d", r->val[k], w.cval[k]);
  r->val[k] = w.cval[k]; r->ver[k] = w.cver[k]; r->del &= ~(1 << k); r->del |= w.cdel & (1 << k);
  if (w.cver[k] > r->topV && w.cop[k]) { r->topV = w.cver[k]; r->topE = w.cop[k]; }
#ifdef BUG_KNOW_BY_VALUE
  if (w.cop[k]) r->known |= 1 << w.cop[k];
#endif
  SAY("R: takes write %d, version %d", r->val[k], r->ver[k]);
}
static void hear(void)
{
  SJ *s = &w.v[0].s; int k;
#ifndef BUG_ADOPT_UNJUDGED
  if (w.judged == 2) return;
#endif
  for (k = 0; k < NK; k++) {
    if (effR(&w.told, k) > effS(k)) {
      if (w.told.val[k] < s->val[k]) BAD(5, "winner: S gives up write %d for the older %d", s->val[k], w.told.val[k]);
      SAY("        S adopts write %d, version %d", w.told.val[k], w.told.ver[k]);
      s->val[k] = w.told.val[k];
      name(k, 0, w.told.ver[k] ? w.told.del >> k & 1 : 1);
      s->at[k] = effR(&w.told, k);
#ifdef BUG_ADOPT_NOWHERE
      s->op[k] = 0;
#endif
    } else if (!s->ver[k] && w.told.ver[k] && !(w.told.del >> k & 1)) {
      /* R holds what was removed here, and forgotten, at or below the floor: removed once more */
      name(k, 0, 1); SAY("        S removes key %d once more, version %d", k, s->ver[k]);
    } else if (w.told.ver[k] && (w.told.ver[k] == s->ver[k] || w.told.ver[k] == s->at[k]) && w.told.val[k] != s->val[k]) BAD(6, "one version for writes %d and %d", s->val[k], w.told.val[k]);
  }
#ifndef BUG_FORGET_ANNOUNCED
  s->unc &= ~w.told.known;
#else
  s->unc = 0;
#endif
}
static int can(int a, int i)
{
  int more = w.nses < MAXS, k, room = w.nwrite < MAXW && (w.cur || w.nop < MAXO), s = w.ses[i];
  if (w.err) return 0;
  switch (a) {
  case WRITE1: return !i && room;
  case WRITE2: return !i && room && NK > 1;
  case REMOVE1: return !i && room && REMOVALS && w.v[0].s.ver[0] && !(w.v[0].s.del & 1);
  case WRITE1C: return !i && room && CLOCKS && w.last + 1 < 6;
  case WRITE2C: return !i && room && CLOCKS && NK > 1 && w.last + 1 < 6;
  case SHAKE: return !i && more;
  case EARLYDATA: return !i && more && w.early < EARLY;
  case LATE: return !i && w.pend && w.pend == w.ses[1];
  case MEND: return !i && w.judged == 2;
  case VERDICT: return !i && s && w.said != s && (w.judged == 1 || (w.judged == 3 && !memcmp(&w.v[0], &w.d[0], sizeof(J)))) && w.ses[1] == s;
  case SEND: { W b = w; int y; if (i || !s || w.cses != s || w.judged == 2) return 0; fill(); y = memcmp(w.cver, b.cver, NK) != 0; w = b; return y; }
  case KNOW: return i && s &&
#ifdef BUG_KNOW_EARLY
    1
#else
    (w.said == s || (SELF &&
#ifdef BUG_COVER_LATER
      topCovered()
#else
      w.rok
#endif
    ))
#endif
#ifdef BUG_KNOW_BY_VALUE
    && 0
#endif
    && ((w.ann & ~w.v[1].r.known) || w.mended);
  case TAKE1: case TAKE2: return i && canTake(a - TAKE1);
  case PERSIST: return memcmp(&w.v[i], &w.d[i], sizeof(J)) != 0;
  case TELL: return i && s &&
#ifndef BUG_TELL_DIRTY
    !w.dirty &&
#endif
    (w.tses != s || memcmp(&w.told, &w.d[1].r, sizeof(RJ))) && w.ses[0] == s;
  case HEAR: { W b = w; int y; if (i || !s || w.tses != s) return 0; { int l = saying; saying = 0; hear(); saying = l; } y = memcmp(&b.v[0], &w.v[0], sizeof(J)) != 0 || w.err; w = b; return y; }
  case SETTLE: {   /* R holds durably all that S has: the floor rises, removed keys are forgotten */
    int some = 0; if (i || !REMOVALS || w.judged == 2 || !matched()) return 0;
    for (k = 0; k < NK; k++) if (w.v[0].s.ver[k] > w.v[0].s.fl) some = 1;
    return some; }
  case TELLFLOOR: return !i && REMOVALS && s && w.ses[1] == s && w.judged != 2
#ifndef BUG_FLOOR_UNMATCHED
    && matched() && !memcmp(&w.v[0], &w.d[0], sizeof(J))
#endif
    && (w.fses != s || w.floor < w.d[0].s.fl) && w.d[0].s.fl && w.cur && (w.d[0].s.own >> w.cur & 1);
  case NAME: return !i && REMOVALS && s && !w.cur && w.v[0].s.fl && w.nop < MAXO;
  case FLOOR: return i && s && w.fses == s && w.floor > w.v[1].r.fl
#ifndef BUG_FLOOR_BEFORE_KNOW
    && w.said == s && !(w.ann & ~w.v[1].r.known)
#endif
    ;
  case CRASH: return w.crashes < CRASHES && (s || (!i && (w.cur || w.pend)) || memcmp(&w.v[i], &w.d[i], sizeof(J)));
  case SNAP: return (RESTORES >> i & 1) && !(w.has >> i & 1);
  case RESTORE: return (w.has >> i & 1) && !(w.did >> i & 1);
  case WIPE: return (WIPES >> i & 1) && !(w.did >> i & 1);
  }
  return 0;
}
static void act(int a, int i)
{
  int k, n, s;
  switch (a) {
  case WRITE1: say_value(0, 0, 0); break;
  case WRITE2: say_value(1, 0, 0); break;
  case REMOVE1: say_value(0, 0, 1); break;
  case WRITE1C: say_value(0, 6, 0); break;
  case WRITE2C: say_value(1, 6, 0); break;
  case SHAKE: case EARLYDATA:
    stop(0); stop(1); s = w.ses[1] = w.cses = ++w.nses;
    w.dirty = memcmp(&w.v[1], &w.d[1], sizeof(J)) != 0;
    w.kn = w.v[1].r.known; w.pe = w.v[1].r.topE; w.pv = w.v[1].r.topV; w.ann = w.v[0].s.unc;
    w.rok = topCovered();
#ifdef BUG_PRESENT_DURABLE
    w.kn = w.d[1].r.known; w.pe = w.d[1].r.topE; w.pv = w.d[1].r.topV;
#endif
    if (a == EARLYDATA) { w.early++; fill(); w.pend = s; SAY("session %d: message 1 with early data; R's top is version %d of opening %d", s, w.pv, w.pe); }
    else { SAY("session %d; R's top is version %d of opening %d", s, w.pv, w.pe); joinS(s); }
    break;
  case LATE: s = w.pend; w.pend = 0; SAY("S: has message 2 of session %d", s); joinS(s); break;
  case MEND: {   /* values of openings that R does not know go above all that R holds, in their order; one batch */
    SJ *j = &w.v[0].s; u8 done[NK]; memset(done, 0, NK);
    opening();
    if (w.pv > w.last) w.last = w.pv;
#ifndef BUG_NO_MEND
    for (n = 0; n < NK; n++) {
      int best = -1;
      for (k = 0; k < NK; k++) if (!done[k] && j->op[k] && j->ver[k]
#ifndef BUG_MEND_ALL
          && !(w.kn >> j->op[k] & 1) && j->ver[k] <= w.pv
#endif
          && (best < 0 || j->ver[k] < j->ver[best])) best = k;
      if (best < 0) break;
      done[best] = 1; name(best, 0, j->del >> best & 1); SAY("        S: write %d becomes version %d", j->val[best], w.last);
    }
#endif
    j->lastv[w.cur] = w.last;
    if (w.last > j->rv) j->rv = w.last;
    note(w.cur);
    w.judged = 3; SAY("S: mends"); break; }
  case VERDICT: w.said = w.ses[0]; w.mended = w.judged == 3 ? w.cur : 0; if (w.judged == 3) w.ann |= w.v[0].s.unc; SAY("S: tells its verdict"); break;
  case SEND: fill(); if (w.ann != w.v[0].s.unc) w.ann |= w.v[0].s.unc; SAY("S: sends"); break;   /* an opening is named before its values */
  case KNOW: w.v[1].r.known |= w.ann; if (w.mended && w.v[1].r.topV) w.v[1].r.topE = w.mended; w.mended = 0; SAY("R: writes down the openings announced"); break;
  case TAKE1: case TAKE2: take(a - TAKE1); break;
  case PERSIST: w.d[i] = w.v[i]; if (i) w.dirty = 0; SAY("%c: durable", "SR"[i]); break;
  case TELL: w.tses = w.ses[1]; w.told = w.d[1].r; SAY("R: tells what is durable"); break;
  case HEAR: hear(); SAY("S: hears it"); break;
  case SETTLE: { SJ *j = &w.v[0].s; for (k = 0; k < NK; k++) if (j->ver[k] > j->fl) j->fl = j->ver[k];
    for (k = 0; k < NK; k++) if (j->del >> k & 1) { j->ver[k] = j->op[k] = j->at[k] = 0; j->del &= ~(1 << k); }
    SAY("S: all settled, floor %d, forgets removed keys", j->fl); break; }
  case NAME: opening(); note(w.cur); SAY("S: names its opening"); break;
  case TELLFLOOR:
    w.fop = w.cur; w.fses = w.ses[0]; w.floor = w.d[0].s.fl; for (k = 0; k < NK; k++) w.fval[k] = w.d[0].s.ver[k] ? 0 : w.d[0].s.val[k]; SAY("S: tells floor %d", w.floor); break;
  case FLOOR: { RJ *r = &w.v[1].r; r->fl = w.floor; for (k = 0; k < NK; k++) if (!r->ver[k] && w.fval[k] > r->val[k]) r->val[k] = w.fval[k];
    for (k = 0; k < NK; k++) if ((r->del >> k & 1) && r->ver[k] <= r->fl) { r->ver[k] = 0; r->del &= ~(1 << k); }
#ifndef BUG_FLOOR_NOT_TOP
    if (r->fl > r->topV) { r->topV = r->fl; r->topE = w.fop; }      /* a floor rests on a reservation, too */
#endif
#ifdef BUG_NO_FLOOR
    r->fl = 0;
#endif
    SAY("R: floor %d, forgets removed keys below", r->fl); break; }
  case CRASH: w.crashes++; reboot(i); SAY("%c: CRASH", "SR"[i]); break;
  case SNAP: w.snap[i] = w.d[i]; w.has |= 1 << i; SAY("%c: backup", "SR"[i]); break;
  case RESTORE: w.d[i] = w.snap[i]; memset(&w.snap[i], 0, sizeof(J)); w.did |= 1 << i; w.fault[i] = 1; reboot(i); SAY("%c: RESTORED", "SR"[i]); break;
  case WIPE: memset(&w.d[i], 0, sizeof(J)); w.did |= 1 << i; w.fault[i] = 1; reboot(i); SAY("%c: WIPED", "SR"[i]); break;
  }
}
static void begin(void) { memset(&w, 0, sizeof w); }
static int idleBad(void)
{
  int k;
  if (!w.ses[0] || w.ses[0] != w.ses[1]) return 0;
  for (k = 0; k < NK; k++) if (w.v[0].s.val[k] != w.v[1].r.val[k] && !((!w.v[0].s.ver[k] || (w.v[0].s.del >> k & 1)) && (!w.v[1].r.ver[k] || (w.v[1].r.del >> k & 1)))) { if (loud()) printf(" !! I5: S holds write %d, R %d, for ever\n", w.v[0].s.val[k], w.v[1].r.val[k]); return 1; }
  return 0;
}
#ifdef WALK
#include "walk_latest.h"
#endif
