"""The language server driven by pytest-lsp: each feature by an independent client, with its types."""

import os
import pathlib
import sys

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

URI = "file:///nowhere/robots.txt"

SHOP = """\
User-agent: *
Disallow: /cart
Allow: /cart/help
Dissalow: /é😀 # typo

User-agent: GPTBot
Disallow: /ai
"""

config = ClientServerConfig(server_command=[os.environ["VERGER_LSP"], "--stdio"])


@pytest_lsp.fixture(config=config, params=["neovim", "visual_studio_code"])
async def client(request, lsp_client: LanguageClient):
    """A session with the capabilities of an editor."""
    capabilities = pytest_lsp.client_capabilities(request.param)
    parameters = types.InitializeParams(capabilities=capabilities)
    await lsp_client.initialize_session(parameters)
    yield
    await lsp_client.shutdown_session()


async def opened(client: LanguageClient, text: str, uri: str = URI) -> list[types.Diagnostic]:
    """Opens a file, and waits for its analysis."""
    document = types.TextDocumentItem(uri=uri, language_id="robots", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))
    for _ in ("one pass", "analysis"):
        await client.wait_for_notification("textDocument/publishDiagnostics")
    return list(client.diagnostics[uri])


def at(line: int, character: int = 0) -> dict:
    """The parameters of a request about a position."""
    return {
        "text_document": types.TextDocumentIdentifier(uri=URI),
        "position": types.Position(line=line, character=character),
    }


@pytest.mark.asyncio
async def test_problems_have_a_code_a_page_and_a_place(client: LanguageClient):
    found = {it.code: it for it in await opened(client, SHOP)}
    assert "misspelt-key" in found
    problem = found["misspelt-key"]
    assert problem.code_description.href.endswith("lint.md#misspelt-key")
    assert problem.range.start == types.Position(line=3, character=0)


@pytest.mark.asyncio
async def test_rules_crawlers_and_statements_are_explained(client: LanguageClient):
    await opened(client, SHOP)
    for line, expected in [(1, "It loses to `Allow: /cart/help`"), (5, "OpenAI")]:
        hover = await client.text_document_hover_async(types.HoverParams(**at(line)))
        assert expected in hover.contents.value
    assert await client.text_document_hover_async(types.HoverParams(**at(4))) is None


@pytest.mark.asyncio
async def test_names_are_completed(client: LanguageClient):
    await opened(client, "User-agent: GP")
    items = await client.text_document_completion_async(types.CompletionParams(**at(0, 14)))
    [item] = [it for it in items if it.label == "GPTBot"]
    assert item.detail.startswith("training")
    assert item.text_edit.range.start.character == 12


@pytest.mark.asyncio
async def test_problems_are_fixed_and_files_formatted(client: LanguageClient):
    await opened(client, SHOP)
    place = types.Range(start=types.Position(3, 0), end=types.Position(3, 0))
    context = types.CodeActionContext(diagnostics=client.diagnostics[URI])
    document = types.TextDocumentIdentifier(uri=URI)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(text_document=document, range=place, context=context)
    )
    titles = [action.title for action in actions]
    assert any("unsafe" in title for title in titles), titles
    assert "Suppress `misspelt-key` with a comment" in titles
    assert actions[0].edit.changes[URI][0].new_text == "Disallow"
    options = types.FormattingOptions(tab_size=4, insert_spaces=True)
    edits = await client.text_document_formatting_async(
        types.DocumentFormattingParams(text_document=document, options=options)
    )
    assert not edits


@pytest.mark.asyncio
async def test_groups_are_symbols(client: LanguageClient):
    await opened(client, SHOP)
    document = types.TextDocumentIdentifier(uri=URI)
    symbols = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=document)
    )
    assert [it.name for it in symbols] == ["`*`", "`GPTBot`"]


@pytest.mark.asyncio
async def test_urls_are_checked(client: LanguageClient):
    await opened(client, SHOP)
    answer = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command="verger.check", arguments=[URI, "/ai", "GPTBot"])
    )
    assert "disallowed by `Disallow: /ai` on line 7" in answer


@pytest.mark.asyncio
async def test_a_key_in_a_file_with_31843_rules_has_an_answer_before_the_analysis(
    client: LanguageClient,
):
    text = "User-agent: *\n" + "".join(f"Disallow: /{n}/\n" for n in range(31_843))
    await opened(client, text)
    change = types.TextDocumentContentChangePartial(
        range=types.Range(start=types.Position(1, 0), end=types.Position(1, 0)), text="x"
    )
    for version in (2, 3):
        document = types.VersionedTextDocumentIdentifier(uri=URI, version=version)
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
        )
        await client.wait_for_notification("textDocument/publishDiagnostics")
        assert "unknown-key" in [it.code for it in client.diagnostics[URI]] or version == 2


if __name__ == "__main__":
    sys.exit(pytest.main([str(pathlib.Path(__file__).parent), "-q"]))
