"""The child process in which the embedded language model runs.

In      one JSON object a line on standard input
Out     one JSON object a line on standard output, in the same order
Pure    no: loads the weights; ends when its input ends, whatever it is doing
Spec    interfaces.md, "Models"; 000 "Output must be JSON only"

Only here is the inference library imported: when it aborts, this process dies and nothing
else. Three operations are all there is:

| op         | takes                                           | gives                           |
|------------|-------------------------------------------------|---------------------------------|
| `complete` | `context`, `grammar`, `max_tokens`, `temperature`, `seed` | the text, why it ended |
| `check`    | `grammar`                                       | does it really constrain?       |

Equal bytes for equal requests: one sequence at a time, and what an operation keeps of its
context is dropped before the next one begins.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TextIO
from urllib.request import Request, urlopen

CONTEXT_TOKENS: Final = 8192
"""What the model was trained for."""

_BEGIN, _END = 1, 2
"""Control tokens `<|im_start|>` and `<|im_end|>`. Text never becomes one: see `_tokens`."""

_MARK: Final = "Zq7#Vw"
"""What a grammar check makes the model write; nothing it would write by itself."""


class TooLongError(Exception):
    """The context and what is asked for do not fit together into the model."""


class RefusedError(Exception):
    """The model cannot do what is asked, for a reason that `kind` names."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class Worker:
    """The loaded model."""

    def __init__(
        self, weights: str, threads: int, context_tokens: int = CONTEXT_TOKENS, **more: Any
    ) -> None:
        import xllamacpp

        key = secrets.token_hex(16)
        params = xllamacpp.CommonParams()
        params.model.path = weights
        params.n_ctx = context_tokens
        params.n_parallel = 1
        params.cache_prompt = False
        params.cache_ram_mib = 0
        params.n_ctx_checkpoints = 0
        params.verbosity = 0
        params.api_keys = [key]
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        for name, value in more.items():
            setattr(params, name, value)
        self._context_tokens = context_tokens
        self._server = xllamacpp.Server(params)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._evaluated = 0
        self._start = [_BEGIN]
        """The shortest context there is."""

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one operation; faults of the request come back as `{"fault": …}`."""
        self._evaluated = 0
        try:
            match asked["op"]:
                case "complete":
                    done = self._complete(asked)
                case "check":
                    done = {"constrains": self._constrains(asked["grammar"])}
                case _:
                    done = self._other(asked)
        except TooLongError as error:
            return {"fault": "too_large", "hint": str(error)}
        except RefusedError as error:
            return {"fault": error.kind, "hint": str(error)}
        return {**done, "evaluated": self._evaluated}

    def _other(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Operations that only some workers know."""
        raise RefusedError("bad_request", f"unknown operation {asked['op']!r}")

    def _complete(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        choice = self._run(
            self._context(asked["context"]),
            keep=False,
            max_tokens=asked["max_tokens"],
            temperature=asked["temperature"],
            seed=asked["seed"],
            **({"grammar": asked["grammar"]} if asked.get("grammar") else {}),
        )
        return {
            "text": choice["text"],
            "finish_reason": choice["finish_reason"],
            "tokens": choice["written"],
        }

    def _constrains(self, grammar: str) -> bool:
        """A grammar that does not compile is ignored without a word: make it show itself.

        Its start is put behind a mark. A grammar in force writes the mark first.
        """
        marked = grammar.replace("start:", f'start: "{_MARK}" body\nbody:', 1)
        choice = self._run(
            self._start, keep=False, max_tokens=len(_MARK), temperature=0.0, grammar=marked
        )
        return bool(marked != grammar and choice["text"].startswith(_MARK))

    def _run(self, context: list[int], *, keep: bool, **options: Any) -> dict[str, Any]:
        most = self._context_tokens
        if len(context) + 1 > most:
            raise TooLongError(f"{len(context)} model tokens are over its {most}")
        options["max_tokens"] = min(options["max_tokens"], most - len(context))
        reply = self._server.handle_completions(
            {"prompt": context, "temperature": 0.0, "cache_prompt": keep, **options}
        )
        if "error" in reply:
            why = str(reply["error"].get("type", "the model refused the request"))
            raise RefusedError("bad_request", why)
        usage = reply["usage"]
        cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
        self._evaluated += usage["prompt_tokens"] - cached + usage["completion_tokens"]
        return {**reply["choices"][0], "written": usage["completion_tokens"]}

    def _context(self, parts: Mapping[str, Any]) -> list[int]:
        """The tokens of a context: as it is, or as the user's turn of a conversation."""
        text = self._tokens(parts["text"])
        if not parts["chat"]:
            return text
        return [
            *(_BEGIN, *self._tokens("user\n")),
            *text,
            *(_END, *self._tokens("\n")),
            *(_BEGIN, *self._tokens("assistant\n"), *self._tokens(parts.get("begun", ""))),
        ]

    def _tokens(self, text: str, *, begin: bool = False) -> list[int]:
        """Plain text as tokens: `<|im_end|>` in it is six characters and a name, no control.

        With *begin*, behind whatever this model wants at the beginning of a text.
        """
        if not text:
            return []
        body = json.dumps({"content": text, "add_special": begin, "parse_special": False})
        asked = Request(  # noqa: S310 - an address of this process
            f"{self._server.listening_address}/tokenize", body.encode(), self._headers
        )
        with urlopen(asked) as reply:  # noqa: S310
            tokens: list[int] = json.load(reply)["tokens"]
        return tokens


def lines(source: TextIO) -> Iterator[str]:
    """Lines of *source*; at its end the process ends at once, even in the middle of an answer."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in source:
            waiting.put(line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield waiting.get()


def serve(load: Callable[[], Worker]) -> None:
    """Load, then serve until standard input ends. Nothing but answers goes to standard output."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the library prints is no answer
    worker = load()
    out.write('{"ready":true}\n')
    out.flush()
    for line in lines(sys.stdin):
        out.write(json.dumps(worker.answer(json.loads(line))) + "\n")
        out.flush()


def main(weights: str, threads: str) -> None:
    """The child of `embedded`."""
    serve(lambda: Worker(weights, int(threads)))


if __name__ == "__main__":
    main(*sys.argv[1:])
