"""Make what Outlook makes: winmail.dat (TNEF), saved mails (.msg), compressed RTF."""

from __future__ import annotations

import struct

SECTOR, MINI, CUTOFF = 512, 64, 4096
END, FREE, FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
Tree = dict[str, "bytes | Tree"]


def pack_rtf(rtf: bytes) -> bytes:
    """RTF in its compressed form, every byte as itself."""
    body = b"".join(b"\x00" + rtf[start : start + 8] for start in range(0, len(rtf), 8))
    return struct.pack("<II", len(body) + 12, len(rtf)) + b"LZFu" + bytes(4) + body


def prop(tag: int, kind: int, value: bytes) -> bytes:
    """One property of a TNEF stream."""
    head = struct.pack("<HH", kind, tag)
    if kind in (0x1E, 0x1F, 0x102, 0x0D):
        return head + struct.pack("<II", 1, len(value)) + value + bytes(-len(value) % 4)
    return head + value


def props(*several: bytes) -> bytes:
    """The value of an attribute that holds properties."""
    return struct.pack("<I", len(several)) + b"".join(several)


def tnef(*attributes: tuple[int, bytes]) -> bytes:
    """A winmail.dat of *attributes*: number and value."""
    out = struct.pack("<IH", 0x223E9F78, 1)
    for name, value in attributes:
        level = 2 if name in (0x9002, 0x800F, 0x8010, 0x9005) else 1
        out += struct.pack("<BII", level, 0x00060000 | name, len(value)) + value
        out += struct.pack("<H", sum(value) & 0xFFFF)
    return out


def utf16(text: str) -> bytes:
    """A string as Outlook keeps it."""
    return text.encode("utf-16-le")


def msg(
    streams: dict[int, bytes | str], files: list[Tree] | None = None, *, inner: bool = False
) -> Tree:
    """The storages of a saved mail: strings and bytes by property number."""
    tree: Tree = {"__properties_version1.0": bytes(24 if inner else 32)}
    for tag, value in streams.items():
        kind = "001F" if isinstance(value, str) else "0102"
        data = utf16(value) if isinstance(value, str) else value
        tree[f"__substg1.0_{tag:04X}{kind}"] = data
    for number, file in enumerate(files or []):
        tree[f"__attach_version1.0_#{number:08X}"] = {"__properties_version1.0": bytes(8), **file}
    return tree


def compound(tree: Tree) -> bytes:
    """An OLE compound file with the storages and streams of *tree*."""
    entries: list[dict[str, int | str]] = [_entry("Root Entry", 5)]
    mini = bytearray()
    mini_fat: list[int] = []
    big: list[tuple[int, bytes]] = []
    _lay(tree, 0, entries, mini, mini_fat, big)
    sectors: list[bytes] = []
    fat: list[int] = []

    def store(data: bytes) -> int:
        start = len(sectors)
        count = max(1, -(-len(data) // SECTOR))
        for number in range(count):
            sectors.append(data[number * SECTOR :][:SECTOR].ljust(SECTOR, b"\x00"))
            fat.append(start + number + 1 if number + 1 < count else END)
        return start

    for index, data in big:
        entries[index]["start"] = store(data)
    entries[0]["start"], entries[0]["size"] = (store(bytes(mini)), len(mini)) if mini else (END, 0)
    mini_start = store(struct.pack(f"<{len(mini_fat)}I", *mini_fat).ljust(SECTOR, b"\xff"))
    while len(entries) % 4:
        entries.append(_entry("", 0))
    directory = store(b"".join(_directory(entry) for entry in entries))
    count = 1
    while -(-(len(fat) + count) // 128) > count:
        count += 1
    fat_start = len(sectors)
    fat += [FAT] * count
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(count * SECTOR, b"\xff")
    sectors += [table[n * SECTOR :][:SECTOR] for n in range(count)]
    mini_count = -(-len(mini_fat) * 4 // SECTOR) or 1
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIII", 0, count, directory, 0, CUTOFF)
    head += struct.pack("<IIII", mini_start, mini_count, END, 0)
    head += struct.pack("<109I", *[fat_start + n for n in range(count)], *[FREE] * (109 - count))
    return head + b"".join(sectors)


def _entry(name: str, kind: int) -> dict[str, int | str]:
    return {
        "name": name,
        "kind": kind,
        "right": FREE,
        "child": FREE,
        "start": 0,
        "size": 0,
    }


def _lay(tree, parent, entries, mini, mini_fat, big) -> None:
    names = sorted(tree, key=lambda name: (len(name), name.upper()))
    before = None
    for name in names:
        value = tree[name]
        index = len(entries)
        entries.append(_entry(name, 1 if isinstance(value, dict) else 2))
        if before is None:
            entries[parent]["child"] = index
        else:
            entries[before]["right"] = index
        before = index
        if isinstance(value, dict):
            _lay(value, index, entries, mini, mini_fat, big)
            continue
        entries[index]["size"] = len(value)
        if len(value) >= CUTOFF:
            big.append((index, value))
            continue
        start = len(mini) // MINI
        entries[index]["start"] = start if value else END
        count = -(-len(value) // MINI)
        mini += value.ljust(count * MINI, b"\x00")
        mini_fat.extend(start + n + 1 if n + 1 < count else END for n in range(count))


def _directory(entry: dict[str, int | str]) -> bytes:
    name = str(entry["name"]).encode("utf-16-le")
    size = len(name) + 2 if name else 0
    return (
        name.ljust(64, b"\x00")
        + struct.pack("<HBB", size, entry["kind"], 1)
        + struct.pack("<III", FREE, entry["right"], entry["child"])
        + bytes(36)
        + struct.pack("<IQ", entry["start"], entry["size"])
    )
