"""Tools that a model calls in its replies; ``wrappers.ToolUse`` gives them to any text env."""

from gem_gymnasium.tools.base import Call, Runner, Tool, Toolbox, ToolResult
from gem_gymnasium.tools.calls import find_call
from gem_gymnasium.tools.mcp import McpTool, McpToolbox
from gem_gymnasium.tools.mcp_servers import HttpServer, StdioServer, read_servers
from gem_gymnasium.tools.named import TOOLS, check_tool_name, tool_of
from gem_gymnasium.tools.python import PythonTool
from gem_gymnasium.tools.search import SearchTool
from gem_gymnasium.tools.search_base import Found, Hit, Retriever
from gem_gymnasium.tools.search_corpus import CORPORA, Text, corpus, read_corpus
from gem_gymnasium.tools.search_dense import DenseIndex, HybridIndex, SentenceEncoder
from gem_gymnasium.tools.search_http import HttpRetriever
from gem_gymnasium.tools.search_index import TextIndex
from gem_gymnasium.tools.search_named import retriever_of
from gem_gymnasium.tools.search_server import SearchServer
from gem_gymnasium.tools.search_web import WebSearch

__all__ = [
    "CORPORA",
    "TOOLS",
    "Call",
    "DenseIndex",
    "Found",
    "Hit",
    "HttpRetriever",
    "HttpServer",
    "HybridIndex",
    "McpTool",
    "McpToolbox",
    "PythonTool",
    "Retriever",
    "Runner",
    "SearchServer",
    "SearchTool",
    "SentenceEncoder",
    "StdioServer",
    "Text",
    "TextIndex",
    "Tool",
    "ToolResult",
    "Toolbox",
    "WebSearch",
    "check_tool_name",
    "corpus",
    "find_call",
    "read_corpus",
    "read_servers",
    "retriever_of",
    "tool_of",
]
