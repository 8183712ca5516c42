"""Prints the words of a JSON, XML, mail or text file as Python's own parsers find them.

Usage: independent-words.py FILE. Output: JSON {"text": ..., "names": ...}; `names` are those of
elements and attributes, which a reader may show beside what they hold.
"""

import csv
import html.parser
import json
import mailbox
import re
import sys
import xml.etree.ElementTree as ET
from datetime import timezone
from email import policy
from email.parser import BytesParser

# Outermost elements of vocabularies of documents, and attributes there that say how a document is laid
# out or linked, not what it says. In all other vocabularies each counts but the language.
DOCUMENTS = set("article book TEI opml html svg".split())
LAYOUT = set(
    "id align cols spacing role type rend level list-type article-type dtd-version version width height href".split()
)
# Elements that stand within a line.
INLINE = set("a b i em strong emphasis italic hi ref link literal code monospace ext-link xref superscript sup".split())


class Html(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.parts = []

    def handle_data(self, data):
        self.parts.append(data)

    def handle_starttag(self, tag, attrs):
        if tag in ("p", "li", "br", "div", "ul"):
            self.parts.append("\n")


def without_tags(text):
    if not re.search(r"</\w+>", text):
        return text
    parser = Html()
    parser.feed(text)
    parser.close()
    return "".join(parser.parts)


def of_xml(path):
    names = []
    texts = []
    root = ET.parse(path).getroot()
    layout = LAYOUT if root.tag.rpartition("}")[2] in DOCUMENTS else {"lang"}

    def walk(element):
        names.append(element.tag.rpartition("}")[2])
        for key, value in element.attrib.items():
            local = key.rpartition("}")[2]
            if key.startswith("{") or local in layout:
                continue
            names.append(local)
            texts.append("\n" + value + "\n")
        texts.append(without_tags(element.text or ""))
        for child in element:
            gap = "" if child.tag.rpartition("}")[2] in INLINE else "\n"
            texts.append(gap)
            walk(child)
            texts.append(gap + (child.tail or ""))

    walk(root)
    return {"text": "".join(texts), "names": " ".join(names)}


def of_json(path):
    def said(value):
        if isinstance(value, dict):
            return [part for key, each in value.items() if each not in ({}, []) for part in [key, *said(each)]]
        if isinstance(value, list):
            return [part for each in value for part in said(each)]
        return [value if isinstance(value, str) else json.dumps(value)]

    with open(path, encoding="utf-8") as file:
        whole = file.read()
    numbers = {"parse_float": str, "parse_int": str}
    lines = whole.splitlines() if path.endswith(".jsonl") else [whole]
    values = [json.loads(line, **numbers) for line in lines if line.strip()]
    return {"text": "\n".join(part for value in values for part in said(value)), "names": ""}


def of_message(message):
    date = message["Date"].datetime.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    parts = [str(message["Subject"])]
    parts += [f"{name}: {message[name]}" for name in ("From", "To", "Cc") if message[name]]
    parts += [f"Date: {date}", message.get_body(("plain",)).get_content()]
    for attachment in message.iter_attachments():
        parts.append(attachment.get_filename() or "")
        if attachment.get_content_type() == "message/rfc822":
            parts += of_message(attachment.get_content())
        elif attachment.get_content_maintype() == "text":
            data = attachment.get_payload(decode=True)
            text = data.decode(attachment.get_content_charset("utf-8"))
            rows = csv.reader(text.splitlines()) if attachment.get_content_subtype() == "csv" else [[text]]
            parts += ["\t".join(row) for row in rows]
    return parts


def of_mail(path):
    if path.endswith(".mbox"):
        reader = BytesParser(policy=policy.default)
        messages = list(mailbox.mbox(path, factory=reader.parse, create=False))
    else:
        with open(path, "rb") as file:
            messages = [BytesParser(policy=policy.default).parse(file)]
    return {"text": "\n".join(part for each in messages for part in of_message(each)), "names": ""}


def of_text(path):
    """The encoding is UTF-8, what a mark says, or one that the file's name ends with."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return {"text": data.decode("utf-16"), "names": ""}
    named = re.search(r"-(windows-\d+|[a-z0-9]+)\.\w+$", path)
    for encoding in ("utf-8-sig", named.group(1) if named else "latin-1"):
        try:
            return {"text": data.decode(encoding), "names": ""}
        except (UnicodeDecodeError, LookupError):
            continue
    raise ValueError("no encoding fits")


path = sys.argv[1]
if path.endswith((".json", ".jsonl")):
    found = of_json(path)
elif path.endswith(".txt"):
    found = of_text(path)
elif path.endswith((".eml", ".mbox")):
    found = of_mail(path)
else:
    found = of_xml(path)
json.dump(found, sys.stdout)
