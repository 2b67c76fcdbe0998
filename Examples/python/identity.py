"""The article *Identity, order and history*: tickets, verdicts, and what a side enters."""

NOT_HELD, HELD, ABANDONED, EMPTY, BEHIND, PENDING_HELD, BOTH_HELD, BOTH_BEHIND = range(8)


class Tickets:
    """T, n, m, N, n′ and H of one pairing. Absent tickets are 0."""

    def __init__(self, common=0):
        self.T, self.n, self.m, self.N, self.n1 = common, 1 if common else 0, 0, 0, 0
        self.H = {common: {"abandoned": False, "last": 1}} if common else {}
        self.entered = None  # (ticket, epoch of the counterpart) of this opening

    def present(self):
        return {"T": self.T, "n": self.n, "m": self.m, "N": self.N, "n'": self.n1}

    def answer(self, other):
        """This side's answer to the tickets of the other one (I-64)."""
        if any(self.H.get(ticket, {}).get("abandoned") for ticket in (other["T"], other["N"])):
            return ABANDONED
        if not self.H:
            return EMPTY
        pending = other["N"] in self.H
        if other["T"] not in self.H:
            return PENDING_HELD if pending else NOT_HELD
        if self.H[other["T"]]["last"] < other["m"]:
            return BOTH_BEHIND if pending else BEHIND
        return BOTH_HELD if pending else HELD

    def judge(self, other, answer):
        """The verdict by I-60; `answer` is what the other side says, None before it said so."""
        mine, verdict = self.answer(other), {"clone": False, "me": False, "it": False, "common": 0,
                                             "matched": True, "complete": True, "wiped": False}
        if ABANDONED in (mine, answer):
            verdict["clone"] = True
        elif self.N and self.N == other["N"]:
            verdict["common"] = self.N
        elif self.N and self.N == other["T"]:
            verdict.update(common=self.N, me=self.n1 < other["m"])
        elif other["N"] and other["N"] == self.T:
            verdict.update(common=self.T, it=other["n'"] < self.m)
        elif self.T and self.T == other["T"]:
            verdict.update(common=self.T, me=self.n < other["m"], it=other["n"] < self.m)
        else:
            verdict.update(matched=False, complete=answer is not None)
            held = (HELD, BEHIND, BOTH_HELD, BOTH_BEHIND)
            shared = [other["T"], other["N"]]
            shared += [self.T] if answer in held else []
            shared += [self.N] if answer in (PENDING_HELD, BOTH_HELD, BOTH_BEHIND) else []
            verdict["common"] = max((t for t in shared if t in self.H), key=list(self.H).index, default=0)
            if other["T"]:
                verdict["me"] = other["T"] not in self.H or mine in (BEHIND, BOTH_BEHIND)
            if answer is not None and self.T:
                verdict["it"] = answer not in held or answer in (BEHIND, BOTH_BEHIND)
            if answer is not None and (self.T or other["T"]) and not (verdict["me"] or verdict["it"]):
                verdict.update(me=True, it=True)
        verdict["in step"] = not (verdict["clone"] or verdict["me"] or verdict["it"])
        return verdict

    def keeps(self, verdict, other, epoch):
        """Whether the session keeps the common ticket (I-41)."""
        common = verdict["common"]
        return (verdict["matched"] and verdict["in step"] and self.N in (0, common)
                and other["N"] in (0, common) and self.entered == (common, epoch))

    def enter(self, ticket, verdict, other, epoch):
        """Makes the session's ticket the pending one (I-44, I-48)."""
        common = verdict["common"]
        if not verdict["me"]:
            order = list(self.H)
            for newer in order[order.index(common) + 1 if common else 0:]:
                if newer not in (other["T"], other["N"]):
                    self.H[newer]["abandoned"] = True
        if self.N and self.N == common:
            self.T, self.n, self.m = self.N, self.n1, 0
        self.N, self.n1 = ticket, 1
        self.H[ticket] = {"abandoned": False, "last": 1}
        self.entered = (ticket, epoch)

    def count(self):
        """One more batch is durable (I-47)."""
        if self.entered is None:
            return
        ticket = self.entered[0]
        if self.N == ticket:
            self.n1 += 1
        elif self.T == ticket:
            self.n += 1
        self.H[ticket]["last"] += 1

    def conclude(self, position, ticket):
        """A conclusion in the session's ticket promotes it (I-46)."""
        if self.N == ticket:
            self.T, self.n, self.m, self.N, self.n1 = self.N, self.n1, position, 0, 0
        else:
            self.m = max(self.m, position)

    def position(self, ticket):
        return self.n1 if self.N == ticket else self.n
