"""Prints the typed answer of each operation as JSON, and where the service is."""

import json
import os

URL = os.environ["QUARRY_URL"]
TOKEN = os.environ["QUARRY_TOKEN"]
KEY = os.environ["QUARRY_KEY"]
FILES = os.environ["QUARRY_FILES"]
QUERIES = ["days of leave"]


class Failure(Exception):
    """An answer with a status of failure."""

    def __init__(self, status, body):
        super().__init__(f"failed {int(status)} {body}")


def plain(value):
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def call(operation, attempt):
    try:
        line = json.dumps(plain(attempt()), default=lambda time: time.isoformat())
    except Failure as failure:
        line = str(failure)
    except Exception as failure:  # every failure is reported by its operation
        line = f"thrown {type(failure).__name__}: {failure}".replace("\n", " ")
    print(f"{operation}\t{line}")
