/* core.h - the ticket layer, shared by all models (plain C inside Promela).
 *
 * Tickets are small integers here; the protocol compares them for equality only. H and Ab are bit
 * sets over tickets. Ticket ids ascend in the order in which sessions were made, so "newer in H" is
 * "a higher bit": in an implementation H is a list in the order of appending.
 *
 * The flags BUG_... plant one mistake each.
 */
#ifndef CORE_H
#define CORE_H
typedef unsigned char u8;
typedef unsigned short u16;

#ifndef LAST_POSITIONS
#define LAST_POSITIONS 0    /* 1: case 6 compares positions, too (rule "Last positions"; README.md, "Limits") */
#endif
#define BIT(s) ((u16)(1u << (s)))
#ifdef NOFACTS              /* models of channels check real records instead of ghost facts */
#define FACT(s) 0u
#else
#define FACT(s) (1u << (s))     /* that ticket s was entered; batches have the bits from 8 on */
#endif

/* What one side's journal holds of the ticket layer. */
typedef struct __attribute__((packed)) {
  u8 T;       /* newest ticket known to be in both journals; 0 none */
  u8 nT;      /* own position in T */
  u8 mT;      /* the counterpart's position in T, as last told */
  u8 N;       /* ticket committed here, counterpart's commit not heard of yet */
  u8 nN;      /* own position in N */
  u16 H;      /* every ticket ever held */
  u16 Ab;     /* of those: abandoned */
#if LAST_POSITIONS
  u8 last[16]; /* own last position in each ticket of H that is neither T nor N any more */
#endif
  u8 own;     /* own handshake counter, reserved before it is used */
  u8 held;    /* highest handshake counter of the counterpart that is written down */
  unsigned F; /* ghost: facts (batches) that this journal holds */
  unsigned K; /* ghost: facts of the counterpart that this journal relies on */
} Tk;

enum { OK = 1, PEER_BACK = 2, SELF_BACK = 4, PEER_WIPED = 8, SELF_WIPED = 16, CLONE_PEER = 32,
       CLONE_SELF = 64 };

static int in(u16 set, int s) { return s && (set & BIT(s)); }

/* Verdict of the side holding o about itself and the counterpart that presented p; *c: newest
 * common ticket. p->H is not sent on the wire: the side that recognises the other's ticket says so. */
static int judge(const Tk *o, const Tk *p, u8 *c)
{
  int v = 0;
  *c = 0;
#ifndef BUG_NO_ABANDON_CHECK
  if (in(o->Ab, p->T) || in(o->Ab, p->N)) return CLONE_PEER;
  if (in(p->Ab, o->T) || in(p->Ab, o->N)) return CLONE_SELF;
#endif
  /* Fast path: the newest common ticket, and nothing told in it is missing. */
  if (o->N && o->N == p->N) *c = o->N;                   /* nobody has heard anything in it */
#ifndef BUG_NO_PENDING_RULE
  else if (o->N && o->N == p->T) { *c = o->N; if (o->nN < p->mT) v |= SELF_BACK; }
  else if (p->N && p->N == o->T) { *c = p->N; if (p->nN < o->mT) v |= PEER_BACK; }
#endif
  else if (o->T && o->T == p->T) {
    *c = o->T;
    if (o->nT < p->mT) v |= SELF_BACK;
    if (p->nT < o->mT) v |= PEER_BACK;
  } else {
    /* Slow path: each side says whether it holds the other's common ticket. */
    if (p->T && !in(o->H, p->T)) v |= o->H ? SELF_BACK : SELF_WIPED;
    if (o->T && !in(p->H, o->T)) v |= p->H ? PEER_BACK : PEER_WIPED;
#if LAST_POSITIONS
    if (in(o->H, p->T) && o->last[p->T] < p->mT) v |= SELF_BACK;
    if (in(p->H, o->T) && p->last[o->T] < o->mT) v |= PEER_BACK;
#endif
    if (in(o->H, p->T)) *c = p->T;
    if (in(p->H, o->T) && o->T > *c) *c = o->T;
#ifndef BUG_PENDING_NOT_COMMON  /* a pending ticket that both journals hold is common, too */
    if (in(o->H, p->N) && p->N > *c) *c = p->N;
    if (in(p->H, o->N) && o->N > *c) *c = o->N;
#endif
    /* Each holds the other's, yet no match: both went back (checked: never after crashes alone). */
    if (!v && (o->T || p->T)) v = PEER_BACK | SELF_BACK;
    /* Neither has heard anything: a first meeting (of two that were wiped). No early data: *c is 0. */
  }
#ifdef BUG_NO_POSITIONS
  if (*c && (*c == o->T || *c == o->N) && (*c == p->T || *c == p->N)) v = 0;
#endif
  return v ? v : OK;
}

/* Before another ticket takes the place of T or N. */
static void leaves_tickets(Tk *o)
{
#if LAST_POSITIONS
  o->last[o->T] = o->nT; o->last[o->N] = o->nN; o->last[0] = 0;
#endif
}

/* The first entry of session s into a journal. p: what the counterpart presented. */
static void enter(Tk *o, const Tk *p, int s, int verdict, u8 c)
{
  int t;
  leaves_tickets(o);
  if (verdict & (PEER_BACK | PEER_WIPED)) {
    o->K &= p->F;               /* this batch holds the whole reaction: what the other lost counts no more */
  }
  /* Abandoned: what is newer than the newest that the counterpart presents and this side holds. A side that
   * lost state itself marks nothing: it does not know what of its own the counterpart still has. */
#ifndef BUG_NO_ABANDON
#ifndef BUG_LOSER_MARKS
  if (!(verdict & (SELF_BACK | SELF_WIPED)))
#endif
  {
    for (t = c + 1; t < 16; t++) if ((o->H & BIT(t)) && t != p->T && t != p->N) o->Ab |= BIT(t);
  }
#endif
#ifndef BUG_NO_PROMOTION
  if (c && c == o->N) { o->T = c; o->nT = o->nN; o->mT = 0; }
#endif
  o->N = s; o->nN = 1;
  o->H |= BIT(s);
  o->F |= FACT(s);
}
#ifdef WALK                 /* walk.c: the ticket layer as key=value words */
static void print_tickets(int i, const char *of, const Tk *t)
{
  int s;
  printf(" %d.%s.T=%d %d.%s.n=%d %d.%s.m=%d %d.%s.N=%d %d.%s.nN=%d", i, of, t->T, i, of, t->nT, i, of, t->mT, i, of, t->N, i, of, t->nN);
  list(i, of, "H"); for (s = 0; s < 16; s++) if (in(t->H, s)) ITEM("%d%s", s, in(t->Ab, s) ? "!" : ""); list_end();
  printf(" %d.%s.own=%d %d.%s.held=%d", i, of, t->own, i, of, t->held);
}
static void print_verdict(int i, int v)
{
  static const char *const word[] = { "inStep", "otherWentBack", "selfWentBack", "otherWiped", "selfWiped", "otherClone", "selfClone" };
  int n;
  list(i, "", "verdict"); for (n = 0; n < 7; n++) if (v >> n & 1) ITEM("%s", word[n]); list_end();
}
#endif
#endif
