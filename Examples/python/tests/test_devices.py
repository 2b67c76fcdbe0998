"""An example of an application's integration test: two devices, pipes, and no hardware."""

import json
import os
import subprocess

import pytest
import watchproto
from watchproto import eventually


def test_a_list_arrives_whole(pair, medications):
    imported = pair.phone.call("import", path=medications)["imported"]
    assert imported > 0
    assert pair.phone.call("sync")["records"] == imported
    assert pair.hold_the_same()["count"] == imported
    # Nothing is sent that is there already.
    assert pair.phone.call("sync")["result"] == "not_modified"


def test_what_is_tapped_counts_once_though_the_phone_is_killed(pair, medications):
    pair.phone.call("import", path=medications)
    pair.phone.call("sync")
    pair.hold_the_same()
    pair.phone.kill()
    # Nobody is there, and the watch keeps what its wearer says.
    dose = pair.watch.call("dose.record", index=0)["doses"][0]
    pair.phone.restart()
    assert pair.phone.wait("dose.arrived", dose=dose, timeout=15)["new"] is True
    # An event tells what the application sees; that it is durable shows by its receipt.
    pair.watch.wait_until("status", outstanding=0)
    # Both come back once more; what was told is told.
    pair.phone.kill()
    pair.watch.kill()
    pair.watch.restart()
    pair.phone.restart()
    pair.wait_until_reachable()
    history = pair.phone.call("dose.history")
    assert [entry["dose"] for entry in history["doses"]] == [dose]
    # It may have been told again: then it was known.
    again = [event["new"] for event in pair.phone.events if event["event"] == "dose.arrived"]
    assert True not in again


def test_the_face_shows_what_the_phone_said_last(pair):
    for text in ("first", "second", "third"):
        pair.phone.call("complication.update", text=text)
    shown = pair.watch.wait("complication.shown", text="third", timeout=5)
    assert pair.watch.call("face")["complication"]["text"] == "third"
    # Moments are of one clock for all processes of a host.
    assert shown["t_ns"] > pair.phone.ready["t_ns"]


def test_a_message_is_answered_by_the_test(pair):
    pair.watch.call("echo", on=False)
    sent = pair.phone.call("send", kind="message", text="how are you?", timeout_ms=5000)
    asked = pair.watch.wait("message.arrived", text="how are you?")
    pair.watch.call("reply", msg=asked["msg"], text="fine")
    replied = pair.phone.wait("message.replied", msg=sent["msg"])
    assert replied["text"] == "fine" and 0 < replied["rtt_ns"] < 5_000_000_000


def test_an_event_of_before_the_cursor_is_not_waited_for(pair):
    pair.phone.call("send", kind="user_info", text="first")
    pair.watch.wait("record.arrived", text="first")
    cursor = pair.watch.cursor()
    with pytest.raises(watchproto.Refused) as refusal:
        pair.watch.wait("record.arrived", after=cursor, timeout=0.05)
    assert refusal.value.code == "timed_out"
    sent = pair.phone.call("send", kind="user_info", text="second", idempotency_key="2")
    assert pair.watch.wait("record.arrived", after=cursor)["text"] == "second"
    settled = pair.phone.wait("record.settled", msg=sent["msg"])
    assert settled["outcome"] == "applied"
    assert pair.phone.call("outstanding")["records"] == []


def test_a_wrong_code_is_burnt_and_the_next_one_works(binaries, tmp_path):
    link = f"unix:{tmp_path}/l.sock"
    with watchproto.Simulator(f"{binaries}/WatchSim", link) as watch, \
            watchproto.Simulator(f"{binaries}/PhoneSim", link) as phone:
        right = watch.call("pair.show", confirmed=True)["code"]
        wrong = "000000" if right != "000000" else "000001"
        phone.call("pair.enter", code=wrong, confirmed=True)
        assert phone.wait("pairing.failed")["attempts_left"] == 2
        following = watch.wait("pairing.code")["code"]
        assert following != right
        phone.call("pair.enter", code=following, confirmed=True)
        assert phone.wait("pairing.done", timeout=10)["pairing"] \
            == watch.wait("pairing.done", timeout=10)["pairing"]


def test_wrong_input_says_what_is_wrong_and_changes_nothing(pair):
    with pytest.raises(watchproto.Refused) as refusal:
        pair.phone.call("complication.updat", text="x")
    assert refusal.value.error["did_you_mean"] == "complication.update"
    with pytest.raises(watchproto.Refused) as refusal:
        pair.phone.call("import", path="/nowhere/list.json")
    assert refusal.value.code
    assert pair.phone.call("list")["count"] == 0
    # The two devices may still compare their ledgers.
    pair.phone.wait_until("status", outstanding=0)


def test_out_of_range_and_back(binaries, tmp_path):
    """The link model stands between the two, and is changed while it runs."""
    watch_side, phone_side = f"unix-datagram:{tmp_path}/w", f"unix-datagram:{tmp_path}/p"
    with watchproto.Link(binaries, phone_side, watch_side, profile="4g-good", seed=7) as link, \
            watchproto.Pair(binaries, link=watch_side, phone_link=phone_side) as pair:
        pair.wait_until_reachable()
        link.set("loss=100%")
        message = pair.phone.call("send", kind="user_info", payload_b64="bGF0ZXI=")
        eventually(lambda: link.counters()["up"]["lost"]["loss"] > 0)
        link.set("loss=0%")
        pair.watch.wait("record.arrived", msg=message["msg"], timeout=20)
        which = {name: value for name, value in message.items() if name not in ("id", "ok")}
        assert pair.phone.wait_until("record.status", fields=which, applied="yes", timeout=20)


def test_bytes_go_through_pipes_of_ours(binaries, tmp_path):
    """A link of bare pipes: whoever holds their ends can count, delay or cut what crosses."""
    with watchproto.Pair(binaries) as met:
        files = {}
        for device in ("phone", "watch"):
            getattr(met, device).close()
            for suffix in ("", "-wal"):
                source = met.journal(device) + suffix
                if os.path.exists(source):
                    os.rename(source, tmp_path / (device + ".db" + suffix))
            files[device] = tmp_path / (device + ".db")
    to_watch, from_phone = os.pipe()
    to_phone, from_watch = os.pipe()
    try:
        with watchproto.Simulator(
                f"{binaries}/WatchSim", f"fd:{to_watch},{from_watch}", journal=files["watch"],
                pass_fds=(to_watch, from_watch)) as watch, \
            watchproto.Simulator(
                f"{binaries}/PhoneSim", f"fd:{to_phone},{from_phone}", journal=files["phone"],
                pass_fds=(to_phone, from_phone)) as phone:
            phone.wait("reachability", reachable=True)
            phone.call("complication.update", text="through a pipe")
            watch.wait("complication.shown", text="through a pipe")
    finally:
        for descriptor in (to_watch, from_phone, to_phone, from_watch):
            os.close(descriptor)


def test_commands_go_over_named_pipes(binaries, tmp_path):
    """For a client that cannot start a process with pipes: a shell does, and it opens two files."""
    commands, answers = tmp_path / "commands", tmp_path / "answers"
    for name in (commands, answers):
        os.mkfifo(name)
    line = 'exec "$0" --link "unix:$1/l.sock" --unsealed <"$1/commands" >"$1/answers"'
    process = subprocess.Popen(
        ["sh", "-c", line, f"{binaries}/WatchSim", str(tmp_path)], stderr=subprocess.DEVNULL)
    # The shell opens its input first; each waits for the other.
    with open(commands, "w") as given, open(answers) as told:
        assert json.loads(told.readline())["event"] == "ready"
        given.write('{"id": "mine", "cmd": "status"}\n')
        given.flush()
        reply = next(line for line in map(json.loads, told) if line.get("id") == "mine")
        assert reply["ok"] and reply["sealed"] is False
        given.close()
        assert [json.loads(line) for line in told][-1]["reason"] == "stdin_closed"
    assert process.wait(timeout=20) == 0


def test_who_is_not_there_is_said_so(binaries, tmp_path):
    with pytest.raises(watchproto.Ended) as end:
        watchproto.Simulator(f"{binaries}/WatchSim", f"unix:{tmp_path}/no/where.sock")
    assert end.value.exit_code == 66
    assert "no/where.sock" in end.value.log
