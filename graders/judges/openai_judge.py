"""The provider `openai`: any server with the chat completions interface, through the package `openai`.

The package comes with the extra ``gradebox[judge]``, and is imported for the first question. Then the key is read from
the environment. The key is sent only to that server, and removed from all its replies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Count, FreeMapping, Name, Number, Seconds
from gradebox.graders.judges.provider import Host, Judge, JudgeFailed, Messages, RawReply
from gradebox.graders.model.judgment import MAX_REPLY_CHARACTERS, Question

if TYPE_CHECKING:
    from openai import OpenAI

_MAX_BYTES = 4 * MAX_REPLY_CHARACTERS
_PROBLEM_CHARACTERS = 300
_NOTICED_SECONDS = 0.2
_Price = Annotated[Number, Field(ge=0)] | None


class OpenaiJudge(Judge):
    """A judge on a server with the chat completions interface."""

    provider: Literal["openai"] = optional("A server with the chat completions interface.", default="openai")
    base_url: Name = optional("The base URL of the interface.", default="https://api.openai.com/v1")
    model: Name = Field(description="The name of the model.")
    api_key_env: Name | None = optional("The environment variable that holds the key; without it no key is sent.")
    temperature: Number = optional("Passed to the model.", default=0.0)
    seed: Count | None = optional("Passed to the model.")
    max_tokens: Annotated[Count, Field(ge=1)] | None = optional("The most tokens of a reply.")
    timeout_seconds: Seconds = optional("Time limit of one request.", default=120.0)
    retries: Annotated[Count, Field(ge=0, le=20)] = optional(
        "How often a request is repeated after a server error.", default=3
    )
    input_usd_per_million: _Price = optional("The price of a million input tokens.")
    output_usd_per_million: _Price = optional("The price of a million output tokens.")
    extra: FreeMapping = optional("Further fields of each request.", default_factory=dict, repr=False)

    def unready(self, environ: Mapping[str, str]) -> str:
        if find_spec("openai") is None:
            return "The package `openai` is not installed: pip install 'gradebox[judge]'."
        if self.api_key_env and not environ.get(self.api_key_env):
            return f"It takes its key from {self.api_key_env}, which is not set in the environment."
        return ""

    def priced(self) -> bool:
        return self.input_usd_per_million is not None and self.output_usd_per_million is not None

    def reply(self, question: Question, messages: Messages, host: Host) -> RawReply:
        if problem := self.unready(host.environ):
            raise JudgeFailed(problem[0].lower() + problem[1:].rstrip("."))
        key = host.environ.get(self.api_key_env or "", "")
        try:
            read = self._read(_while_awaited(lambda: self._body(question, messages, key), host))
            return read._replace(text=_without(key, read.text), model=_without(key, read.model))
        except JudgeFailed as failed:
            raise JudgeFailed(_without(key, str(failed))[:_PROBLEM_CHARACTERS]) from None

    def _body(self, question: Question, messages: Messages, key: str) -> bytes:
        """Return the server's reply to a request, which is repeated after temporary errors."""
        from openai import OpenAIError  # noqa: PLC0415 - only where such a judge is asked

        client = _client(self.base_url, key or "none", self.timeout_seconds, self.retries)
        settings = {"seed": self.seed, "max_tokens": self.max_tokens}
        temperature = self.temperature if question.temperature is None else question.temperature
        problem = ""
        for _ in range(self.retries + 1):
            try:
                return self._sent(
                    client,
                    model=question.model or self.model,
                    messages=list(messages),
                    temperature=temperature,
                    extra_body=dict(self.extra),
                    **{name: value for name, value in settings.items() if value is not None},
                )
            except JudgeFailed:
                raise
            except OpenAIError as error:
                # All attempts are used up.
                raise JudgeFailed(f"{type(error).__name__}: {error}") from None
            except Exception as error:  # noqa: BLE001 - of the HTTP library below, which depends on openai's version
                # The connection was lost in the middle of the reply.
                problem = f"{type(error).__name__}: {error}"
        raise JudgeFailed(problem)

    def _sent(self, client: OpenAI, **request: Any) -> bytes:
        deadline = monotonic() + self.timeout_seconds
        body = b""
        with client.chat.completions.with_streaming_response.create(**request) as response:
            for piece in response.iter_bytes():
                body += piece
                if len(body) > _MAX_BYTES:
                    raise JudgeFailed(f"its server sent more than {_MAX_BYTES} bytes")
                if monotonic() > deadline:
                    raise JudgeFailed(f"its reply took longer than {self.timeout_seconds:g} s")
        return body

    def _read(self, body: bytes) -> RawReply:
        try:
            document = json.loads(body)
            choice = document["choices"][0]
            message = choice["message"]
            text = message.get("content") or ""
            usage = document.get("usage") or {}
            counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens", "cost")]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise JudgeFailed(f"its server sent no chat completion: {type(error).__name__}: {error}") from None
        if not isinstance(text, str):
            raise JudgeFailed("its server sent a reply that is not text")
        if message.get("refusal"):
            raise JudgeFailed(f"it refused: {message['refusal']}")
        if choice.get("finish_reason") == "length":
            raise JudgeFailed("its reply was cut off; raise max_tokens")
        given, made = (count if type(count) is int and count >= 0 else None for count in counts[:2])
        cost = float(counts[2]) if isinstance(counts[2], int | float) and counts[2] >= 0 else None
        if self.input_usd_per_million is not None and self.output_usd_per_million is not None:
            prices = ((given, self.input_usd_per_million), (made, self.output_usd_per_million))
            cost = sum((count or 0) * price for count, price in prices) / 1e6
        return RawReply(text, str(document.get("model") or ""), given, made, cost)


JUDGE = OpenaiJudge


def _while_awaited(request: Callable[[], bytes], host: Host) -> bytes:
    """Return the reply to a request, without waiting for a slow server after the run has stopped."""
    brought: SimpleQueue[bytes | Exception] = SimpleQueue()

    def bring() -> None:
        try:
            brought.put(request())
        except Exception as error:  # noqa: BLE001 - it is raised to whoever waits
            brought.put(error)

    Thread(target=bring, name="judge", daemon=True).start()
    while not host.stopped:
        with suppress(Empty):
            found = brought.get(timeout=_NOTICED_SECONDS)
            if isinstance(found, Exception):
                raise found
            return found
    raise JudgeFailed("the run was stopped")


def _without(key: str, text: str) -> str:
    return text.replace(key, "[key]") if key else text


@cache
def _client(base_url: str, key: str, seconds: float, retries: int) -> OpenAI:
    from openai import OpenAI  # noqa: PLC0415 - only where such a judge is asked

    return OpenAI(base_url=base_url, api_key=key, timeout=seconds, max_retries=retries)
