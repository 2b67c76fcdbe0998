/* tickets.h - the ticket layer alone: both sides, handshakes, counters, kept tickets, crash, restore, wipe, clone.
 *
 * A side's journal is v (what the process believes) and d (what is durable): PERSIST copies v to d,
 * a crash d to v. That is equivalent to batches that become durable in order, since a statement may
 * leave arbitrarily late after its PERSIST. One session may live on a link that loses packets; what a
 * side tells is cumulative, so that only the newest statement is kept.
 * Own and held handshake counters are part of the journal: a restore or a wipe sets them back. Somebody
 * may keep one message 1 of each side and send it again at any time (REPLAYS).
 */
#include "say.h"
#include "core.h"
#ifndef MAXS
#define MAXS 4          /* sessions after the pairing, which is ticket 1; kept tickets count as sessions */
#endif
#ifndef MAXF
#define MAXF 0          /* batches of each side beside Enter, with or without a link */
#endif
#ifndef RESTORES
#define RESTORES 0      /* bit i: side i may go back to a snapshot taken at any time */
#endif
#ifndef SWAPS
#define SWAPS 1         /* 1: restore. 2 or more: a clone pair of side 0, of which one is on at a time */
#endif
#ifndef BACKS
#define BACKS 1         /* how often a side that may be restored goes back to its snapshot */
#endif
#ifndef WIPES
#define WIPES 0         /* bit i: side i may be wiped once */
#endif
#ifndef CRASHES
#define CRASHES 9
#endif
#ifndef REPLAYS
#define REPLAYS 0       /* how often in all a kept message 1 arrives once more */
#endif
#ifndef REPLAYERS
#define REPLAYERS 3     /* bit i: whose message 1 is kept */
#endif
#ifndef CROSSED
#define CROSSED 0       /* 1: message 1 with early data that meets one's own is not answered, its early data taken */
#endif
#ifndef KEEP
#define KEEP 1          /* 1: a session between the same two openings keeps the ticket */
#endif

#if MAXS > 6 || MAXF > 6
#error "the bit sets of this model hold at most six sessions and six batches"
#endif

typedef struct __attribute__((packed)) { Tk t; u8 ses, tk, id, ctr, op, valid; } Hs;
typedef struct __attribute__((packed)) {
  Tk v[2], d[2], snap[2], pp[2];     /* volatile, durable, snapshot; what the counterpart presented */
  Hs m1[2], pend[2], m2[2], old[2];  /* messages 1 and 2 on their way; the initiator's state; kept by somebody */
  u8 rf[2], rfc[2];                  /* refusals on their way: of which message 1; the counter they name */
  u8 ses[2], tk[2], c[2], vd[2];     /* session, its ticket, newest common ticket, verdict */
  u8 resp[2], ok[2], fast[2];        /* responder: message 1 answered; first packet of the session came; cases 2 to 5 */
  u8 hi[2], cr[2], op[2], kt[2], ko[2], so[2], hop[2]; /* of the process: highest counter met, message 1 taken but not answered, opening, its ticket and with which opening; the session's */
  u8 ninit[2], nf[2], fin, nrep, has[2], swaps[2], wipes, crashes, nses, dev;
  u8 tses[2], tpos[2]; unsigned tF[2]; /* told in this session: the position; ghost: the facts */
  u8 sdev[10], conf, last, fault[2]; /* ghosts */
  u8 err;
} W;
static W w;

#ifndef ONE_INIT
#define ONE_INIT 0        /* 1: side 0 alone opens */
#endif
#ifndef MAXI
#define MAXI (MAXS - !ONE_INIT)   /* messages 1 of each side */
#endif
enum { INIT, ANSWER, FINISH, REFUSED, CONFIRM, ENTER, WORK, PERSIST, TELL, HEAR, CRASH, SNAP, SWAP, WIPE, SAVE, REPLAY, CROSS, ACTS };
static const char *const action[] = { "INIT", "ANSWER", "FINISH", "REFUSED", "CONFIRM", "ENTER",
  "WORK", "PERSIST", "TELL", "HEAR", "CRASH", "SNAP", "SWAP", "WIPE", "SAVE", "REPLAY", "CROSS" };

static void stop(int i)
{
  w.ses[i] = w.tk[i] = w.c[i] = w.vd[i] = w.resp[i] = w.ok[i] = w.fast[i] = w.so[i] = 0; memset(&w.pp[i], 0, sizeof(Tk));
}
static void reboot(int i)
{
  w.v[i] = w.d[i]; stop(i);
  memset(&w.pend[i], 0, sizeof(Hs)); memset(&w.m2[i], 0, sizeof(Hs)); w.rf[i] = w.rfc[i] = 0;
  w.hi[i] = w.cr[i] = w.hop[i] = 0; w.op[i]++; w.ko[i] = 0;
#ifndef BUG_LATER_OPENING_COUNTS
  w.kt[i] = 0;
#endif
}
/* Rule W: no handshake message while an entry of the ticket layer is not durable. */
static int stable(int i)
{
#ifdef BUG_PRESENT_VOLATILE
  return 1;
#endif
#ifndef BUG_STALE_M
  if (w.v[i].mT != w.d[i].mT) return 0;   /* also what was concluded from the other's words */
#endif
  return w.v[i].T == w.d[i].T && w.v[i].N == w.d[i].N && w.v[i].H == w.d[i].H && w.v[i].Ab == w.d[i].Ab;
}
static Tk presented(int i)
{
#ifdef BUG_PRESENT_VOLATILE
  return w.v[i];
#endif
  return w.d[i];
}
static int has(const Tk *t, int s) { return s && (t->T == s || t->N == s); }
static int entered(int i) { return w.ses[i] && has(&w.v[i], w.tk[i]); }
static int pos(const Tk *t, int s) { return t->T == s ? t->nT : t->N == s ? t->nN : 0; }
static void counter(int i)   /* every batch of a session that enters, concludes or takes early data */
{
#ifndef BUG_COUNTER_ENTER_ONLY
  if (w.ses[i] && w.hi[i] > w.v[i].held) w.v[i].held = w.hi[i];
#endif
}
static void check(int i, const Tk *o, const Tk *p, int v)
{
  int j = 1 - i, dev = w.sdev[w.ses[i]] ? w.sdev[w.ses[i]] - 1 : w.dev;   /* the device that made this session */
  if (v == OK) {
    if (p->K & ~o->F) BAD(1, "undetected: in step, but side %d lost what it had told", i);
    if (o->K & ~p->F) BAD(1, "undetected: in step, but side %d lost what it had told", j);
  }
  if (!w.fault[0] && !w.fault[1] && v != OK) BAD(2, "false alarm (%d): there were crashes alone", v);
  if ((v & (PEER_BACK | PEER_WIPED)) && !w.fault[j]) BAD(3, "side %d is said to have lost state", j);
  if ((v & (SELF_BACK | SELF_WIPED)) && !w.fault[i]) BAD(3, "side %d is said to have lost state", i);
  if ((v & (CLONE_PEER | CLONE_SELF)) && (SWAPS == 1 || w.swaps[0] < 2)) BAD(5, "a clone is seen where there is none");
  if (SWAPS > 1 && dev != w.last && (w.conf >> dev & 1) && (w.conf >> w.last & 1) && !(v & (CLONE_PEER | CLONE_SELF)))
    BAD(6, "a clone goes unnoticed");
}
/* What the side holds for true from now on; a responder: once the initiator's first packet has come. */
static void act_on(int i, const Tk *o)
{
  int v = w.vd[i];
  SAY("        side %d judges: %s%s%s%s%s%s, common ticket %d", i, v & OK ? "in step" : "", v & PEER_BACK ? "other back " : "",
      v & SELF_BACK ? "self back " : "", v & PEER_WIPED ? "other wiped " : "", v & SELF_WIPED ? "self wiped " : "",
      v & (CLONE_PEER | CLONE_SELF) ? "CLONE" : "", w.c[i]);
  check(i, o, &w.pp[i], v);
  if (v & (CLONE_PEER | CLONE_SELF)) stop(i);
}
static int judged(int i, const Tk *o, const Tk *p)
{
  u8 c; int v = judge(o, p, &c);
  w.pp[i] = *p; w.c[i] = c; w.vd[i] = v;
  return w.fast[i] = c && has(o, c) && has(p, c) && !(v & (CLONE_PEER | CLONE_SELF));
}
static void confirmed(void)   /* ghost: side 1 holds durably that a device of side 0 confirmed a session */
{
  u8 t = w.d[1].T;
  if (t > 1 && w.sdev[t] && !w.fault[1]) { w.conf |= 1 << (w.sdev[t] - 1); w.last = w.sdev[t] - 1; }
}
static void enterNow(int i)
{
  enter(&w.v[i], &w.pp[i], w.tk[i], w.vd[i], w.c[i]);
  if (w.hi[i] > w.v[i].held) w.v[i].held = w.hi[i];
  memset(&w.pend[i], 0, sizeof(Hs));
  w.kt[i] = w.tk[i]; w.ko[i] = w.so[i];
}
/* May the session keep c? o, p: what was presented; q: the counterpart's opening. */
static int keeps(int i, const Tk *o, const Tk *p, int q)
{
  int c = w.c[i];
  if (!KEEP || w.vd[i] != OK || !w.fast[i]) return 0;
#ifndef BUG_KEEP_OTHER_N
  if ((o->N && o->N != c) || (p->N && p->N != c)) return 0;
#endif
#ifdef BUG_KEEP_ACROSS
  return 1;
#endif
  return c == w.kt[i] && w.ko[i] == q;
}

static int stale(int i, const Hs *m)
{
#ifdef BUG_NO_COUNTER
  return 0;
#endif
  if (m->id == w.cr[i]) return 0;         /* its early data was taken; it may still be answered */
#ifdef MEMORY_COUNTERS                    /* counters not in the journal, compared within one opening: enough? */
  return m->op == w.hop[i] && m->ctr <= w.hi[i];
#endif
  return m->ctr <= w.v[i].held
#ifndef BUG_NO_MEMORY_COUNTER
    || m->ctr <= w.hi[i]
#endif
  ;
}
static int again(int i, const Hs *m)   /* the message 1 that made the present session, which has not opened yet */
{ return w.ses[i] && w.resp[i] == m->id && !w.ok[i]; }
static int meeting;       /* idleBad(): the bound on messages 1 does not hold */
static void act(int a, int i);
static int can(int a, int i)
{
  int j = 1 - i, more = w.nses < 1 + MAXS, s = w.ses[i], t = w.tk[i];
  if (w.err) return 0;
  switch (a) {
  case INIT: return more && stable(i) && w.ninit[i] < MAXI && (i == 0 || !ONE_INIT);
  case ANSWER: return w.m1[j].valid && (stale(i, &w.m1[j]) || (more && stable(i)));
  case FINISH: return w.pend[i].valid && w.m2[j].valid && w.m2[j].id == w.pend[i].id && stable(i);
  case REFUSED: return w.pend[i].valid && w.rf[j] == w.pend[i].id;
  case CONFIRM: return s && w.resp[i] && !w.ok[i] && (w.fin >> s & 1);
  case ENTER: return s && !entered(i)
#ifdef BUG_ENTER_UNCONFIRMED
    && (!w.resp[i] || w.ok[i] || w.fast[i])
#else
    && (!w.resp[i] || w.ok[i])
#endif
    ;
  case WORK: return w.nf[i] < MAXF;
  case PERSIST: return memcmp(&w.v[i], &w.d[i], sizeof(Tk)) != 0;
#ifdef BUG_TELL_EARLY
  case TELL: return s && pos(&w.v[i], t) && (w.tses[i] != s || pos(&w.v[i], t) > w.tpos[i] || w.tF[i] != w.v[i].F);
#elif defined BUG_TELL_NO_TICKET
  case TELL: return s && (w.tses[i] != s || pos(&w.d[i], t) > w.tpos[i] || w.tF[i] != w.d[i].F);
#else
  case TELL: return s && pos(&w.d[i], t) && (w.tses[i] != s || pos(&w.d[i], t) > w.tpos[i] || w.tF[i] != w.d[i].F);
#endif
  case HEAR: return s && s == w.tses[j] && (!w.resp[i] || w.ok[i]) && (w.v[i].T != t || w.tpos[j] > w.v[i].mT || (w.tF[j] & ~w.v[i].K));
  case CRASH: return w.crashes < CRASHES && (s || w.pend[i].valid || w.kt[i] || memcmp(&w.v[i], &w.d[i], sizeof(Tk)));
  case SNAP: return (RESTORES >> i & 1) && !w.has[i];
  case SWAP: return more && w.has[i] && w.swaps[i] < (i || SWAPS == 1 ? BACKS : SWAPS);
  case WIPE: return more && (WIPES >> i & 1) && !(w.wipes >> i & 1);
  case SAVE: return REPLAYS && (REPLAYERS >> i & 1) && w.m1[i].valid && !w.old[i].valid;
  case REPLAY: return w.old[i].valid && w.nrep < REPLAYS && !w.m1[i].valid;
  case CROSS: return CROSSED && w.pend[i].valid && w.m1[j].valid && !stale(i, &w.m1[j]) && w.cr[i] != w.m1[j].id && w.nf[i] < MAXF;
  }
  return 0;
}

static void act(int a, int i)
{
  int j = 1 - i, s = w.ses[i], t = w.tk[i];
  switch (a) {
  case INIT:
    stop(i); w.ninit[i]++; w.v[i].own++; w.d[i].own = w.v[i].own;
    memset(&w.pend[i], 0, sizeof(Hs));
    w.pend[i].t = presented(i); w.pend[i].ctr = w.v[i].own; w.pend[i].id = i * 16 + w.ninit[i]; w.pend[i].op = w.op[i]; w.pend[i].valid = 1;
    w.m1[i] = w.pend[i];
    SAY("side %d: message 1 (counter %d, T %d, N %d)", i, w.v[i].own, w.pend[i].t.T, w.pend[i].t.N);
    break;
  case ANSWER: {
    Tk o = presented(i), q = w.m1[j].t; Hs m = w.m1[j];
    memset(&w.m1[j], 0, sizeof(Hs));
    if (stale(i, &m)) {       /* a refusal or the same message 2: changes nothing at the responder */
      if (again(i, &m)) { SAY("side %d: the same message 1, the same message 2", i); break; }   /* m2 stays */
#ifdef STALE_OPENS        /* a candidate in place of the refusal: a side that meets a stale message 1 opens a session itself */
      if (w.ninit[i] < MAXI + meeting && stable(i)) {
        if (s && w.ses[j] == s && !w.fault[j]) BAD(11, "an old message 1 ends a session that lives");
        act(INIT, i);
      }
      break;
#endif
      w.rf[i] = m.id; w.rfc[i] = w.v[i].held > w.hi[i] ? w.v[i].held : w.hi[i];
      SAY("side %d: refuses message 1 with counter %d, names %d", i, m.ctr, w.rfc[i]); break;
    }
    if (s && w.resp[i] == m.id && !w.fault[j]) BAD(9, "a repeated message 1 ends the session that it made");
    stop(i); w.ses[i] = ++w.nses; w.resp[i] = m.id; w.hi[i] = m.ctr; w.hop[i] = m.op; w.cr[i] = 0;
#ifndef BUG_KEEP_PENDING
    memset(&w.pend[i], 0, sizeof(Hs));        /* who answers gives up its own handshake */
#endif
    w.sdev[w.nses] = w.has[0] ? 1 + w.dev : 0;
    judged(i, &o, &q);
    w.tk[i] = keeps(i, &o, &q, m.op) ? w.c[i] : w.nses;
    w.so[i] = m.op;
    memset(&w.m2[i], 0, sizeof(Hs));
    w.m2[i].t = o; w.m2[i].ses = w.nses; w.m2[i].tk = w.tk[i]; w.m2[i].id = m.id; w.m2[i].ctr = w.v[i].own; w.m2[i].op = w.op[i]; w.m2[i].valid = 1;
    SAY("side %d: answers, session %d, %s ticket %d (T %d, N %d)", i, w.nses, w.tk[i] == w.nses ? "new" : "kept", w.tk[i], o.T, o.N);
#ifdef BUG_ENTER_UNCONFIRMED
    if (w.fast[i]) act_on(i, &o);
#endif
    break; }
  case FINISH: {
    Tk o = w.pend[i].t, q = w.m2[j].t; Hs m = w.m2[j];
    stop(i); w.ses[i] = m.ses; w.tk[i] = m.tk; w.fin |= 1 << m.ses;
    if (m.ctr > w.hi[i] || m.op != w.hop[i]) w.hi[i] = m.ctr;
    w.hop[i] = m.op; w.cr[i] = 0;
    memset(&w.pend[i], 0, sizeof(Hs)); memset(&w.m2[j], 0, sizeof(Hs));
    SAY("side %d: has message 2, session %d", i, w.ses[i]);
    judged(i, &o, &q);
    w.so[i] = m.op;
#ifndef BUG_KEEP_ACROSS
    if (w.tk[i] != w.ses[i] && !keeps(i, &o, &q, m.op)) BAD(10, "the two sides disagree on whether the ticket may be kept");
#endif
    act_on(i, &o);
    break; }
  case REFUSED:
    if (w.rfc[j] > w.v[i].own) w.v[i].own = w.d[i].own = w.rfc[j];
    memset(&w.pend[i], 0, sizeof(Hs)); w.rf[j] = w.rfc[j] = 0;
    SAY("side %d: is refused, goes on above counter %d", i, w.v[i].own); break;
  case CONFIRM: { Tk o = w.m2[i].id == w.resp[i] ? w.m2[i].t : presented(i); w.ok[i] = 1; SAY("side %d: first packet of session %d", i, s);
#ifdef BUG_ENTER_UNCONFIRMED
    if (w.fast[i]) break;
#endif
    act_on(i, &o); break; }
  case ENTER: enterNow(i); SAY("side %d: writes ticket %d (T %d, N %d)", i, t, w.v[i].T, w.v[i].N); break;
  case WORK:
    w.v[i].F |= 1u << (8 + w.nf[i]++); counter(i);
#ifdef BUG_OFFLINE_UNCOUNTED
    if (s && w.tk[i] == w.kt[i])
#endif
    if (has(&w.v[i], w.kt[i])) { if (w.v[i].T == w.kt[i]) w.v[i].nT++; else w.v[i].nN++; }
    SAY("side %d: writes a batch%s, position %d of ticket %d", i, s ? "" : " without a link", pos(&w.v[i], w.kt[i]), w.kt[i]); break;
  case PERSIST: w.d[i] = w.v[i]; if (i == 1) confirmed(); SAY("side %d: durable", i); break;
  case TELL:
    w.tses[i] = s;
#ifdef BUG_TELL_EARLY
    w.tpos[i] = pos(&w.v[i], t); w.tF[i] = w.v[i].F;
#else
    w.tpos[i] = pos(&w.d[i], t); w.tF[i] = w.d[i].F;
#endif
    SAY("side %d: tells in session %d its position %d of ticket %d", i, s, w.tpos[i], t); break;
  case HEAR:
    if (!entered(i)) enterNow(i);
    counter(i);
    if (w.v[i].T != t) { leaves_tickets(&w.v[i]); w.v[i].T = t; w.v[i].nT = w.v[i].nN; w.v[i].mT = 0; w.v[i].N = 0; w.v[i].nN = 0; }
    if (w.tpos[j] > w.v[i].mT) w.v[i].mT = w.tpos[j];
    w.v[i].K |= w.tF[j];
    SAY("side %d: hears it and relies on it (T %d, N %d)", i, w.v[i].T, w.v[i].N); break;
  case CRASH: w.crashes++; reboot(i); SAY("side %d: CRASH (T %d, N %d)", i, w.d[i].T, w.d[i].N); break;
  case SNAP: w.snap[i] = w.d[i]; w.has[i] = 1; SAY("side %d: snapshot", i); break;
  case SWAP: {
    Tk x = w.d[i];
    w.d[i] = w.snap[i];
    w.swaps[i]++; w.fault[i] = 1;
    if (!i && SWAPS > 1) w.snap[i] = x;
    else if (w.swaps[i] == BACKS) memset(&w.snap[i], 0, sizeof(Tk));
    if (!i) w.dev = 1 - w.dev;
    memset(&w.m1[i], 0, sizeof(Hs)); reboot(i);
    SAY("side %d: RESTORED / the other device of the pair (T %d, N %d)", i, w.d[i].T, w.d[i].N); break; }
  case WIPE:
    w.wipes |= 1 << i; w.fault[i] = 1; memset(&w.d[i], 0, sizeof(Tk)); memset(&w.m1[i], 0, sizeof(Hs)); reboot(i);
    SAY("side %d: WIPED", i); break;
  case SAVE: w.old[i] = w.m1[i]; SAY("somebody keeps message 1 of side %d (counter %d)", i, w.m1[i].ctr); break;
  case REPLAY: w.nrep++; w.m1[i] = w.old[i]; SAY("the kept message 1 of side %d (counter %d) arrives again", i, w.m1[i].ctr); break;
  case CROSS: {   /* in cases 2 to 5 in step: a batch with the counter, without Enter; the message may still be answered later */
    u8 c; Tk o = presented(i), *q = &w.m1[j].t; int v = judge(&o, q, &c);
    if (c && has(&o, c) && has(q, c) && v == OK) {
      w.v[i].F |= 1u << (8 + w.nf[i]++);
      if (w.m1[j].ctr > w.hi[i]) w.hi[i] = w.m1[j].ctr;
      if (w.hi[i] > w.v[i].held) w.v[i].held = w.hi[i];
      if (has(&w.v[i], w.kt[i])) { if (w.v[i].T == w.kt[i]) w.v[i].nT++; else w.v[i].nN++; }
      SAY("side %d: crossing; takes the early data of the other's message 1 (counter %d)", i, w.m1[j].ctr);
    }
    w.cr[i] = w.m1[j].id;
    break; }
  }
}
static void begin(void)
{
  int i;
  memset(&w, 0, sizeof w);
  w.nses = 1;
  for (i = 0; i < 2; i++) { w.d[i].T = 1; w.d[i].nT = 1; w.d[i].H = BIT(1); w.d[i].F = 1u << 1; w.v[i] = w.d[i]; w.op[i] = 1; }
}
#define IS_FAULT(a) ((a) >= CRASH && (a) != CROSS)
#define IS_WISH(a) ((a) == INIT || (a) == WORK)  /* walk.c */
/* From any state at rest a session comes about with at most two messages 1 of the side that opens. */
static int meet(int i)
{
  int j = 1 - i, n;
  for (n = 0; n < 2; n++) { if (memcmp(&w.v[n], &w.d[n], sizeof(Tk))) act(PERSIST, n); memset(&w.m1[n], 0, sizeof(Hs)); }
  for (n = 0; n < 2; n++) {
    act(INIT, i); act(ANSWER, j);
    if (w.pend[i].valid && w.m2[j].valid && w.m2[j].id == w.pend[i].id) {
      act(FINISH, i); if (w.err) return 0; if (!w.ses[i]) return 1;
      act(CONFIRM, j); return !w.err && w.ses[i] == w.ses[j];
    }
#ifdef STALE_OPENS
    if (w.pend[j].valid) { act(ANSWER, i); if (w.err || !w.m2[i].valid || w.m2[i].id != w.pend[j].id) return 0; act(FINISH, j); return !w.err && w.ses[i] == w.ses[j]; }
    return 0;
#endif
#ifndef BUG_NO_REFUSAL
    if (w.rf[j] != w.pend[i].id) return 0;
    act(REFUSED, i);
#endif
  }
  return 0;
}
static int idleBad(void)
{
  W b = w; int i, l = loud();
  for (i = 0; i < 2; i++) {
    int y; saying = 0; meeting = 9; y = meet(i); meeting = 0; w = b; saying = l;
    if (!y) { if (l) { printf(" !! locked out: side %d opens, and no session comes about\n", i); meet(i); w = b; } return 1; }
  }
  return 0;
}
#ifdef WALK
#include "walk_tickets.h"
#endif
