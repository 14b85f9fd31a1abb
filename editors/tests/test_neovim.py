"""Neovim with the configuration of docs/editors.md, in a terminal whose screen is read as text."""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time

import pyte
import pytest

BOOK = pathlib.Path(__file__).parents[2] / "docs" / "editors.md"

SHOP = "User-agent: *\nDissalow: /cart\nDisallow:/a\nAllow: /a/b\n\nUser-agent: GPTBot\nDisallow: /ai\n"

# A screen that never shows the text fails the test after this many seconds.
LONGEST = 60

pytestmark = pytest.mark.skipif(shutil.which("nvim") is None, reason="needs Neovim")


class Terminal:
    """A program in a terminal."""

    def __init__(self, command, environment):
        self.screen = pyte.Screen(110, 30)
        self.stream = pyte.ByteStream(self.screen)
        self.file, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 110, 0, 0))
        self.child = subprocess.Popen(
            command, stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True
        )
        os.close(other)

    def type(self, keys):
        """Types text."""
        os.write(self.file, keys.encode())

    def shown(self):
        """The screen as text."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, pattern):
        """Waits until the screen shows a text."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            if select.select([self.file], [], [], 0.1)[0]:
                self.stream.feed(os.read(self.file, 65536))
            elif re.search(pattern, self.shown()):
                return self.shown()
        raise AssertionError(f"no {pattern!r} on the screen:\n{self.shown()}")

    def close(self):
        """Ends the program."""
        self.child.kill()
        self.child.wait()
        os.close(self.file)


@pytest.fixture(name="editor")
def _editor(tmp_path):
    """Neovim with a robots.txt, and no other configuration."""
    [code] = re.findall(r"```lua\n(.*?)```", BOOK.read_text(encoding="utf-8"), re.S)
    plugins = tmp_path / "config" / "nvim" / "plugin"
    plugins.mkdir(parents=True)
    (plugins / "verger.lua").write_text(code, encoding="utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "verger-lsp").symlink_to(os.environ["VERGER_LSP"])
    site = tmp_path / "site"
    site.mkdir()
    (site / "robots.txt").write_text(SHOP, encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "a"]):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-C", str(site)]
        subprocess.run([*git, *arguments], check=True)
    environment = {
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "PATH": f"{programs}:{os.environ['PATH']}",
        "TERM": "xterm-256color",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    terminal = Terminal(["nvim", str(site / "robots.txt")], environment)
    terminal.site = site
    yield terminal
    terminal.close()


def test_a_site_owner_sees_explains_fixes_and_formats(editor):
    """The table of the book, key by key."""
    screens = [editor.wait("Dissalow.*a crawler may|Dissalow.*■")]
    editor.type("3GK")
    screens.append(editor.wait("begins with `?/a"))
    editor.type("\x1b:2\r\\d")
    screens.append(editor.wait("misspelt|Disallow`"))
    editor.type("\x1b:2\r\\a")
    screens.append(editor.wait("1: .*Disallow"))
    editor.type("1\r")
    screens.append(editor.wait("(?m)^..?.?Disallow: /cart"))
    editor.type("\\f")
    screens.append(editor.wait("Disallow: /a"))
    editor.type(":VergerCheck /ai GPTBot\r")
    screens.append(editor.wait("disallowed by `Disallow: /ai`"))
    editor.type(":7d\r:VergerCompare\r")
    screens.append(editor.wait("since HEAD: changes that open URLs: 1"))
    editor.type("GoUser-agent: Googlebot-I\x18\x0f")
    screens.append(editor.wait("User-agent: Googlebot-Image"))
    editor.type("\x19\x1b:w\r")
    editor.wait("written")
    expected = SHOP.replace("Dissalow: /cart", "Disallow: /cart").replace("Disallow:/a", "Disallow: /a")
    expected = expected.replace("Disallow: /ai\n", "User-agent: Googlebot-Image\n")
    assert (editor.site / "robots.txt").read_text(encoding="utf-8") == expected
    rule = "\n" + "-" * 110 + "\n"
    folder = os.environ.get("VERGER_SCREENS")
    if folder:
        pathlib.Path(folder, "neovim.txt").write_text(rule.join(screens), encoding="utf-8")
