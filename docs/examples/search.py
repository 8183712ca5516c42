"""Searches a RAG over plain HTTP: python3 search.py "days of leave" [RAG]"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

QUERY = sys.argv[1]
RAG = sys.argv[2] if len(sys.argv) > 2 else "sample"


def retrieve(query):
    request = urllib.request.Request(
        f"{os.environ['QUARRY_URL']}/api/rags/{RAG}/retrieve",
        data=json.dumps({"semanticSearch": [query], "topK": 5, "includeSources": True}).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['QUARRY_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                sys.exit(f"{error.code}: {json.load(error)['error']}")
            time.sleep(int(error.headers.get("Retry-After", "5")))


found = retrieve(QUERY)
if "degraded" in found:
    print("A part of the search failed; these results are incomplete.", file=sys.stderr)
for chunk in found["chunks"]:
    source = chunk["source"]
    print(f"{chunk['score']:.3f}  {source['filePath']}  {' > '.join(source['headings'])}")
