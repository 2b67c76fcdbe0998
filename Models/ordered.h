/* ordered.h - one ordered channel, S = side 0 to R = side 1, on the ticket layer of core.h.
 *
 * Records 1..MAXR in the order in which S's application asked for them; each belongs to the epoch of
 * the opening that accepted it, numbers ascend within it. A record may leave before its commit.
 * A handshake is one step here (tickets.h has its interleavings), except with early data, where R may
 * be alone in the session. A key (idempotency) is the number of the act: an act whose record a crash
 * took may be done once more, as another record.
 */
#define NOFACTS
#include "say.h"
#include "core.h"
#ifndef MAXS
#define MAXS 3          /* sessions after the pairing */
#endif
#ifndef MAXR
#define MAXR 3          /* records, re-done ones included */
#endif
#ifndef MAXO
#define MAXO 3          /* openings of S that wrote a record */
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef RESTORES
#define RESTORES 0
#endif
#ifndef WIPES
#define WIPES 0
#endif
#ifndef CANCELS
#define CANCELS 0       /* records that S takes back before they left */
#endif
#ifndef EARLY
#define EARLY 0         /* sessions that begin with early data, R being alone in them */
#endif
#ifndef REPLAY
#define REPLAY 0        /* an old message 1 may arrive once more */
#endif
#ifndef REDO
#define REDO 0          /* acts lost in a crash are done again under their key */
#endif
#ifndef PENDING
#define PENDING 0       /* 1: the application may decide later, and refuse; also rejected by expiry or withdrawal */
#endif
#ifndef HINTS
#define HINTS 0         /* 1: R tells "received" before durability */
#endif
#ifndef KEEP
#define KEEP 1          /* a session between the same two openings keeps its ticket */
#endif
#define E (MAXO + 1)
#if MAXS > 14 || MAXR > 3 || MAXO > 6
#error "the bit sets of this model hold at most 14 sessions, six openings and three records"
#endif

enum { ABSENT, QUEUED, APPLIED, UNKNOWN, CANCELLED, REGRET };  /* of a record at S; REGRET: applied, but R lost state since and S was told */

typedef struct __attribute__((packed)) {  /* S */
  u8 st[MAXR + 1], ep[MAXR + 1], no[MAXR + 1];
  u8 list[MAXO + 1], nlist;               /* own epochs still listed, oldest first */
  u8 next[E];                             /* per epoch: highest number used */
  u8 gone;                                /* bit e: own epochs that are closed and not listed any more */
  u8 back;                                /* bit r: handed back to the application */
} SJ;
typedef struct __attribute__((packed)) {  /* R */
  u8 st[E], thr[E], wm[E], skip[E];       /* per epoch: 0 never met, 1 open, 2 closed; through; watermark; skipped numbers */
  u8 seq[MAXR], nseq;                     /* the application: records applied, in order */
  u8 keys;                                /* idempotency keys applied */
  u8 pen[E], rej[E];                      /* numbers pending (the application decides later); rejected, cancelled or expired */
  u8 has[E][MAXR + 1];                    /* ghost: which record (epoch, number) was */
} RJ;
typedef struct __attribute__((packed)) { Tk k; SJ s; RJ r; } J;
typedef struct __attribute__((packed)) {  /* records under way in R's session, or of a message 1 */
  u8 ses, ctr, op, valid, mask, live, ep[MAXR + 1], no[MAXR + 1], pred[MAXR + 1];
  u8 list[MAXO + 1], nlist, next[E];
  Tk k;
} Chan;
typedef struct __attribute__((packed)) { u8 ses, pos; SJ s; RJ r; } Told;
typedef struct __attribute__((packed)) {
  J v[2], d[2], snap[2];
  Tk pp[2];
  u8 ses[2], tk[2], c[2], vd[2], pend, ptk, conf, has, did, crashes, nses, nrec, nop, cur, sent, early;
  u8 op[2], kt[2], ko[2], so[2], hi, hop, rcv, rop;  /* S: what R, in which opening, says to have received, durable or not */  /* of the process: opening, its ticket and with which opening of the other; R: highest counter */
  u8 met;                 /* bit e: R had met the epoch when the session began */
  u8 key[MAXR + 1];
  Chan ch, old;
  Told told[2];
  u8 fault[2], err;
} W;
static W w;
enum { WRITE, DOAGAIN, CANCEL, SHAKE, EARLYDATA, LATE, SAVE, REPLAYED, SEND, TAKE, TAKE2, TAKE3, ENTER, PERSIST, TELL, HEAR, CRASH, SNAP, RESTORE, WIPE, RECEIVED, PEND1, PEND2, REFUSE1, REFUSE2, DECIDE_Y, DECIDE_N, ACTS };
static const char *const action[] = { "WRITE", "DOAGAIN", "CANCEL", "SHAKE", "EARLYDATA", "LATE",
  "SAVE", "REPLAYED", "SEND", "TAKE", "TAKE2", "TAKE3", "ENTER", "PERSIST", "TELL", "HEAR",
  "CRASH", "SNAP", "RESTORE", "WIPE", "RECEIVED", "PEND1", "PEND2", "REFUSE1", "REFUSE2",
  "DECIDE_Y", "DECIDE_N" };
#define IS_FAULT(a) ((a) == CRASH || (a) == SNAP || (a) == RESTORE || (a) == WIPE || (a) == WRITE || (a) == DOAGAIN || (a) == CANCEL || (a) == SHAKE || (a) == EARLYDATA || (a) == SAVE || (a) == REPLAYED)

/* Rule W: no handshake message while an entry of the ticket layer is not durable, what was concluded from
 * the counterpart's words (position m) included. */
static int stable(int i) { return
#ifndef BUG_STALE_M
  w.v[i].k.mT == w.d[i].k.mT &&
#endif
  w.v[i].k.T == w.d[i].k.T && w.v[i].k.N == w.d[i].k.N && w.v[i].k.H == w.d[i].k.H && w.v[i].k.Ab == w.d[i].k.Ab; }
static int has(const Tk *t, int s) { return s && (t->T == s || t->N == s); }
static int entered(int i) { return w.ses[i] && has(&w.v[i].k, w.tk[i]); }
static int pos(const Tk *t, int s) { return t->T == s ? t->nT : t->N == s ? t->nN : 0; }
static void stop(int i) { w.ses[i] = w.tk[i] = w.so[i] = 0; if (i) w.conf = 0; w.c[i] = 0; w.vd[i] = 0; memset(&w.pp[i], 0, sizeof(Tk)); memset(&w.told[1 - i], 0, sizeof(Told)); if (i) memset(&w.ch, 0, sizeof w.ch); else w.pend = w.ptk = 0; }
static void reboot(int i) { w.v[i] = w.d[i]; stop(i); w.op[i]++; w.kt[i] = w.ko[i] = 0; if (i) w.hi = w.hop = 0; else w.rcv = w.rop = 0; if (!i) { w.cur = 0; w.sent = 0; } }
/* Every batch of this process has a position in the ticket that the process has entered, with or without a link. */
static void touch(int i)
{
  Tk *t = &w.v[i].k; const Tk *u = &w.d[i].k; int s = w.kt[i];
  if (!has(t, s) || pos(t, s) > pos(u, s)) return;
  if (t->T == s) t->nT++; else t->nN++;
}
static void counter(int i)   /* in each batch that enters, concludes or takes early data */
{ if (i && w.ses[1] && w.hi > w.v[1].k.held) w.v[1].k.held = w.hi; }
static void enterNow(int i)
{
  int r;
  enter(&w.v[i].k, &w.pp[i], w.tk[i], w.vd[i], w.c[i]); w.kt[i] = w.tk[i]; w.ko[i] = w.so[i];
  counter(i);
  if (!i && (w.vd[i] & (PEER_BACK | PEER_WIPED)))     /* told once: the counterpart lost state */
    for (r = 1; r <= MAXR; r++) if (w.v[0].s.st[r] == APPLIED) w.v[0].s.st[r] = REGRET;
}
static int applied(const RJ *r, int rec) { int n; for (n = 0; n < r->nseq; n++) if (r->seq[n] == rec || w.key[r->seq[n]] == w.key[rec]) return 1; return 0; }
static int held_applied(const RJ *r, int rec)   /* R's journal says: applied, final */
{
  int e, n;
  if (!PENDING) return applied(r, rec);
  for (e = 1; e < E; e++) for (n = 1; n <= MAXR; n++) if (r->has[e][n] == rec) return !((r->pen[e] | r->rej[e]) >> n & 1);
  return applied(r, rec);
}
static void check(int v)   /* seen by both sides, o = S, p = R, both durable */
{
  int r;
  if (!w.fault[0] && !w.fault[1] && v != OK) BAD(2, "false alarm: crashes alone");
  if ((v & (PEER_BACK | PEER_WIPED)) && !w.fault[1]) BAD(3, "R is said to have lost state");
  if ((v & (SELF_BACK | SELF_WIPED)) && !w.fault[0]) BAD(3, "S is said to have lost state");
  if (v & (CLONE_PEER | CLONE_SELF)) BAD(5, "a clone is seen where there is none");
  if (v == OK)
    for (r = 1; r <= MAXR; r++) if (w.d[0].s.st[r] == APPLIED && !held_applied(&w.d[1].r, r)) BAD(1, "I1: in step, but record %d, which S holds to be applied, is not at R", r);
}
static void fill(Chan *c)  /* what S may send now: its unsettled records, each with its live predecessor */
{
  int r, q; const SJ *s = &w.v[0].s;
  c->mask = c->live = 0;  /* "received" saves sending, nothing else: the record still is a predecessor */
  memcpy(c->list, s->list, sizeof c->list); c->nlist = s->nlist; memcpy(c->next, s->next, sizeof c->next);
  memset(c->ep, 0, sizeof c->ep); memset(c->no, 0, sizeof c->no); memset(c->pred, 0, sizeof c->pred);
  for (r = 1; r <= MAXR; r++) if (s->st[r] == QUEUED) {
    c->mask |= 1 << r; c->live |= 1 << r; c->ep[r] = s->ep[r]; c->no[r] = s->no[r];
    for (q = 1; q < r; q++) if (s->ep[q] == s->ep[r] && s->st[q] == QUEUED) c->pred[r] = s->no[q];
    if (w.rcv >> r & 1) c->mask &= ~(1 << r);
  }
}
static void joined(void)   /* S has message 2 */
{
  int c = w.ptk;
  w.ses[0] = w.ses[1]; w.tk[0] = c; w.so[0] = w.op[1]; w.pend = w.ptk = 0; w.conf = 1;
#ifndef BUG_RECEIVED_KEPT
  if (w.rop != w.op[1]) w.rcv = 0;       /* what another opening of R had received counts no more */
#endif
  w.rop = w.op[1];
#ifndef BUG_KEEP_ACROSS
  if (c != w.ses[0] && (w.kt[0] != c || w.ko[0] != w.op[1])) BAD(13, "R keeps a ticket that S cannot keep");
#endif
}
static int joins(const Tk *k, int both, int early, Chan *c)
{
  u8 cm; Tk o = *k, p = w.d[1].k; int v, u, keep, fast;
  v = judge(&o, &p, &cm); u = judge(&p, &o, &cm);
  fast = has(&o, cm) && has(&p, cm);
  if (both || early == 2) check(v);
#ifndef BUG_EARLY_UNCHECKED
  if (early && (v != OK || !fast)) return 0;
#endif
  keep = KEEP && u == OK && fast && (!o.N || o.N == cm) && (!p.N || p.N == cm)
#ifndef BUG_KEEP_ACROSS
    && w.kt[1] == cm && w.ko[1] == c->op
#endif
  ;
  stop(1); w.ses[1] = ++w.nses; w.tk[1] = keep ? cm : w.nses; w.so[1] = c->op; w.hi = c->ctr; w.hop = c->op; w.conf = both; w.pp[1] = o; w.c[1] = cm; w.vd[1] = u;
  { int e; w.met = 0; for (e = 1; e < E; e++) if (w.v[1].r.st[e]) w.met |= 1 << e; }
  w.ch = *c; w.ch.ses = w.nses; memset(&w.ch.k, 0, sizeof(Tk)); if (!early) { w.ch.mask = w.ch.live = 0; memset(w.ch.ep, 0, sizeof c->ep); memset(w.ch.no, 0, sizeof c->no); memset(w.ch.pred, 0, sizeof c->pred); }
  if (both || early == 2) { stop(0); w.pp[0] = p; w.c[0] = cm; w.vd[0] = v; w.ptk = w.tk[1]; if (both) joined(); else w.pend = w.nses; }
  return 1;
}
/* The order rule: an earlier listed epoch is through, or all below its end settled. */
static int turn(int rec)
{
  int k, e = w.ch.ep[rec], q;
#ifndef BUG_NO_ORDER_ACROSS
  for (k = 0; k < w.ch.nlist && w.ch.list[k] != e; k++)
    for (q = 1; q < rec; q++)
      if ((w.ch.live >> q & 1) && w.ch.ep[q] == w.ch.list[k] && w.v[1].r.st[w.ch.ep[q]] != 2 && w.ch.no[q] > w.v[1].r.thr[w.ch.ep[q]]) return 0;
#endif
  return w.ch.pred[rec] <= w.v[1].r.thr[e];
}
static void take(int r, int how)   /* how: 0 applied, 1 pending, 2 rejected, cancelled or expired */
{
  RJ *q = &w.v[1].r; int e = w.ch.ep[r], n = w.ch.no[r], x;
  if (q->st[e] == 2) return;
  q->st[e] = 1;
  for (x = q->thr[e] + 1; x < n; x++) q->skip[e] |= 1 << x;
  q->thr[e] = n; q->has[e][n] = r;
  if (how == 2) { q->rej[e] |= 1 << n; return; }
  if (how == 1) q->pen[e] |= 1 << n;
#ifndef BUG_KEYS_VOLATILE
  if (REDO && (q->keys >> w.key[r] & 1)) { SAY("        its key is known: counts as applied"); return; }
#endif
  if (REDO) q->keys |= 1 << w.key[r];   /* without REDO no record has a key */
  for (x = 0; x < q->nseq; x++) {
    if (q->seq[x] == r || w.key[q->seq[x]] == w.key[r]) BAD(7, "I2: act %d applied twice", w.key[r]);
    if (q->seq[x] > r) BAD(8, "I3: record %d applied after %d", r, q->seq[x]);
  }
  if (q->nseq < MAXR) q->seq[q->nseq++] = r;
}
/* S hears what R holds. */
static void hearS(void)
{
  SJ *s = &w.v[0].s; const RJ *q = &w.told[1].r; int r, e, n, k;
  for (r = 1; r <= MAXR; r++) if (s->st[r] == QUEUED) {
    e = s->ep[r]; n = s->no[r];
    if (q->st[e] == 2 || (q->st[e] == 1 && n <= q->wm[e])) {
      s->st[r] = UNKNOWN;
      if (!w.fault[0]) BAD(9, "I7: record %d is unknown, though S lost nothing", r);
    } else if (q->st[e] == 1 && n <= q->thr[e]) {
#ifndef BUG_THROUGH_ONLY
      if ((q->skip[e] | q->rej[e]) >> n & 1) { s->st[r] = CANCELLED; continue; }
#endif
#ifndef BUG_PENDING_SETTLES
      if (q->pen[e] >> n & 1) continue;     /* pending: not settled, so the watermark stays below it */
#endif
      s->st[r] = APPLIED;
      if (!held_applied(&w.told[1].r, r)) BAD(10, "I7: S is told that record %d is applied, which it is not", r);
    }
  }
  /* What R holds of an opening, or beyond the end of one, that S does not have: handed back. */
#ifndef BUG_NO_HANDBACK
  for (e = 1; e < E; e++) if (q->st[e] == 1) {
    int mine = 0;
    for (k = 0; k < s->nlist; k++) if (s->list[k] == e) mine = 1;
#ifndef BUG_FORGET_OWN_CLOSED
    if (s->gone >> e & 1) continue;
#endif
    for (n = q->wm[e] + 1; n <= q->thr[e]; n++)
      if ((!mine || n > s->next[e]) && q->has[e][n]) {
        int h = q->has[e][n];
        if (s->st[h] == APPLIED || s->st[h] == REGRET) BAD(12, "record %d is handed back, which S knows to be applied", h);
        s->back |= 1 << h;
      }
    if (mine && e != w.cur && s->next[e] < q->thr[e]) s->next[e] = q->thr[e];   /* its end is R's */
  }
#endif
  for (k = 0; k < s->nlist; k++)          /* closed at R: not listed any more */
    if (s->list[k] != w.cur && q->st[s->list[k]] == 2) {
      int m; s->gone |= 1 << s->list[k]; for (m = k; m + 1 < s->nlist; m++) s->list[m] = s->list[m + 1];
      s->list[--s->nlist] = 0; k--;
    }
}
static int openBelow(const SJ *s, int e, int n) { int r; for (r = 1; r <= MAXR; r++) if (s->ep[r] == e && s->st[r] == QUEUED && s->no[r] <= n) return 1; return 0; }
/* Closed: the exceptions go; what is pending stays until the application has decided, and is told to nobody. */
static void close_(RJ *q, int e) { u8 asked = q->pen[e]; q->thr[e] = q->wm[e] = q->skip[e] = q->rej[e] = 0; memset(q->has[e], 0, sizeof q->has[e]);
#ifdef BUG_CLOSE_DROPS_PENDING
  q->pen[e] = 0;
#endif
  if (asked & ~q->pen[e]) BAD(14, "a pending record of epoch %d is forgotten before the application has decided", e);
}
/* R hears what S has settled. */
static void hearR(void)
{
  const SJ *s = &w.told[0].s; RJ *q = &w.v[1].r; int k, e, n, m;
  for (k = 0; k < s->nlist; k++) {
    e = s->list[k];
    for (n = 0; n < s->next[e] && !openBelow(s, e, n + 1); n++) ;
    if (n > q->wm[e] && q->st[e] != 2) { q->wm[e] = n; q->st[e] = 1; if (q->thr[e] < n) q->thr[e] = n; }
    /* all settled, and an opening that is over: closed */
    if (k + 1 < s->nlist || e != w.told[0].pos >> 4) {
      if (n == s->next[e] && q->thr[e] <= n && q->st[e] != 2) {
#ifdef BUG_FORGET_CLOSED
        q->st[e] = 0; close_(q, e);
#else
        q->st[e] = 2; close_(q, e);
#endif
      }
    }
  }
  for (e = 1; e < E; e++) if (q->st[e] == 1) {       /* not listed: S does not have it; it has been handed back, or was settled */
    int mine = 0; for (m = 0; m < s->nlist; m++) if (s->list[m] == e) mine = 1;
#ifndef BUG_CLOSE_PRESENT
    /* The present opening is never taken for lost or closed: it is always named, in the hello and
     * after it, also before anything of it is durable. (Here its number is drawn with its first record.) */
    if (e == w.told[0].pos >> 4 || !(w.met >> e & 1)) continue;
#endif
    if (mine) continue;
    if (!(s->gone >> e & 1)) for (n = q->wm[e] + 1; n <= q->thr[e]; n++) if (q->has[e][n] && !(s->back >> q->has[e][n] & 1)) mine = 1;
    if (!mine) { q->st[e] = 2; close_(q, e); }
  }
}
static void hear(int i)
{
  int j = 1 - i, s = w.tk[i];
  if (!entered(i)) enterNow(i);
  /* What is concluded, the ticket and the position go into one batch. A position alone is not written
   * down: there would be no end of acknowledgements. */
  { J was = w.v[i]; int news;
    if (i) hearR(); else hearS();
    news = memcmp(&was, &w.v[i], sizeof(J)) != 0;
    if (w.v[i].k.T != s) { leaves_tickets(&w.v[i].k); w.v[i].k.T = s; w.v[i].k.nT = w.v[i].k.nN; w.v[i].k.mT = 0; w.v[i].k.N = 0; w.v[i].k.nN = 0; news |= 2; }
    if (news && (w.told[j].pos & 15) > w.v[i].k.mT) w.v[i].k.mT = w.told[j].pos & 15;
    if (news) counter(i);
    if (news & 1) touch(i);
  }
}
static Told telling(int i)
{
  Told t; memset(&t, 0, sizeof t);
  t.ses = w.ses[i]; t.pos = pos(&w.d[i].k, w.tk[i]);
#ifdef BUG_ACK_BEFORE_COMMIT
  t.pos = pos(&w.v[i].k, w.tk[i]); if (i) t.r = w.v[1].r; else t.s = w.v[0].s;
#else
  if (i) t.r = w.d[1].r; else t.s = w.d[0].s;
#endif
  if (!i) t.pos |= w.cur << 4;
  return t;
}
static int takes(int r) { int s = w.ses[1]; return s && w.ch.ses == s && r <= MAXR && (w.ch.mask >> r & 1) && w.v[1].r.st[w.ch.ep[r]] != 2 && w.ch.no[r] > w.v[1].r.thr[w.ch.ep[r]] && turn(r); }
static int anyPending(void) { int e; for (e = 1; e < E; e++) if (w.v[1].r.pen[e]) return e; return 0; }
static int received(void)   /* R's process has them, durable or not */
{
  int r, m = 0; const RJ *q = &w.v[1].r;
  for (r = 1; r <= MAXR; r++) if (w.v[0].s.st[r] == QUEUED && (q->st[w.v[0].s.ep[r]] == 2 || w.v[0].s.no[r] <= q->thr[w.v[0].s.ep[r]])) m |= 1 << r;
  return m;
}
static int can(int a, int i)
{
  int more = w.nses < 1 + MAXS, s = w.ses[i], r;
  if (w.err) return 0;
  switch (a) {
  case WRITE: return !i && w.nrec < MAXR && (w.cur || w.nop < MAXO);
  case DOAGAIN: if (i || !REDO || w.nrec >= MAXR || (!w.cur && w.nop >= MAXO)) return 0;
    for (r = 1; r <= w.nrec; r++) if (w.v[0].s.st[r] == ABSENT && w.key[r] == r) { int q; for (q = r + 1; q <= w.nrec; q++) if (w.key[q] == r) break; if (q > w.nrec) return 1; } return 0;
  case CANCEL: if (i || !CANCELS || !w.cur) return 0;
    for (r = 1; r <= MAXR; r++) if (w.v[0].s.st[r] == QUEUED && w.v[0].s.ep[r] == w.cur && !(w.sent >> r & 1)) return 1; return 0;
  case SHAKE: return !i && more && stable(0) && stable(1);
  case EARLYDATA: return !i && more && w.early < EARLY && stable(0) && stable(1);
  case LATE: return !i && w.pend && w.ses[1] == w.pend && stable(0);
  case SAVE: return !i && REPLAY && !w.old.valid && more && stable(0) && w.nrec;
  case REPLAYED: return i && w.old.valid == 1 && more && stable(1)
#ifdef MEMORY_COUNTERS   /* the counter is not in the journal, and compared within one opening of S */
    && !(w.old.op == w.hop && w.old.ctr <= w.hi)
#elif !defined BUG_NO_COUNTER
    && w.old.ctr > w.v[1].k.held && w.old.ctr > w.hi
#endif
    ;
  case SEND: { Chan c = w.ch; if (i || !s || w.ch.ses != s) return 0; fill(&c); return memcmp(&c, &w.ch, sizeof c) != 0; }
  case TAKE: case TAKE2: case TAKE3: r = 1 + a - TAKE;      /* records arrive in any order */
    return i && s && w.ch.ses == s && r <= MAXR && (w.ch.mask >> r & 1) && w.v[1].r.st[w.ch.ep[r]] != 2 && w.ch.no[r] > w.v[1].r.thr[w.ch.ep[r]] && turn(r);
  case ENTER: return s && !entered(i)
#ifndef BUG_ENTER_UNCONFIRMED
    && (!i || w.conf)      /* R: not before the first packet of the session */
#endif
    ;
  case PERSIST: return memcmp(&w.v[i], &w.d[i], sizeof(J)) != 0;
  case TELL: { Told t; if (!s || !pos(&w.d[i].k, w.tk[i])) return 0; t = telling(i); return memcmp(&t, &w.told[i], sizeof t) != 0; }
  case HEAR: { W save = w; int y; if (!s || w.told[1 - i].ses != s) return 0; { int l = saying; saying = 0; hear(i); saying = l; } y = memcmp(&save.v[i], &w.v[i], sizeof(J)) != 0 || w.err; w = save; return y; }
  case PEND1: case PEND2: return PENDING && i && takes(1 + a - PEND1);
  case REFUSE1: case REFUSE2: return PENDING && i && takes(1 + a - REFUSE1);
  case DECIDE_Y: case DECIDE_N: return PENDING && i && anyPending();     /* also without a link */
  case RECEIVED: return HINTS && !i && s && w.ses[1] == s && received() & ~w.rcv;
  case CRASH: return w.crashes < CRASHES && (s || (!i && (w.cur || w.pend)) || memcmp(&w.v[i], &w.d[i], sizeof(J)));
  case SNAP: return (RESTORES >> i & 1) && !(w.has >> i & 1);
  case RESTORE: return (w.has >> i & 1) && !(w.did >> i & 1) && more;
  case WIPE: return (WIPES >> i & 1) && !(w.did >> i & 1) && more;
  }
  return 0;
}
/* S's next counter. One that is not above R's is refused; the refusal names R's, and S goes on above it. */
static u8 fresh(void)
{
  u8 h = w.v[1].k.held > w.hi ? w.v[1].k.held : w.hi; Tk *t = &w.v[0].k;
  if (t->own < h) t->own = h;
  return w.d[0].k.own = ++t->own;
}
static void accept_(int key)
{
  SJ *s = &w.v[0].s; int r = ++w.nrec;
  if (!w.cur) {
#ifdef BUG_REUSE_EPOCH
    if (s->nlist) w.cur = s->list[s->nlist - 1]; else
#endif
    { w.cur = ++w.nop; s->list[s->nlist++] = w.cur; }
  }
  w.key[r] = key ? key : r;
  s->st[r] = QUEUED; s->ep[r] = w.cur; s->no[r] = ++s->next[w.cur];
  touch(0);
  SAY("S: accepts record %d (act %d) as epoch %d number %d", r, w.key[r], w.cur, s->no[r]);
}
static void act(int a, int i)
{
  int s = w.ses[i], r;
  switch (a) {
  case WRITE: accept_(0); break;
  case DOAGAIN: for (r = 1; r <= w.nrec; r++) if (w.v[0].s.st[r] == ABSENT && w.key[r] == r) { int q; for (q = r + 1; q <= w.nrec; q++) if (w.key[q] == r) break; if (q > w.nrec) break; } accept_(r); break;
  case CANCEL: for (r = 1; r <= MAXR; r++) if (w.v[0].s.st[r] == QUEUED && w.v[0].s.ep[r] == w.cur && !(w.sent >> r & 1)) break;
    w.v[0].s.st[r] = CANCELLED; touch(0); SAY("S: takes record %d back, which never left", r); break;
  case SHAKE: { Chan c; memset(&c, 0, sizeof c); fill(&c); c.ctr = fresh(); c.op = w.op[0]; joins(&w.d[0].k, 1, 0, &c); SAY("session %d: S (T %d N %d), R (T %d N %d); S judges %d, R %d", w.nses, w.d[0].k.T, w.d[0].k.N, w.d[1].k.T, w.d[1].k.N, w.vd[0], w.vd[1]); break; }
  case EARLYDATA: { Chan c; int ok; memset(&c, 0, sizeof c); fill(&c); c.ctr = fresh(); c.op = w.op[0]; w.early++; w.sent |= c.mask; ok = joins(&w.d[0].k, 0, 2, &c); SAY("S: message 1 with early data (T %d N %d): %s", w.d[0].k.T, w.d[0].k.N, ok ? "taken" : "refused"); break; }
  case LATE: joined(); SAY("S: message 2 arrives, session %d", w.ses[0]); break;
  case SAVE: fill(&w.old); w.old.ctr = ++w.v[0].k.own; w.d[0].k.own = w.v[0].k.own; w.old.op = w.op[0]; w.old.k = w.d[0].k; w.old.valid = 1; w.sent |= w.old.mask; stop(0); SAY("S: message 1 (counter %d) with early data, kept by somebody", w.old.ctr); break;
  case REPLAYED: { Chan c = w.old; Tk k = w.old.k; int ok; w.old.valid = 2; ok = joins(&k, 0, 1, &c); SAY("R: the kept message 1 arrives: %s", ok ? "taken" : "refused"); break; }
  case SEND: fill(&w.ch); w.sent |= w.ch.mask; SAY("S: sends its unsettled records"); break;
  case TAKE: case TAKE2: case TAKE3: r = 1 + a - TAKE;
    SAY("R: applies record %d (epoch %d number %d)", r, w.ch.ep[r], w.ch.no[r]); take(r, 0); counter(1); touch(1); break;
  case ENTER: enterNow(i); SAY("%c: writes ticket %d", "SR"[i], s); break;
  case PERSIST: w.d[i] = w.v[i]; SAY("%c: durable", "SR"[i]); break;
  case TELL: w.told[i] = telling(i); SAY("%c: tells what is durable", "SR"[i]); break;
  case HEAR: hear(i); SAY("%c: hears it", "SR"[i]); if (!i && loud()) for (r = 1; r <= w.nrec; r++) printf("          record %d: %s%s\n", r, w.v[0].s.st[r] == ABSENT ? "not there" : w.v[0].s.st[r] == QUEUED ? "queued" : w.v[0].s.st[r] == APPLIED ? "applied" : w.v[0].s.st[r] == UNKNOWN ? "unknown" : w.v[0].s.st[r] == CANCELLED ? "not applied" : "applied, lost since", w.v[0].s.back >> r & 1 ? ", handed back" : ""); break;
  case PEND1: case PEND2: r = 1 + a - PEND1; SAY("R: takes record %d, pending", r); take(r, 1); counter(1); touch(1); break;
  case REFUSE1: case REFUSE2: r = 1 + a - REFUSE1; SAY("R: takes record %d as rejected, cancelled or expired", r); take(r, 2); counter(1); touch(1); break;
  case DECIDE_Y: case DECIDE_N: { RJ *q = &w.v[1].r; int e = anyPending(), n; for (n = 1; !(q->pen[e] >> n & 1); n++) ;
    q->pen[e] &= ~(1 << n); if (a == DECIDE_N && q->st[e] == 1) q->rej[e] |= 1 << n;
#ifdef BUG_OFFLINE_UNCOUNTED
    if (w.ses[1] && w.ses[0] == w.ses[1])   /* S is in the session, too */
#endif
    touch(1);
    SAY("R: the application %s epoch %d number %d%s", a == DECIDE_Y ? "applies" : "rejects", e, n, w.ses[1] ? "" : ", without a link"); break; }
  case RECEIVED: w.rcv |= received(); SAY("S: is told what R has received");
#ifdef BUG_SETTLE_RECEIVED
    for (r = 1; r <= MAXR; r++) if ((w.rcv >> r & 1) && w.v[0].s.st[r] == QUEUED) w.v[0].s.st[r] = APPLIED;
#endif
    break;
  case CRASH: w.crashes++; reboot(i); SAY("%c: CRASH", "SR"[i]); break;
  case SNAP: w.snap[i] = w.d[i]; w.has |= 1 << i; SAY("%c: backup", "SR"[i]); break;
  case RESTORE: w.d[i] = w.snap[i]; memset(&w.snap[i], 0, sizeof(J)); w.did |= 1 << i; w.fault[i] = 1; reboot(i); SAY("%c: RESTORED", "SR"[i]); break;
  case WIPE: memset(&w.d[i], 0, sizeof(J)); w.did |= 1 << i; w.fault[i] = 1; reboot(i); SAY("%c: WIPED", "SR"[i]); break;
  }
}
static void begin(void)
{
  int i;
  memset(&w, 0, sizeof w); w.nses = 1;
  for (i = 0; i < 2; i++) { w.d[i].k.T = 1; w.d[i].k.nT = 1; w.d[i].k.H = BIT(1); w.v[i] = w.d[i]; w.op[i] = 1; }
}
/* I5: both in one session and nothing left to do: every record has an outcome, what S lost and R applied was handed back. */
static int idleBad(void)
{
  int r, e;
  if (!w.ses[0] || w.ses[0] != w.ses[1]) return 0;
  for (r = 1; r <= w.nrec; r++) {
    int st = w.v[0].s.st[r];
    if (st == QUEUED) { if (loud()) printf(" !! I5: record %d never ends\n", r); return 1; }
    if (st == ABSENT && applied(&w.v[1].r, r) && !w.fault[0] && !(w.v[0].s.back >> r & 1)) {
      int q, redone = 0; for (q = 1; q <= w.nrec; q++) if (w.key[q] == w.key[r] && (q > r || (w.v[0].s.back >> q & 1))) redone = 1;   /* the act is in hand */
      if (!redone) { if (loud()) printf(" !! I5: record %d, lost by S and applied by R, was not handed back\n", r); return 1; }
    }
  }
  for (e = 1; e < E; e++) if (e != w.cur && w.v[1].r.st[e] == 1) { if (loud()) printf(" !! bounds: R keeps epoch %d open for ever\n", e); return 1; }
  return 0;
}
#ifdef WALK
#include "walk_ordered.h"
#endif
