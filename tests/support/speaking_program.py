"""A small program to be asked in lines of JSON: `python speaking_program.py HOW`. It imports next to nothing."""

import json
import os
import sys
import time


def answers(how: str, question: dict) -> str:  # type: ignore[type-arg]
    """What it says to a question, by how it behaves."""
    first = question["legal"][0]
    if how == "name":
        return json.dumps({"action": first["name"], "why": "it is the first"})
    if how == "second try" and question["try"] == 1:
        return json.dumps({"action": 999})
    if how == "second try" and "999" not in question["error"]:
        return "nobody told me what was wrong"
    if how == "illegal":
        return json.dumps({"action": question["action_mask"].index(0)})
    if how == "garbage":
        return "I would rather \x1b[31m not"
    if how == "long":
        return "x" * 200_000
    if how == "twice":
        return "\n".join([json.dumps({"action": first["number"]})] * 2)
    return json.dumps({"action": first["number"]})


def main(how: str) -> None:
    """Answer until nobody asks any more, or misbehave."""
    if how == "silent":
        os.close(1)
        sys.stdin.read()
    if how == "flood":
        while True:
            sys.stdout.write('{"action": 0}\n')
    if how == "deaf":
        time.sleep(600)
    for line in sys.stdin:
        if how == "mortal":
            sys.exit("I know\n\x1b[31m too little")
        if how == "hang":
            time.sleep(600)
        if how == "half":
            sys.stdout.write('{"action": ')
            sys.stdout.flush()
            time.sleep(600)
        if how == "complaining":
            sys.stderr.write("oh dear " * 20_000)
        sys.stdout.write(answers(how, json.loads(line)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
