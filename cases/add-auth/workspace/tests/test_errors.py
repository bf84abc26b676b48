"""What is refused, and how."""

import pytest


def test_health(service):
    assert service.send("GET", "/health").json == {"status": "ok"}


@pytest.mark.parametrize("path", ["/", "/note", "/notes/", "/notes/one", "/notes/1/2", "/login"])
def test_unknown_pages(service, path):
    reply = service.send("GET", path)
    assert reply.status == 404
    assert set(reply.json) == {"error"}


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("DELETE", "/notes", "GET, POST"), ("POST", "/notes/1", "DELETE, GET, PUT"), ("POST", "/health", "GET")],
)
def test_wrong_methods(service, method, path, allowed):
    reply = service.send(method, path)
    assert reply.status == 405
    assert reply.headers["Allow"] == allowed


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"\xff\xfe"])
def test_bodies_that_are_no_json_object(service, body):
    assert service.send("POST", "/notes", body=body).status == 400


@pytest.mark.parametrize(
    "payload", [{}, {"title": ""}, {"title": "  "}, {"title": 7}, {"title": "x" * 201}, {"title": "x", "body": None}]
)
def test_notes_that_are_not_valid(service, payload):
    assert service.send("POST", "/notes", payload).status == 400
    assert service.send("GET", "/notes").json == {"notes": []}


def test_a_body_that_is_too_large(service):
    assert service.send("POST", "/notes", {"title": "x", "body": "x" * 70_000}).status == 413
