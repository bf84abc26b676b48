"""Writing, finding, changing and removing notes."""


def test_a_note_is_returned_as_it_was_written(service):
    created = service.send("POST", "/notes", {"title": "milk", "body": "two litres"})
    assert created.status == 201
    assert created.headers["Location"] == f"/notes/{created.json['id']}"
    read = service.send("GET", f"/notes/{created.json['id']}")
    assert read.status == 200
    assert read.json == created.json
    assert (read.json["title"], read.json["body"]) == ("milk", "two litres")


def test_the_body_may_be_left_out(service):
    assert service.send("POST", "/notes", {"title": "only a title"}).json["body"] == ""


def test_the_list_finds_words_in_title_and_body_whatever_their_case(service):
    first = service.send("POST", "/notes", {"title": "Walrus", "body": "x"}).json
    second = service.send("POST", "/notes", {"title": "y", "body": "a WALRUS again"}).json
    assert service.send("GET", "/notes?q=walrus").json == {"notes": [first, second]}
    assert service.send("GET", "/notes?q=unicorn").json == {"notes": []}


def test_a_note_can_be_changed(service):
    note = service.send("POST", "/notes", {"title": "draft", "body": "old"}).json
    changed = service.send("PUT", f"/notes/{note['id']}", {"title": "final", "body": "new"})
    assert changed.status == 200
    assert changed.json == {**note, "title": "final", "body": "new"}


def test_a_removed_note_is_gone(service):
    note = service.send("POST", "/notes", {"title": "soon gone"}).json
    assert service.send("DELETE", f"/notes/{note['id']}").status == 204
    assert service.send("GET", f"/notes/{note['id']}").status == 404
    assert service.send("DELETE", f"/notes/{note['id']}").status == 404


def test_notes_carry_the_time_of_the_clock_and_outlive_the_process(start, tmp_path):
    clock = tmp_path / "clock"
    clock.write_text("1767225600")
    with start(tmp_path / "data", "--clock-file", str(clock)) as service:
        note = service.send("POST", "/notes", {"title": "kept"}).json
    assert note["created_at"] == 1767225600
    with start(tmp_path / "data") as service:
        assert service.send("GET", "/notes").json == {"notes": [note]}
        assert service.send("POST", "/notes", {"title": "next"}).json["id"] == note["id"] + 1
