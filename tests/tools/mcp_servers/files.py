"""A file server confined to the folder that its command line names."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("files", log_level="ERROR")
ROOT = Path(sys.argv[1]).resolve()


def inside(name: str) -> Path:
    path = (ROOT / name).resolve()
    if not path.is_relative_to(ROOT):
        raise ToolError(f"{name} lies outside the folder")
    return path


@server.tool()
def list_files() -> str:
    """List the files of the folder."""
    return "\n".join(sorted(path.name for path in ROOT.iterdir()))


@server.tool()
def read_file(name: str) -> str:
    """Read a file."""
    try:
        return inside(name).read_text()
    except OSError as error:
        raise ToolError(str(error)) from error


@server.tool()
def write_file(name: str, text: str) -> str:
    """Write a file."""
    return f"{inside(name).write_text(text)} characters"


if __name__ == "__main__":
    server.run()
