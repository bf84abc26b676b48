"""Two processes of Python that use each other's objects. docs/explanation/boundary.md is the protocol.

    grader's process, which runs the tests            candidate's process, which runs the submission

    in_grader/items.py, or a test runner (apart_start.py)
        |  "basket" is the submission's: a request
    in_grader/process.py   starts the other process   server.py   takes the connection, and serves
    in_grader/grader.py    gives what tests pass      server.py   gives all
                                                      doing.py    what is done on request

Both have the rest. A call of a stand-in goes down, and the answer comes up in the other process and goes back:

    stand_ins.py, class_making.py, links.py   what stands for an object of the other process, and asks it
    library_bases.py   which classes of the library it passes for
    loops.py        what is awaited of the other process
    peer.py         numbers a request, waits for its answer, and serves requests meanwhile
    checkpoint.py   decides whether it may be asked, and whether what comes may be done: nothing else does
    given_objects.py, objects.py   trees of objects, classes and exceptions, which stay where they are;
                    describing.py what is said of them, plain_data.py what data they hold
    sharing.py      numbers of all that crossed, and what has changed in containers since
    codec.py        trees of data; values.py those of the library
    wire.py         bytes

All modules are one text (graders/languages/bundle.py) with one namespace. first.py stands at its beginning.
"""
