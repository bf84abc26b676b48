"""Colours of a terminal become classes, and nothing else of what is printed becomes markup."""

from __future__ import annotations

import pytest

from graders.reports.html_report.ansi import runs
from graders.reports.html_report.markup import styled


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m.", '<span class="fg1">red</span>.'),
        ("\x1b[31mred\x1b[m.", '<span class="fg1">red</span>.'),
        ("\x1b[1;32mok\x1b[22m thin", '<span class="a-bold fg2">ok</span><span class="fg2"> thin</span>'),
        ("\x1b[91;104mx\x1b[39;49my", '<span class="fg9 bg12">x</span>y'),
        ("\x1b[7;31mx\x1b[27my", '<span class="a-inverse bg1">x</span><span class="fg1">y</span>'),
        ("\x1b[3;4;9mx\x1b[23;24;29my", '<span class="a-italic a-struck a-underline">x</span>y'),
        ("\x1b[38;5;9mx", '<span class="fg9">x</span>'),
        ("\x1b[38;5;196mx", '<span class="fg9">x</span>'),
        ("\x1b[48;5;240mx", '<span class="bg8">x</span>'),
        ("\x1b[38;2;0;200;10mx", '<span class="fg2">x</span>'),
        ("\x1b[38:5:2mx", '<span class="fg2">x</span>'),
        ("\x1b[38;5mx", "x"),
        ("\x1b[38;5;999mx", "x"),
        ("\x1b[38;2;1mx", "x"),
        ("\x1b[38mx", "x"),
        ("\x1b[38;2;999;0;0mx", '<span class="fg9">x</span>'),
        ("\x1b[5;999mx", "x"),
        ("a\r\nb", "a\nb"),
        ("a\rb", 'a<span class="ctl">\\x0d</span>b'),
        ("\x1b[2Jx", '<span class="ctl">\\x1b</span>[2Jx'),
        ("\x1b]0;t\x07", '<span class="ctl">\\x1b</span>]0;t<span class="ctl">\\x07</span>'),
        ("\x1b[31", '<span class="ctl">\\x1b</span>[31'),
        ("\x1b[<b>m", '<span class="ctl">\\x1b</span>[&lt;b&gt;m'),
        ("\x1b[31m\x1b[32m", ""),
        ("\x1b[31m<b>&", '<span class="fg1">&lt;b&gt;&amp;</span>'),
        ("\0\0\0a\u202e", '<span class="ctl">\\x00\\x00\\x00</span>a<span class="ctl">\\u202e</span>'),
        ("\x1b[" + "1;" * 40 + "1mx", '<span class="ctl">\\x1b</span>[' + "1;" * 40 + "1mx"),
    ],
)  # fmt: skip
def test_what_a_terminal_would_colour(printed: str, shown: str) -> None:
    assert styled(runs(printed)) == shown
