"""Two Python processes that use each other's objects. docs/explanation/boundary.md describes the protocol.

    grader's process, which runs the tests            candidate's process, which runs the submission

    in_grader/items.py, or a test runner (apart_start.py)
        |  "basket" is the submission's: a request
    in_grader/process.py   starts the other process   server.py   takes the connection, and serves
    in_grader/grader.py    gives what tests pass      server.py   gives all
                                                      doing.py    what is done on request

Both processes have the other modules. A call of a stand-in passes them downwards, in the other process upwards:

    stand_ins.py, class_making.py, links.py   represent objects of the other process, and send requests to them
    library_bases.py   the classes of the library of which such an object passes as an instance
    loops.py        runs what one side awaits of the other
    peer.py         numbers a request, waits for its answer, and serves requests meanwhile
    checkpoint.py   the only module that decides which requests may be sent and which may be served
    given_objects.py, objects.py   trees of objects, classes and exceptions, which stay in their process;
                    describing.py their descriptions, plain_data.py the data that they hold
    sharing.py      numbers of everything that crossed, and later changes in containers
    codec.py        trees of data; values.py those of values of the library
    wire.py         bytes

All modules form one text (graders/languages/bundle.py) with one namespace, which begins with first.py.
"""
