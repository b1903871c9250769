"""A server that hangs, dies and lies, without the SDK: it says what it likes."""

import json
import os
import sys
import time

TOOLS = [
    "hang",
    "die",
    "huge",
    "endless",
    "garbage",
    "wrong",
    "error",
    "image",
    "surrogate",
    "nothing",
    "ok",
]
SCHEMA = {"type": "object", "properties": {}}


def say(**what: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **what}) + "\n")
    sys.stdout.flush()


def text(id: object, said: str, **more: object) -> None:
    say(id=id, result={"content": [{"type": "text", "text": said}], **more})


def call(id: object, name: str) -> None:
    if name == "hang":
        time.sleep(3600)
    elif name == "die":
        sys.stderr.write("out of luck\n")
        sys.stderr.flush()
        os._exit(3)
    elif name == "huge":
        text(id, "x" * 1_000_000)
    elif name == "endless":
        while True:
            sys.stdout.write("y" * 65_536)
    elif name == "garbage":
        sys.stdout.write("Loading...\n\x00\xff\n{\n[]\n" + "[" * 5_000 + "\n")
        text(id, "after garbage")
    elif name == "wrong":
        say(id=id, result={"content": [{"type": "poem"}], "isError": "perhaps"})
    elif name == "error":
        say(id=id, error={"code": -32000, "message": "no such thing"})
    elif name == "image":
        say(id=id, result={"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]})
    elif name == "nothing":
        say(id=id, result={"content": []})
    elif name == "surrogate":
        text(id, "a \ud800 b")
    else:
        text(id, "fine")


def answer(request: dict) -> None:
    id, method = request.get("id"), request.get("method")
    if method == "initialize":
        version = request["params"]["protocolVersion"]
        info = {"name": "liar", "version": "1"}
        say(id=id, result={"protocolVersion": version, "capabilities": {"tools": {}},
                           "serverInfo": info})  # fmt: skip
    elif method == "tools/list":
        mode = sys.argv[1] if len(sys.argv) > 1 else ""
        lies = {"schema": {"properties": 3}, "required": {"minimum": "low"}}
        schema = {**SCHEMA, **lies.get(mode, {})}
        tools = [{"name": name, "inputSchema": schema} for name in TOOLS]
        say(id=id, result={"tools": [] if mode == "none" else tools})
    elif method == "tools/call":
        call(id, request["params"]["name"])
    elif id is not None:
        say(id=id, error={"code": -32601, "message": "unknown method"})


if __name__ == "__main__":
    if sys.argv[1:2] == ["mute"]:
        time.sleep(3600)
    for line in sys.stdin:
        answer(json.loads(line))
