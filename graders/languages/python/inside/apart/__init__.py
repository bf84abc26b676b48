"""Two processes of Python that use each other's objects. docs/explanation/boundary.md is the protocol.

    grader's process, which runs the tests            candidate's process, which runs the submission

    items.py, or a test runner (apart_start.py)
    modules.py   whose a module is, when it is imported
    carried_patches.py   what tests replace
        |  "basket" is the submission's: a request
    process.py   starts the other process             server.py   takes the connection, and serves
    lending.py, told_names.py   hands over files      doing.py    what is done on request
    grader.py    gives what tests pass, refuses all   server.py   gives all
                 that boundary.json does not list
    opaque.py    an object where data was expected

Both have the rest. A call of a stand-in goes down, and the answer comes up in the other process and goes back:

    stand_ins.py, class_making.py, links.py   what stands for an object of the other process, and asks it
    peer.py         numbers a request, waits for its answer, and serves requests meanwhile
    checkpoint.py   decides whether it may be asked, and whether what comes may be done: nothing else does
    errors.py       which exceptions tests get, and which the submission
    objects.py      trees of objects, classes and exceptions, which stay where they are; describing.py what is said
    sharing.py      numbers of all that crossed, and what has changed in containers since
    codec.py        trees of data; values.py those of the library
    wire.py         bytes

All modules are one text (graders/languages/bundle.py) with one namespace. first.py stands at its beginning.
"""
