"""Tickets, positions and verdicts (article Identity)."""

from hello import ABANDONED, BOTH, BOTH_BEHIND, EMPTY, HELD, HELD_BEHIND, NOT_HELD, PENDING_HELD


class Verdict:
    def __init__(self, case, common=0, mine=False, theirs=False, clone=False):
        self.case, self.common, self.clone = case, common, clone
        self.i_went_back, self.they_went_back = mine, theirs

    def __repr__(self):
        words = ("kept", "lost state")
        mine, theirs = words[self.i_went_back], words[self.they_went_back]
        return f"case {self.case}, I {mine}, it {theirs}"


class Tickets:
    def __init__(self):
        self.T = self.n = self.m = self.N = self.n_pending = 0
        self.H = {}  # ticket: [last own position, abandoned], the oldest first
        self.entered = {}  # ticket entered in this opening: (own epoch, counterpart's epoch)

    def paired(self, ticket):
        """I-40: the first ticket is common at once."""
        self.T, self.n, self.m, self.H = ticket, 1, 0, {ticket: [1, False]}

    # --- presenting and evaluating ---

    def parts(self):
        return dict(
            T=self.T,
            n=self.n if self.T else 0,
            m=self.m if self.T else 0,
            N=self.N,
            n_pending=self.n_pending if self.N else 0,
        )

    def answer(self, h):
        """The answer to hello `h`: which of its tickets this side holds (I-64)."""
        if not self.H:
            return EMPTY
        if any(t in self.H and self.H[t][1] for t in (h.T, h.N)):
            return ABANDONED
        T, N = h.T in self.H, h.N in self.H
        behind = T and self.H[h.T][0] < h.m
        if T and N:
            return BOTH_BEHIND if behind else BOTH
        if T:
            return HELD_BEHIND if behind else HELD
        return PENDING_HELD if N else NOT_HELD

    def evaluate(self, h, answer=None):
        """I-60 to I-63. `answer`: the counterpart's, where it is known. None where it is needed
        and is not."""
        if any(t in self.H and self.H[t][1] for t in (h.T, h.N)) or answer == ABANDONED:
            return Verdict(1, clone=True)
        if self.N and self.N == h.N:
            return Verdict(2, self.N)
        if self.N and self.N == h.T:
            return Verdict(3, self.N, mine=self.n_pending < h.m)
        if h.N and h.N == self.T:
            return Verdict(4, self.T, theirs=h.n_pending < self.m)
        if self.T and self.T == h.T:
            return Verdict(5, self.T, self.n < h.m, h.n < self.m)
        if answer is None:
            return None
        holds_T = answer in (HELD, HELD_BEHIND, BOTH, BOTH_BEHIND)
        holds_N = answer in (PENDING_HELD, BOTH, BOTH_BEHIND)
        both = {t for t in (h.T, h.N) if t in self.H} | {
            t for t, held in ((self.T, holds_T), (self.N, holds_N)) if t and held
        }
        common = next((t for t in reversed(self.H) if t in both), 0)
        mine = (
            bool(h.T)
            and (h.T not in self.H or self.H[h.T][0] < h.m)
            or not self.H
            and bool(h.T or h.N)
        )
        theirs = bool(self.T) and (not holds_T or answer in (HELD_BEHIND, BOTH_BEHIND))
        theirs |= answer == EMPTY and bool(self.H)
        if not (mine or theirs) and (self.T or h.T):
            mine = theirs = True
        return Verdict(6, common, mine, theirs)

    def may_keep(self, verdict, h, epochs):
        """I-41."""
        c = verdict.common
        return (
            verdict.case in (2, 3, 4, 5)
            and not verdict.i_went_back
            and not verdict.they_went_back
            and self.entered.get(c) == epochs
            and self.N in (0, c)
            and h.N in (0, c)
        )

    # --- entries ---

    def enter(self, ticket, verdict, h, epochs):
        """I-43 to I-48."""
        if not verdict.i_went_back:
            newer = False if verdict.common else True
            for t, entry in self.H.items():
                if newer and t not in (h.T, h.N):
                    entry[1] = True
                newer |= t == verdict.common
        if self.N and verdict.common == self.N:
            self.T, self.n, self.m = self.N, self.n_pending, 0
        self.batch()
        self.N, self.n_pending = ticket, 1
        self.H[ticket] = [1, False]
        self.entered[ticket] = epochs
        while len(self.H) > 1024:
            oldest = next(t for t in self.H if t not in (self.T, self.N))
            del self.H[oldest]

    def batch(self):
        """I-47: one change of the state became durable."""
        if self.N in self.entered:
            self.n_pending += 1
            self.H[self.N][0] = self.n_pending
        elif not self.N and self.T in self.entered:
            self.n += 1
            self.H[self.T][0] = self.n

    def conclude(self, ticket, position):
        """I-46, within a batch."""
        if self.N == ticket:
            self.T, self.n, self.m, self.N, self.n_pending = self.N, self.n_pending, position, 0, 0
        elif self.T == ticket:
            self.m = max(self.m, position)

    def position(self, ticket):
        return self.n_pending if self.N == ticket else self.n
