slugify(text) = join((found.match for found in eachmatch(r"[a-z0-9]+", lowercase(text))), "-")

# @canary@
