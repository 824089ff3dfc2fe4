"""Samples of requests with curl and with the Python client, by operation; tests run each of them."""

from __future__ import annotations

from typing import Final

ADDRESS: Final = "http://127.0.0.1:8000"
_CURL: Final = "curl --fail-with-body"
_IMPORT: Final = "from pathlib import Path\n\nfrom lexlattice.apps.client import Client\n\n"
_WITH: Final = f'with Client("{ADDRESS}") as client:\n'


def _python(*lines: str, path: bool = True) -> str:
    head = _IMPORT if path else _IMPORT.split("\n", 2)[2]
    return head + _WITH + "".join(f"    {line}\n" for line in lines)


SAMPLES: Final[dict[str, dict[str, str]]] = {
    "summarize": {
        "curl": f"{_CURL} -F file=@act.txt -F words=200 {ADDRESS}/v1/summaries",
        "Python": _python(
            'summary = client.summarize(Path("act.txt"), words=200)',
            "for item in summary.extract:",
            "    print(item.citation, item.text)",
        ),
    },
    "export": {
        "curl": f"{_CURL} -F file=@act.txt -F words=200 -o summary.pdf '{ADDRESS}/v1/exports?format=pdf'",
        "Python": _python('client.export(Path("act.txt"), "pdf", to=Path("summary.pdf"), words=200)'),
    },
    "parse": {
        "curl": f"{_CURL} -F file=@act.txt {ADDRESS}/v1/acts",
        "Python": _python('act = client.parse(Path("act.txt"))', "print(len(act.articles), act.units[0].citation)"),
    },
    "quote": {
        "curl": f"{_CURL} -F file=@act.txt '{ADDRESS}/v1/provisions?provision=Art.%203(2)'",
        "Python": _python('found = client.quote(Path("act.txt"), provision="Art. 3(2)")', 'print(found["text"])'),
    },
    "align": {
        "curl": f"{_CURL} -F file=@act.txt -F file=@act.de.txt {ADDRESS}/v1/alignments",
        "Python": _python(
            'alignment = client.align(Path("act.txt"), Path("act.de.txt"))', 'print(alignment.pairs["art-1.par-1"])'
        ),
    },
    "view": {"curl": f"{_CURL} -F file=@act.txt {ADDRESS}/v1/views"},
    "identify": {
        "curl": f"{_CURL} -G --data-urlencode 'text=Directive 95/46/EC' {ADDRESS}/v1/identifiers",
        "Python": _python('print(client.identify("Directive 95/46/EC")["celex"])', path=False),
    },
    "get_act": {
        "curl": f"{_CURL} '{ADDRESS}/v1/acts/32016R0679?language=en'",
        "Python": _python('act = client.parse("32016R0679", language="en")', "print(act.title)", path=False),
    },
    "get_summary": {
        "curl": f"{_CURL} '{ADDRESS}/v1/acts/32016R0679/summary?words=200&language=en'",
        "Python": _python(
            'summary = client.summarize("32016R0679", words=200, language="en")', "print(summary.words)", path=False
        ),
    },
    "get_export": {
        "curl": f"{_CURL} -o summary.docx '{ADDRESS}/v1/acts/32016R0679/export?format=docx&budget=short&language=en'",
        "Python": _python(
            'client.export("32016R0679", "docx", to=Path("summary.docx"), budget="short", language="en")'
        ),
    },
    "get_provision": {
        "curl": f"{_CURL} '{ADDRESS}/v1/acts/32016R0679/provisions/art.%203%20para.%202?language=en'",
        "Python": _python(
            'found = client.quote("32016R0679", provision="art. 3 para. 2", language="en")',
            'print(found["citation"])',
            path=False,
        ),
    },
    "list_languages": {
        "curl": f"{_CURL} {ADDRESS}/v1/languages",
        "Python": _python("print([language.code for language in client.languages()])", path=False),
    },
    "list_examples": {"curl": f"{_CURL} {ADDRESS}/v1/examples"},
    "get_example": {"curl": f"{_CURL} {ADDRESS}/v1/examples/fr/directive"},
    "get_readiness": {"curl": f"{_CURL} {ADDRESS}/readyz"},
}
