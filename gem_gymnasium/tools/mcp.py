"""McpToolbox: the tools of any number of MCP servers, by the official SDK."""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from gem_gymnasium.core.errors import ConfigError, SnapshotUnsupported, ToolFailure, UnknownName
from gem_gymnasium.core.parsing import cut_middle, echo, replace_surrogates
from gem_gymnasium.tools.base import Call, Runner, Tool, Toolbox, ToolResult
from gem_gymnasium.tools.mcp_servers import Server, read_servers
from gem_gymnasium.tools.mcp_session import Gone, McpSession, Refused, require_sdk
from gem_gymnasium.tools.schema import broken

NOTHING_SAID = "(The tool answered nothing.)"

_NAME = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME_CHARS = 64
_MAX_DESCRIPTION_CHARS = 1_000
_MAX_SCHEMA_CHARS = 8_000
_LEAST_RECONNECT_S = 1.0


class McpTool(Tool):
    """One tool of a server; its toolbox runs it.

    Args:
        box: The toolbox it is in.
        name: What models call it.
        description: What the server says of it.
        parameters: The server's schema of its arguments.
        server: The server's name in the toolbox.
        real_name: What the server calls it.
    """

    def __init__(
        self,
        box: McpToolbox,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        server: str,
        real_name: str,
    ) -> None:
        self.box = box
        self.name, self.description, self.parameters = name, description, parameters
        self.server, self.real_name = server, real_name

    def of(self, box: McpToolbox) -> McpTool:
        """Return the tool as one of another toolbox."""
        told = self.name, self.description, self.parameters
        return McpTool(box, *told, self.server, self.real_name)

    def __repr__(self) -> str:
        return f"McpTool({self.name!r} of {self.server!r})"

    def run(self, call: Call, deadline: float) -> ToolResult:
        """Run a call over a connection of its own; ``ToolUse`` keeps one open instead."""
        assert self.box is not None
        runner = self.box.open()
        try:
            return runner.run(call, deadline)
        finally:
            runner.close()


class McpToolbox(Toolbox):
    """The tools of MCP servers, as they list them.

    Each env has connections of its own, opened by its first call and kept over its episodes until
    it is closed, so that a server may remember. A server that dies, hangs or says too much is text
    that the model reads, and is connected to anew; one that cannot be connected to makes the step
    invalid. What a server holds is in no snapshot.

    Covered: every wait has a deadline; what a server says is bounded before it is in memory (4 MiB
    a line over stdio, 4 MiB an answer over HTTP), and its lies (a result that breaks its schema,
    garbage, a line without an end) are text. Not covered: what its texts tell the model to do; what
    a server's program does to the machine.

    Args:
        servers: Servers by name, or the path of a file of them
            (:func:`~gem_gymnasium.tools.read_servers`). Where there are several, their names
            stand before those of their tools.
        only: Names of the tools to offer, as models call them; None for all.
        timeout_s: Seconds that a call may take.
        connect_timeout_s: Seconds that connecting may take.
        max_chars: Characters of a result shown; the middle of a longer one is left out.
        per_episode: Whether each episode has a new connection, and with it a new program.

    Raises:
        ConfigError: A limit is refused; a server cannot be reached, lists no tools, or describes
            one by what is no schema.
        UnknownName: ``only`` names a tool that there is not.
        MissingDependency: The SDK is not installed.
    """

    def __init__(
        self,
        servers: Mapping[str, Server] | str,
        *,
        only: Sequence[str] | None = None,
        timeout_s: float = 20.0,
        connect_timeout_s: float = 20.0,
        max_chars: int = 4_000,
        per_episode: bool = False,
    ) -> None:
        if not timeout_s > 0 or not connect_timeout_s > 0 or max_chars < 1:
            raise ConfigError(
                "timeout_s and connect_timeout_s must be above 0 and max_chars at least 1, got "
                f"{timeout_s}, {connect_timeout_s} and {max_chars}"
            )
        require_sdk()
        self.servers = read_servers(servers) if isinstance(servers, str) else dict(servers)
        if not self.servers:
            raise ConfigError("there is no server")
        self.timeout_s, self.connect_timeout_s = timeout_s, connect_timeout_s
        self.max_chars, self.per_episode = max_chars, per_episode
        found = [tool for name in self.servers for tool in self._discovered(name)]
        names = [tool.name for tool in found]
        if len(set(names)) < len(names):
            raise ConfigError(f"two tools have one name: {sorted(names)}")
        for name in only or ():
            if name not in names:
                raise UnknownName("tool", name, names)
        self.by_name = {tool.name: tool for tool in found if only is None or tool.name in only}
        self.tools = tuple(self.by_name.values())

    def open(self) -> Runner:
        """Return what keeps the connections of one env."""
        return _Connections(self)

    def repointed(self, servers: Mapping[str, Server]) -> McpToolbox:
        """Return a toolbox with the same tools at other servers, which are not asked for theirs.

        Raises:
            ConfigError: The servers have other names.
        """
        if servers.keys() != self.servers.keys():
            raise ConfigError(f"the servers must be {sorted(self.servers)}, got {sorted(servers)}")
        box = copy.copy(self)
        box.servers = dict(servers)
        box.by_name = {name: tool.of(box) for name, tool in self.by_name.items()}
        box.tools = tuple(box.by_name.values())
        return box

    def _discovered(self, name: str) -> list[McpTool]:
        """Ask a server what it has."""
        deadline = time.monotonic() + self.connect_timeout_s
        try:
            session = McpSession(self.servers[name], deadline)
            try:
                listed = session.tools(deadline)
            finally:
                session.close()
        except (Gone, Refused, TimeoutError) as error:
            why = str(error) or "it did not answer in time"
            raise ConfigError(f"the MCP server {name!r} cannot be used: {why}") from error
        if not listed:
            raise ConfigError(f"the MCP server {name!r} lists no tools")
        return [self._tool(name, one) for one in listed]

    def _tool(self, server: str, listed: Any) -> McpTool:
        prefix = f"{server}_" if len(self.servers) > 1 else ""
        name = _NAME.sub("_", f"{prefix}{listed.name}")[:_MAX_NAME_CHARS]
        name = name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"[:_MAX_NAME_CHARS]
        schema: Any = {"type": "object", **listed.input_schema}
        problem = broken(schema)
        if not problem and len(json.dumps(schema)) > _MAX_SCHEMA_CHARS:
            problem = f"it has over {_MAX_SCHEMA_CHARS} characters"
        if problem or schema["type"] != "object":
            what = problem or "it is not of type 'object'"
            raise ConfigError(
                f"the MCP server {server!r} describes its tool {listed.name!r} by what is no "
                f"schema: {what}"
            )
        description = " ".join((listed.description or "").split())
        said = replace_surrogates(echo(description, _MAX_DESCRIPTION_CHARS))
        return McpTool(self, name, said, schema, server, listed.name)


class _Connections(Runner):
    """The connections of one env, each opened by the first call that needs it."""

    def __init__(self, box: McpToolbox) -> None:
        self._box = box
        self._sessions: dict[str, McpSession] = {}
        self._called = False

    @property
    def is_live(self) -> bool:
        """Whether a server was asked something in this episode."""
        return self._called

    def run(self, call: Call, deadline: float) -> ToolResult:
        """Call a tool."""
        tool = self._box.by_name[call.tool]
        session = self._connected(tool.server, deadline)
        self._called = True
        limit = min(deadline, time.monotonic() + self._box.timeout_s)
        try:
            return self._result(session.call(tool.real_name, _sendable(call.arguments), limit))
        except Refused as error:
            return ToolResult(False, self._shown(str(error)), "error")
        except TimeoutError:
            return self._lost(tool.server, "did not answer in time", "timeout", deadline)
        except Gone as error:
            why = f"is gone: {self._shown(str(error))}"
            return self._lost(tool.server, why, "error", deadline)

    def _connected(self, name: str, deadline: float) -> McpSession:
        """Return the connection to a server.

        Raises:
            ToolFailure: It cannot be connected to.
        """
        if name not in self._sessions:
            limit = min(deadline, time.monotonic() + self._box.connect_timeout_s)
            try:
                self._sessions[name] = McpSession(self._box.servers[name], limit)
            except Gone as error:
                raise ToolFailure(f"the MCP server {name!r} cannot be reached: {error}") from error
        return self._sessions[name]

    def _lost(self, name: str, why: str, status: Any, deadline: float) -> ToolResult:
        """Connect anew, and tell the model what happened."""
        self._sessions.pop(name).close(wait=False)
        said = f"[The server {name!r} {why}."
        if deadline - time.monotonic() > _LEAST_RECONNECT_S:
            self._connected(name, deadline)
        return ToolResult(False, f"{said} It is connected to anew and may have forgotten.]", status)

    def _result(self, answer: Any) -> ToolResult:
        """Compose what the model reads."""
        parts = [_said(block) for block in answer.content]
        structured = answer.structured_content
        if not parts and structured is not None:
            parts = [json.dumps(structured, ensure_ascii=False)]
        text = self._shown("\n".join(parts).strip()) or NOTHING_SAID
        return ToolResult(not answer.is_error, text, "error" if answer.is_error else "ok")

    def _shown(self, text: str) -> str:
        return replace_surrogates(cut_middle(text, self._box.max_chars))

    def rest(self) -> None:
        """End an episode; the connections stay, unless each episode has its own."""
        self._called = False
        if self._box.per_episode:
            self.close()

    def close(self) -> None:
        """Close the connections."""
        while self._sessions:
            with suppress(KeyError):
                self._sessions.popitem()[1].close()

    def __getstate__(self) -> dict[str, Any]:
        if self._called:
            raise SnapshotUnsupported("what an MCP server holds can be neither copied nor pickled")
        return {"_box": self._box, "_sessions": {}, "_called": False}


def _sendable(value: Any) -> Any:
    """Return a value without lone surrogates: what holds one is never sent, and waited for."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        return {replace_surrogates(key): _sendable(each) for key, each in pairs}
    if isinstance(value, list | tuple):
        return [_sendable(each) for each in cast("list[Any]", value)]
    return value


def _said(block: Any) -> str:
    """Return a block of a result as text."""
    if block.type == "text":
        return block.text
    if block.type in ("image", "audio"):
        return f"[{block.type}, {block.mime_type}, {len(block.data)} characters of base64]"
    if block.type == "resource" and isinstance(getattr(block.resource, "text", None), str):
        return cast("str", block.resource.text)
    uri = getattr(getattr(block, "resource", block), "uri", "")
    return f"[{block.type} {echo(str(uri))}]"
