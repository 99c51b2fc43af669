"""Files of other programs that hold no segments, recognised by their first bytes for helpful errors."""

import re
from collections.abc import Collection
from typing import Final

__all__ = ["foreign_archive", "foreign_kind"]

# Bytes of a file that are examined.
HEAD: Final = 1000
UNPACK_REMEDY: Final = "; unpack it"
# First bytes of files with everyday names of their kinds; a dot is any byte.
SIGNATURES: Final = tuple(
    (re.compile(pattern, re.DOTALL), kind)
    for pattern, kind in (
        (rb"\xff\xd8\xff", "a picture (JPEG)"),
        (rb"\x89PNG\r\n\x1a\n", "a picture (PNG)"),
        (rb"GIF8[79]a", "a picture (GIF)"),
        (rb"RIFF....WEBP", "a picture (WebP)"),
        (rb"BM....\0\0\0\0", "a picture (BMP)"),
        (rb"II\*\0|MM\0\*", "a picture (TIFF)"),
        (rb"....ftyp(?:hei[cfx]|mif1|avif)", "a picture (HEIF)"),
        (rb"....ftyp", "a video or sound (MP4)"),
        (rb"\x1aE\xdf\xa3", "a video (Matroska)"),
        (rb"RIFF....AVI ", "a video (AVI)"),
        (rb"RIFF....WAVE", "sound (WAV)"),
        (rb"ID3[\x02-\x04]|\xff[\xfb\xf3\xf2][\x10-\xef]", "sound (MP3)"),
        (rb"OggS\0", "sound or a video (Ogg)"),
        (rb"fLaC\0", "sound (FLAC)"),
        (rb"(?:\xef\xbb\xbf)?%PDF-", "a PDF; export XLIFF from your CAT tool and send that"),
        (rb"%!PS", "PostScript"),
        (rb"\{\\rtf", "an RTF document; export it from your CAT tool as XLIFF"),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document of before 2007; save a spreadsheet as CSV, a text as XLIFF"),
        (rb"\x1f\x8b", "a gzip file" + UNPACK_REMEDY),
        (rb"BZh[1-9]1AY&SY", "a bzip2 file" + UNPACK_REMEDY),
        (rb"\xfd7zXZ\0", "an xz file" + UNPACK_REMEDY),
        (rb"\x28\xb5\x2f\xfd", "a Zstandard file" + UNPACK_REMEDY),
        (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; pack it as zip"),
        (rb"Rar!\x1a\x07", "a RAR archive; pack it as zip"),
        (rb"\xde\x12\x04\x95|\x95\x04\x12\xde", "a compiled catalogue (MO); send its PO file"),
        (rb"SQLite format 3\0", "a database (SQLite)"),
        (rb"\x7fELF", "a program"),
        (rb"MZ.\0.\0", "a program"),
        (rb"wOF[F2]", "a font"),
    )
)  # fmt: skip
MARKUP: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!doctype\s++(?P<type>[a-z]++)[^>]*+>\s*+)?<(?P<root>[a-z]++)?", re.I
)
ROOTS: Final = {b"html": "a web page (HTML)", b"svg": "a picture (SVG)"}
# Members of archives of other programs, with everyday names of these archives.
MEMBERS: Final = (
    ("xl/workbook.xml", "a spreadsheet (Excel); save it as CSV UTF-8"),
    ("word/document.xml", "an office document (Word); export it from your CAT tool as XLIFF"),
    ("ppt/presentation.xml", "an office document (PowerPoint); export it from your CAT tool as XLIFF"),
    ("[Content_Types].xml", "an office document; export it from your CAT tool as XLIFF"),
    ("META-INF/container.xml", "a book (EPUB); export it from your CAT tool as XLIFF"),
    ("META-INF/manifest.xml", "an office document (OpenDocument); export it from your CAT tool as XLIFF, a spreadsheet as CSV"),
    ("META-INF/MANIFEST.MF", "a program (Java)"),
)


def foreign_kind(head: bytes) -> str | None:
    """Name of a kind of file without segments, by its first bytes; None if the file may hold segments."""
    head = head[:HEAD]
    signed_kind = next((kind for pattern, kind in SIGNATURES if pattern.match(head)), None)
    if signed_kind is not None or b"<" not in head:
        return signed_kind
    markup = MARKUP.match(head)
    return None if markup is None else ROOTS.get((markup["root"] or markup["type"] or b"").lower())


def foreign_archive(members: Collection[str]) -> str | None:
    """Name of the kind of archive that has these members; None if no other program wrote it."""
    return next((kind for member, kind in MEMBERS if member in members), None)
