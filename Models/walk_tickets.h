/* walk_tickets.h - the state of tickets.h as key=value words, for walk.c. README.md explains each key. */
static void print_message(int i, const char *of, const Hs *h)
{
  printf(" %d.%s.valid=%d", i, of, h->valid);
  if (!h->valid) return;
  printf(" %d.%s.id=%d %d.%s.counter=%d %d.%s.opening=%d %d.%s.session=%d %d.%s.ticket=%d", i, of, h->id, i, of, h->ctr, i, of, h->op, i, of, h->ses, i, of, h->tk);
  print_tickets(i, of, &h->t);
}
static void print_state(void)
{
  int i;
  num("sessions", w.nses); num("crashes", w.crashes); num("device", w.dev);
  for (i = 0; i < 2; i++) {
    side_num(i, "opening", w.op[i]); side_num(i, "session", w.ses[i]); side_num(i, "ticket", w.tk[i]);
    side_num(i, "kept", w.ses[i] && w.tk[i] != w.ses[i]); side_num(i, "common", w.c[i]); print_verdict(i, w.vd[i]);
    side_num(i, "matched", w.fast[i]); side_num(i, "answered", w.resp[i]); side_num(i, "confirmed", w.ok[i]);
    side_num(i, "sessionWith", w.so[i]); side_num(i, "enteredTicket", w.kt[i]); side_num(i, "enteredWith", w.ko[i]);
    side_num(i, "highest", w.hi[i]); side_num(i, "highestOf", w.hop[i]); side_num(i, "crossed", w.cr[i]);
    side_num(i, "batches", w.nf[i]); side_num(i, "refused", w.rf[i]); side_num(i, "refusedAt", w.rfc[i]);
    side_num(i, "told.session", w.tses[i]); side_num(i, "told.position", w.tpos[i]);
    print_tickets(i, "v", &w.v[i]); print_tickets(i, "d", &w.d[i]); print_tickets(i, "presented", &w.pp[i]);
    side_num(i, "backup.valid", w.has[i]); if (w.has[i]) print_tickets(i, "backup", &w.snap[i]);
    print_message(i, "message1", &w.m1[i]); print_message(i, "message2", &w.m2[i]);
    print_message(i, "opens", &w.pend[i]); print_message(i, "old", &w.old[i]);
  }
}
