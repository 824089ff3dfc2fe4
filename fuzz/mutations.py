"""Damage to files of acts: bytes and lines, and by their structure elements, numbers, members of archives and streams.

Every mutation takes a `random.Random`, so that a seed gives the same file again.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Final

NUMBERS: Final = (
    *("0", "1", "2", "3", "10", "99", "100", "999", "2024", "00012", "9" * 20, "9" * 5_000, "²", "①", "١٢", "-5", "Ⅳ"),
    *("i", "iv", "a", "aa", "1.2", "1a", "5 bis", ""),
)
_NUMBER: Final = re.compile(rb"\d+")
_TAG: Final = re.compile(rb"<(/?)([A-Za-z][\w.:-]*)[^<>]*?(/?)>")
_OBJECT: Final = re.compile(rb"\d+ 0 obj.*?endobj\s*", re.DOTALL)
_STREAM: Final = re.compile(rb"/Length \d+(.{0,200}?)stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
_LONGEST: Final = 200_000
"""Bytes; repeated doubling ends here."""


def mutated(content: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """Return a file with one to four mutations; `others` are files of the same format."""
    for _ in range(random.choice((1, 1, 2, 3, 4))):
        content = _mutation_for(content, random)(content, random.choice(others), random)[:_LONGEST]
    return content


Mutation = Callable[[bytes, bytes, Random], bytes]


def _mutation_for(content: bytes, random: Random) -> Mutation:
    if content.startswith(b"PK"):
        return random.choice((change_member, change_member, change_member, rearrange_members, damage))
    if content.startswith(b"%PDF"):
        return random.choice((change_stream, change_stream, rearrange_objects, change_number, damage))
    if content.lstrip()[:1] == b"<":
        return random.choice(
            (rearrange_elements, rearrange_elements, rearrange_elements, change_number, damage, splice)
        )
    return random.choice((rearrange_lines, rearrange_lines, change_number, damage, splice))


# --- bytes ------------------------------------------------------------------------------------------------

KINDS: Final = ("flip", "write", "cut", "end", "double", "repeat", "nest", "splice")


def damaged(content: bytes, other: bytes, how: str, where: float, size: int) -> bytes:
    """Apply one kind of damage; `other` is another file of the same format."""
    at = int(where * len(content))
    piece = content[at : at + size]
    if how == "flip" and content:
        return content[:at] + bytes([content[at] ^ size]) + content[at + 1 :]
    if how == "write":
        return content[:at] + bytes([size]) + content[at + 1 :]
    if how == "cut":
        return content[:at] + content[at + size :]
    if how == "end":
        return content[:at]
    if how == "splice":
        middle = int(where * len(other))
        return content[:at] + other[middle : middle + 8 * size] + content[at:]
    times = {"double": 2, "repeat": 40, "nest": 300}.get(how, 1)
    if how == "nest":  # the tag that opens here is opened many times
        piece = content[content.rfind(b"<", 0, at + 1) : at + 1][:size] or piece
    return content[:at] + piece * times + content[at + size :]


def damage(content: bytes, other: bytes, random: Random) -> bytes:
    """Damage some bytes."""
    return damaged(content, other, random.choice(KINDS), random.random(), random.randint(1, 64))


def splice(content: bytes, other: bytes, random: Random) -> bytes:
    """Continue with the rest of another file."""
    return content[: random.randrange(len(content) + 1)] + other[random.randrange(len(other) + 1) :]


def change_number(content: bytes, _other: bytes, random: Random) -> bytes:
    """Replace a number by another one, or each of its occurrences."""
    places = list(_NUMBER.finditer(content))
    if not places:
        return content
    place, number = random.choice(places), random.choice(NUMBERS).encode()
    if random.random() < 0.2:
        return re.sub(rb"(?<!\d)" + place[0] + rb"(?!\d)", number, content)
    return content[: place.start()] + number + content[place.end() :]


# --- lines and elements -----------------------------------------------------------------------------------


def rearrange_lines(content: bytes, other: bytes, random: Random) -> bytes:
    """Double, delete, move, join or split lines, or take some from another file."""
    lines, foreign = content.split(b"\n"), other.split(b"\n")
    at, count = random.randrange(len(lines)), random.choice((1, 1, 2, 5, 20))
    taken, to = lines[at : at + count], random.randrange(len(lines))
    match random.choice(("double", "delete", "move", "join", "split", "take", "indent")):
        case "double":
            lines[to:to] = taken * random.choice((1, 1, 3, 50))
        case "delete":
            del lines[at : at + count]
        case "move":
            del lines[at : at + count]
            lines[to:to] = taken
        case "join":
            lines[at : at + count] = [random.choice((b" ", b"", b"  ", b"\t")).join(taken)]
        case "split":
            cut = random.randrange(len(lines[at]) + 1)
            lines[at : at + 1] = [lines[at][:cut], lines[at][cut:]]
        case "take":
            start = random.randrange(len(foreign))
            lines[to:to] = foreign[start : start + count]
        case _:
            lines[at] = random.choice((b"    ", b"\t", b"- ", b"> ", b"# ", b"(1) ", "“".encode())) + lines[at]
    return b"\n".join(lines)


def rearrange_elements(content: bytes, other: bytes, random: Random) -> bytes:
    """Double, delete, move, unwrap or swap elements, or take one from another file; most results are well-formed."""
    spans = _elements(content)
    if not spans:
        return damage(content, other, random)
    start, end = random.choice(spans)
    element = content[start:end]
    foreign = _elements(other)
    to = random.choice(spans)[random.randrange(2)]
    match random.choice(("double", "delete", "move", "unwrap", "take", "rename", "text")):
        case "double":
            return content[:end] + element * random.choice((1, 1, 2, 20)) + content[end:]
        case "delete":
            return content[:start] + content[end:]
        case "move":
            if start <= to < end:
                return content[:start] + content[end:]
            first, last = sorted((to, start))
            rest = content[:start] + content[end:]
            to = to if to == first else to - len(element)
            return rest[:to] + element + rest[to:] if last >= first else rest
        case "unwrap":
            return content[:start] + re.sub(rb"\A<[^>]*>|</[^>]*>\Z", b"", element) + content[end:]
        case "take" if foreign:
            begin, stop = random.choice(foreign)
            return content[:to] + other[begin:stop] + content[to:]
        case "rename":
            names = [match[2] for match in _TAG.finditer(content)]
            old = _TAG.match(element)
            assert old is not None
            new = random.choice(names)
            changed = re.sub(rb"\A<" + re.escape(old[2]), b"<" + new, element)
            changed = re.sub(rb"</" + re.escape(old[2]) + rb"\s*>\Z", b"</" + new + b">", changed)
            return content[:start] + changed + content[end:]
        case _:
            return content[:to] + random.choice((b" text ", b"(1)", b"&#160;", b"&lt;", b"Article 5")) + content[to:]


def _elements(content: bytes) -> list[tuple[int, int]]:
    """Where elements begin and end; those without an end are left out."""
    found: list[tuple[int, int]] = []
    opened: list[tuple[bytes, int]] = []
    for tag in _TAG.finditer(content):
        closes, name, is_empty = tag.groups()
        if is_empty:
            found.append(tag.span())
        elif not closes:
            opened.append((name, tag.start()))
        else:
            while opened:
                other, start = opened.pop()
                if other == name:
                    found.append((start, tag.end()))
                    break
    return found


# --- archives and PDFs ------------------------------------------------------------------------------------


def _members(content: bytes) -> dict[str, bytes]:
    with suppress(Exception), zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
    return {}


def _packed(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # without the time of day
    return file.getvalue()


def change_member(content: bytes, other: bytes, random: Random) -> bytes:
    """Mutate one file inside an archive, mostly a large one, and pack it again."""
    members, foreign = _members(content), _members(other)
    if not members:
        return damage(content, other, random)
    name = random.choices(list(members), [len(member) ** 0.5 + 1 for member in members.values()])[0]
    member = members[name]
    change = random.choice((rearrange_elements, rearrange_elements, rearrange_elements, change_number, damage))
    return _packed(members | {name: change(member, foreign.get(name, member), random)})


def rearrange_members(content: bytes, other: bytes, random: Random) -> bytes:
    """Delete, rename or swap the files inside an archive, or take one from another."""
    members, foreign = _members(content), _members(other)
    if not members:
        return damage(content, other, random)
    name, second = random.choice(list(members)), random.choice(list(members))
    match random.choice(("delete", "rename", "swap", "take")):
        case "delete":
            del members[name]
        case "rename":
            members[f"{name}x"] = members.pop(name)
        case "swap":
            members[name], members[second] = members[second], members[name]
        case _ if foreign:
            members[name] = random.choice(list(foreign.values()))
    return _packed(members)


def rearrange_objects(content: bytes, other: bytes, random: Random) -> bytes:
    """Double, delete or take objects of a PDF."""
    spans = [match.span() for match in _OBJECT.finditer(content)]
    foreign = [match[0] for match in _OBJECT.finditer(other)]
    if not spans or not foreign:
        return damage(content, other, random)
    start, end = random.choice(spans)
    to = random.choice(spans)[0]
    match random.choice(("double", "delete", "take")):
        case "double":
            return content[:to] + content[start:end] + content[to:]
        case "delete":
            return content[:start] + content[end:]
        case _:
            return content[:start] + random.choice(foreign) + content[end:]


def change_stream(content: bytes, other: bytes, random: Random) -> bytes:
    """Mutate what a stream of a PDF contains, and compress it again."""
    streams = list(_STREAM.finditer(content))
    if not streams:
        return damage(content, other, random)
    stream = random.choice(streams)
    try:
        inside = zlib.decompress(stream[2])
    except zlib.error:
        return damage(content, other, random)
    change = random.choice((change_number, change_number, rearrange_lines, damage))
    for _ in range(random.choice((1, 3, 10))):
        inside = change(inside, inside, random)
    packed = zlib.compress(inside)
    new = b"/Length %d%bstream\n%b\nendstream" % (len(packed), stream[1], packed)
    return content[: stream.start()] + new + content[stream.end() :]
