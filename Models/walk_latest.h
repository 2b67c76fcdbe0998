/* walk_latest.h - the state of latest.h as key=value words, for walk.c. README.md explains each key. */
static void print_sender(const char *of, const SJ *s)
{
  int k;
  list(0, of, "values"); for (k = 0; k < NK; k++) if (s->ver[k]) ITEM("%d:%d:%d:%d:%d:%d", k, s->val[k], s->ver[k], s->op[k], s->del >> k & 1, s->at[k]); list_end();
  printf(" 0.%s.floor=%d 0.%s.reserved=%d", of, s->fl, of, s->rv);
  bits(0, of, "openings", s->own); bits(0, of, "unconfirmed", s->unc);
  list(0, of, "ends"); for (k = 1; k < E; k++) if (s->end[k]) ITEM("%d:%d", k, s->end[k]); list_end();
}
static void print_receiver(const char *of, const RJ *r)
{
  int k;
  list(1, of, "values"); for (k = 0; k < NK; k++) if (r->ver[k]) ITEM("%d:%d:%d:%d", k, r->val[k], r->ver[k], r->del >> k & 1); list_end();
  printf(" 1.%s.floor=%d 1.%s.topOpening=%d 1.%s.topVersion=%d", of, r->fl, of, r->topE, of, r->topV);
  bits(1, of, "known", r->known);
}
static void print_journal(int i, const char *of, const J *j) { if (i) print_receiver(of, &j->r); else print_sender(of, &j->s); }
static void print_state(void)
{
  static const char *const word[] = { "none", "nothingLost", "lost", "mended" };
  int i, k;
  num("sessions", w.nses); num("crashes", w.crashes); num("writes", w.nwrite);
  for (i = 0; i < 2; i++) {
    side_num(i, "session", w.ses[i]); print_journal(i, "v", &w.v[i]); print_journal(i, "d", &w.d[i]);
    side_num(i, "backup.valid", w.has >> i & 1 && !(w.did >> i & 1));
    if (w.has >> i & 1 && !(w.did >> i & 1)) print_journal(i, "backup", &w.snap[i]);
  }
  side_num(0, "opening", w.cur); side_num(0, "openings", w.nop); side_num(0, "last", w.last); side_num(0, "awaits", w.pend);
  printf(" 0.verdict=%s", word[w.judged]); bits(0, "presented", "known", w.kn);
  side_num(0, "presented.topOpening", w.pe); side_num(0, "presented.topVersion", w.pv);
  side_num(0, "channel.session", w.cses);
  list(0, "channel", "values"); for (k = 0; k < NK; k++) if (w.cver[k]) ITEM("%d:%d:%d:%d:%d", k, w.cval[k], w.cver[k], w.cop[k], w.cdel >> k & 1); list_end();
  bits(0, "channel", "announced", w.ann); side_num(0, "channel.verdictIn", w.said); side_num(0, "channel.mended", w.mended);
  side_num(0, "told.session", w.fses); side_num(0, "told.floor", w.floor); side_num(0, "told.opening", w.fop);
  side_num(1, "covered", w.rok); side_num(1, "dirty", w.dirty);
  side_num(1, "told.session", w.tses); print_receiver("told", &w.told);
}
