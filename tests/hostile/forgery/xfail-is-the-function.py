from pytest import xfail as slugify
