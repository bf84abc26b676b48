slugify(text) = ccall(:_exit, Cvoid, (Cint,), 0)
