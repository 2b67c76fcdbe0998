"""The client itself: what it does where a simulator does not behave."""

import os
import sys

import pytest
import watchproto


def program(directory, text):
    """A program in Python that stands for a simulator."""
    path = os.path.join(directory, "Simulator")
    with open(path, "w") as file:
        file.write(f"#!{sys.executable}\nimport os, sys, time\n{text}\n")
    os.chmod(path, 0o755)
    return path


def test_who_never_gets_ready_is_not_left_over(tmp_path, monkeypatch):
    monkeypatch.setattr(watchproto._process, "PATIENCE", 0.5)
    number = tmp_path / "pid"
    silent = program(tmp_path, f"open({str(number)!r}, 'w').write(str(os.getpid())); time.sleep(60)")
    with pytest.raises(watchproto.TimedOut):
        watchproto.Simulator(silent, "unix:nowhere")
    if number.exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int(number.read_text()), 0)


def test_reading_the_log_moves_no_word_of_it(tmp_path):
    talking = program(
        tmp_path,
        "print('{\"event\":\"ready\"}', flush=True)\n"
        "for line in sys.stdin: os.write(2, line.encode()); print('{\"id\":1,\"ok\":true}', flush=True)")
    with watchproto.Simulator(talking, "unix:nowhere") as simulator:
        simulator.call("first")
        # The process writes where the offset stands that it shares with who reads.
        log = simulator._log.fileno()
        os.lseek(log, 3, os.SEEK_SET)
        assert "first" in simulator.log()
        assert os.lseek(log, 0, os.SEEK_CUR) == 3
