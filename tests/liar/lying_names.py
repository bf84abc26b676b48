"""Names that a lying peer uses: of attributes, classes, operators, modules and files. Each class of them is tried.

A class of names is what coverage counts. `said` are names that the grader's process used itself.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from golden_boundary import TABLE

PUBLIC = """
value name items price total run next send close id count index tax children mark data add find get
""".split()
PRIVATE = """
_private _secret _hidden _other _private _secret _x _mock_parent _mock_return_value _spec_class _hidden
""".split()
DUNDER = """
__class__ __dict__ __globals__ __init__ __code__ __closure__ __defaults__ __builtins__ __subclasses__ __mro__
__bases__ __getattribute__ __reduce__ __reduce_ex__ __module__ __wrapped__ __self__ __func__ __proto__
__defineGetter__ __lookupGetter__ __traceback__ __context__ __cause__ __slots__ __setattr__ __delattr__
__loader__ __spec__ __file__ __name__ __qualname__ __doc__ __annotations__ __weakref__ __init_subclass__
__set_name__ __sizeof__ __dir__
""".split()
ADMINISTRATION = """
return_value side_effect mock_calls call_args call_args_list method_calls call_count called reset_mock
configure_mock attach_mock mock_add_spec assert_called assert_called_once_with assert_any_call assert_not_called
assert_has_calls called_with called_once call_list mock mockImplementation restore
""".split()
INTRINSICS = """
constructor prototype __proto__ caller callee arguments apply bind call hasOwnProperty toString valueOf toJSON
then length Symbol.iterator Symbol.toPrimitive mro gi_frame cr_frame f_globals f_back tb_frame func_globals
read_text open write_text unlink exists format encode eval include Main Base parent getfield setproperty!
""".split()
TABLE_OPERATORS = [*TABLE["python"]["operators"]["two_sided"], *TABLE["python"]["operators"]["others"]]
OPERATORS = [
    *TABLE_OPERATORS,
    "__eq__", "__getattr__", "__call__",
    *"== isequal isless < <= > >= in isapprox length iterate getindex hash + - * / valueOf toString".split(),
    *"Symbol.toPrimitive Symbol.iterator Symbol.hasInstance".split(),
]  # fmt: skip
METHODS = """
startswith endswith count index issuperset issubset isdisjoint find split strip match search keys values items
get join replace lower upper append pop sort has includes indexOf every some filter map reduce forEach equals
test slice at then catch finally
""".split()
MODULES = """
os sys subprocess ctypes builtins pytest unittest _pytest unittest.mock node:fs node:child_process fs solution
test_it conftest Base Main Core tests.test_it grading.test_it ../grading/test_it /etc/passwd /proc/self/mem
""".split()
# Of the table, and those that only a grader may request, or nobody.
FOREIGN_REQUESTS = """
import set setattr delete del delattr method special derive find exec eval compile open import_module require
around places replace run new apply construct describe isExtensible begin ready serve constructor
__proto__ toString release lend reclaim contract raise return
""".split()

CLASSES: dict[str, Sequence[object]] = {
    "public": PUBLIC,
    "private": PRIVATE,
    "dunder": DUNDER,
    "administration": ADMINISTRATION,
    "intrinsic": INTRINSICS,
    "operator": OPERATORS,
    "method": METHODS,
    "module": MODULES,
    "empty": ["", " ", "\0", "\u2028", "\ud800"],
    "long": ["a" * 70_000, "_" * 5000, "a." * 3000],
    "no text": [0, -1, 1.5, None, True, [], {}, ["o", 1], ["k", "int"], ["t", "value"], ["y", 1, "Symbol.iterator"]],
    "none": [],
}


def name(chance: random.Random, kind: str, said: Sequence[str]) -> object:
    """Return a name of a class; a public one may be one that the tests use."""
    if kind == "public" and said and chance.random() < 0.7:
        return chance.choice(said)
    return chance.choice(CLASSES[kind])
