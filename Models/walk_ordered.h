/* walk_ordered.h - the state of ordered.h as key=value words, for walk.c. README.md explains each key. */
static void print_listed(int i, const char *of, const u8 *l, int n, const u8 *next)
{
  int k;
  list(i, of, "listed"); for (k = 0; k < n; k++) ITEM("%d", l[k]); list_end();
  list(i, of, "next"); for (k = 1; k < E; k++) if (next[k]) ITEM("%d:%d", k, next[k]); list_end();
}
static void print_sender(const char *of, const SJ *s)
{
  static const char *const word[] = { "absent", "queued", "applied", "unknown", "notApplied", "lostSince" };
  int r;
  list(0, of, "records"); for (r = 1; r <= MAXR; r++) if (s->st[r]) ITEM("%d:%s:%d.%d", r, word[s->st[r]], s->ep[r], s->no[r]); list_end();
  print_listed(0, of, s->list, s->nlist, s->next); bits(0, of, "gone", s->gone); bits(0, of, "handedBack", s->back);
}
static void numbers(const char *of, const char *key, const u8 *set)
{
  int e, n;
  list(1, of, key); for (e = 1; e < E; e++) for (n = 1; n <= MAXR; n++) if (set[e] >> n & 1) ITEM("%d.%d", e, n); list_end();
}
static void print_receiver(const char *of, const RJ *q)
{
  int e, n;
  list(1, of, "epochs"); for (e = 1; e < E; e++) if (q->st[e]) ITEM("%d:%s:%d:%d", e, q->st[e] == 1 ? "open" : "closed", q->thr[e], q->wm[e]); list_end();
  numbers(of, "skipped", q->skip); numbers(of, "pending", q->pen); numbers(of, "rejected", q->rej);
  list(1, of, "holds"); for (e = 1; e < E; e++) for (n = 1; n <= MAXR; n++) if (q->has[e][n]) ITEM("%d:%d.%d", q->has[e][n], e, n); list_end();
  list(1, of, "applied"); for (n = 0; n < q->nseq; n++) ITEM("%d", q->seq[n]); list_end();
  bits(1, of, "keys", q->keys);
}
static void print_journal(int i, const char *of, const J *j)
{ print_tickets(i, of, &j->k); if (i) print_receiver(of, &j->r); else print_sender(of, &j->s); }
static void print_chan(const char *of, const Chan *c)
{
  int r;
  printf(" 0.%s.session=%d 0.%s.counter=%d 0.%s.opening=%d", of, c->ses, of, c->ctr, of, c->op);
  list(0, of, "offers"); for (r = 1; r <= MAXR; r++) if (c->mask >> r & 1) ITEM("%d:%d.%d:%d", r, c->ep[r], c->no[r], c->pred[r]); list_end();
  print_listed(0, of, c->list, c->nlist, c->next);
}
static void print_state(void)
{
  int i, r;
  num("sessions", w.nses); num("crashes", w.crashes);
  for (i = 0; i < 2; i++) {
    side_num(i, "opening", w.op[i]); side_num(i, "session", w.ses[i]); side_num(i, "ticket", w.tk[i]);
    side_num(i, "kept", w.ses[i] && w.tk[i] != w.ses[i]); side_num(i, "common", w.c[i]); print_verdict(i, w.vd[i]);
    side_num(i, "sessionWith", w.so[i]); side_num(i, "enteredTicket", w.kt[i]); side_num(i, "enteredWith", w.ko[i]);
    print_journal(i, "v", &w.v[i]); print_journal(i, "d", &w.d[i]); print_tickets(i, "presented", &w.pp[i]);
    side_num(i, "backup.valid", w.has >> i & 1 && !(w.did >> i & 1));
    if (w.has >> i & 1 && !(w.did >> i & 1)) print_journal(i, "backup", &w.snap[i]);
    side_num(i, "told.session", w.told[i].ses); side_num(i, "told.position", w.told[i].pos & 15);
    if (i) print_receiver("told", &w.told[1].r); else { side_num(0, "told.epoch", w.told[0].pos >> 4); print_sender("told", &w.told[0].s); }
  }
  side_num(0, "epoch", w.cur); side_num(0, "epochs", w.nop); side_num(0, "awaits", w.pend); side_num(0, "awaitsTicket", w.ptk);
  bits(0, "", "sent", w.sent); bits(0, "", "received", w.rcv); side_num(0, "receivedOf", w.rop);
  list(0, "", "acts"); for (r = 1; r <= w.nrec; r++) ITEM("%d", w.key[r]); list_end();
  side_num(1, "confirmed", w.conf); side_num(1, "highest", w.hi); side_num(1, "highestOf", w.hop); bits(1, "", "met", w.met);
  print_chan("channel", &w.ch);
  side_num(0, "old.valid", w.old.valid == 1); if (w.old.valid == 1) { print_chan("old", &w.old); print_tickets(0, "old", &w.old.k); }
}
