"""The commands of ``grade``: one file each, with its options beside its body."""
